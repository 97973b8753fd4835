"""With the store's ledger and limiter: paid once across restarts, one budget and one rate for all."""

from pathlib import Path

from steelyard.schemas.judging import CorrectAnswer, CorrectCase
from steelyard.schemas.verdict import Unscored, UnscoredReason
from steelyard.store import open_store
from steelyard.store.buckets import StoreLimiter
from steelyard.store.ledger import StoreLedger

from .conftest import Bench
from .model import answer as model

CASES = [
    CorrectCase(question="When?", expected=("opened 1932",), answer=f"{text} it was opened in 1932.")
    for text in ("I think", "Surely", "\x00\ud800")
]


def test_paid_once_across_restarts(bench: Bench, tmp_path: Path) -> None:
    server, url = bench.server(model), f"sqlite:///{tmp_path / 'judge.sqlite'}"
    answers = []
    for _ in range(2):
        store = open_store(url)
        judge = bench.chat(server.url, ledger=StoreLedger(store), limiter=StoreLimiter(store))
        answers.append([getattr(answer, "correct", answer) for answer in judge.correct(CASES)])
        store.close()
    assert answers == [[True] * 3] * 2
    assert server.calls == 3


def test_one_budget_and_one_rate_for_two_judges(bench: Bench, tmp_path: Path) -> None:
    server, store = bench.server(model), open_store(f"sqlite:///{tmp_path / 'judge.sqlite'}")
    settings = {"budget_calls": 2, "requests_per_minute": 1}
    judges = [
        bench.chat(server.url, ledger=StoreLedger(store), limiter=StoreLimiter(store), **settings)
        for _ in "ab"
    ]
    (first,), (second,) = judges[0].correct(CASES[:1]), judges[1].correct(CASES[1:2])
    assert isinstance(first, CorrectAnswer)
    # The second found the minute's one request taken and waited in vain: here, waiting takes no time.
    assert isinstance(second, Unscored)
    assert second.reason is UnscoredReason.LIMIT_REACHED
    assert 0 < bench.slept[0] <= 60
    others = bench.chat(server.url, ledger=StoreLedger(store), budget_calls=2)
    kinds = [type(answer) for answer in (others.correct(CASES[1:2]) + others.correct(CASES[2:3]))]
    assert kinds == [CorrectAnswer, Unscored]
    assert server.calls == 2
    store.close()
