"""Aggregates: means against a plain count, coverage and its bounds, corrections, and both ways of summing."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.retrieval.columns import Columns
from steelyard.retrieval.scores import METRICS, NAMES
from steelyard.retrieval.summary import NOT_A_SAMPLE, summarise, summarise_by, summarise_groups
from steelyard.retrieval.tasks import task_key


def columns(
    *events: dict[str, float], status: Sequence[str] | None = None, tasks: Sequence[str] | None = None
) -> Columns:
    n = len(events)
    return Columns.of(
        [[event.get(name) for name in NAMES] for event in events],
        status=["evaluated"] * n if status is None else status,
        task_keys=[task_key(task) for task in tasks or map(str, range(n))],
    )


def traffic(n: int, *, tasks: int, labelled: float = 1.0, seed: int = 1) -> Columns:
    """Events with every metric, the labelled ones a random sample."""
    rng = np.random.default_rng(seed)
    numbers = rng.beta(4, 1, (n, len(NAMES)))
    gold = numbers[:, NAMES.index("gt_recall")]
    numbers[:, NAMES.index("recall")] = np.clip(gold + rng.normal(0.05, 0.05, n), 0, 1)
    numbers[:, NAMES.index("requirements") :] = rng.integers(1, 5, (n, 7))
    without = rng.random(n) >= labelled
    for name in NAMES:
        if name in METRICS[5:] or name in ("gold", "gold_in_context", "cited_gold"):
            numbers[without, NAMES.index(name)] = np.nan
    keys = [task_key(str(place)) for place in rng.integers(0, tasks, n)]
    return Columns.of(numbers, status=["evaluated"] * n, task_keys=keys)


def test_macro_is_over_events_and_micro_over_documents() -> None:
    found = summarise(
        columns(
            {"precision": 1.0, "recall": 1.0, "cited": 1, "documents": 1, "supported": 1, "requirements": 1},
            {"precision": 0.0, "recall": 0.5, "cited": 0, "documents": 9, "supported": 2, "requirements": 4},
        ),
        judge_id="j",
    )
    assert (found.label_free.precision.value, found.label_free.precision.micro) == (0.5, 0.1)
    assert (found.label_free.recall.value, found.label_free.recall.micro) == (0.75, 0.6)
    assert found.label_free.f1.micro == pytest.approx(2 * 0.1 * 0.6 / 0.7)
    assert (found.n, found.judge_id, found.computed_from) == (2, "j", "events")


def test_undefined_values_are_left_out_and_n_says_so() -> None:
    found = summarise(columns({"recall": 1.0, "ndcg": 0.5}, {"recall": 0.0}, {}), judge_id="j")
    assert (found.label_free.recall.value, found.label_free.recall.n) == (0.5, 2)
    assert (found.label_free.ndcg.value, found.label_free.ndcg.n) == (0.5, 1)
    assert (found.evaluator.f1.value, found.evaluator.f1.n, found.evaluator.band) == (None, 0, None)
    assert found.evaluator.f1.reason == "no event defines it"


def test_events_of_one_task_are_one_cluster() -> None:
    events = [{"recall": float(place % 2)} for place in range(40)]
    once = summarise(columns(*events), judge_id="j").label_free.recall
    repeated = summarise(
        columns(*events, tasks=[str(place // 20) for place in range(40)]), judge_id="j"
    ).label_free.recall
    assert (once.clusters, repeated.clusters) == (40, 2)
    assert once.low is not None
    assert repeated.reason == "every task has the same value"


COVERAGE = [
    # status and recall of each event → share, worst low, worst high
    ([("evaluated", 1.0), ("evaluated", 0.5)], 1.0, 0.75, 0.75),
    ([("evaluated", 1.0), ("unscored", None)], 0.5, 0.5, 1.0),
    ([("evaluated", 0.5), ("unscored", None), ("error", None), ("cancelled", None)], 0.25, 0.125, 0.875),
    ([("evaluated", 0.5), ("queued", None), ("evaluating", None), ("not_sampled", None)], 1.0, 0.5, 0.5),
    ([("unscored", None)], 0.0, 0.0, 1.0),
    ([("queued", None)], None, None, None),
    ([], None, None, None),
]


@pytest.mark.parametrize(("events", "share", "low", "high"), COVERAGE)
def test_coverage_and_its_worst_cases(events, share, low, high) -> None:
    rows = [{} if recall is None else {"recall": recall} for _, recall in events]
    found = summarise(columns(*rows, status=[status for status, _ in events]), judge_id=None).coverage
    assert (found.share, found.worst_low, found.worst_high) == (share, low, high)
    states = (found.scored, found.unscored, found.pending, found.not_sampled, found.errors)
    assert sum(states) == len(events)


@given(
    st.lists(st.tuples(st.sampled_from(["evaluated", "unscored", "error"]), st.sampled_from([0.0, 0.5, 1.0])))
)
def test_the_worst_cases_hold_the_mean_of_any_completion(events: list[tuple[str, float]]) -> None:
    rows = [{"recall": recall} if status == "evaluated" else {} for status, recall in events]
    found = summarise(
        columns(*rows, status=[status for status, _ in events]), judge_id="j", quick=True
    ).coverage
    if events:
        truth = sum(recall for _, recall in events) / len(events)
        assert found.worst_low - 1e-12 <= truth <= found.worst_high + 1e-12


def test_corrected_numbers_are_withheld_unless_the_labels_are_a_sample() -> None:
    events = traffic(400, tasks=400, labelled=0.3)
    assert summarise(events, judge_id="j").corrected.withheld == NOT_A_SAMPLE
    told = summarise(events, judge_id="j", withheld="Another reason.").corrected
    assert (told.withheld, told.recall) == ("Another reason.", None)
    shown = summarise(events, judge_id="j", withheld=None)
    assert shown.corrected.withheld is None
    assert shown.corrected.labelled + shown.corrected.unlabelled == 400
    assert shown.corrected.recall.method == "ppi++"
    alone, corrected = shown.ground_truth.recall, shown.corrected.recall
    assert corrected.high - corrected.low < alone.high - alone.low
    assert shown.corrected.tuned_weight > 0.5


@pytest.mark.parametrize(
    ("labelled", "reason"),
    [
        (0.0, "no evaluated event is labelled"),
        (1.0, "every evaluated event is labelled: the means against gold need no correction"),
    ],
)
def test_a_correction_needs_both_kinds(labelled: float, reason: str) -> None:
    found = summarise(traffic(50, tasks=50, labelled=labelled), judge_id="j", withheld=None).corrected
    assert found.withheld == reason


def test_the_correction_undoes_a_bias_that_the_raw_mean_keeps() -> None:
    rng = np.random.default_rng(2)
    gold = rng.choice([0.0, 0.5, 1.0], 4_000)
    judge = np.clip(gold + 0.25 * (rng.random(4_000) < 0.8), 0, 1)
    rows = [
        {"recall": said, **({"gt_recall": true, "gold": 1.0} if place < 400 else {})}
        for place, (said, true) in enumerate(zip(judge.tolist(), gold.tolist(), strict=True))
    ]
    found = summarise(columns(*rows), judge_id="j", withheld=None)
    assert abs(found.label_free.recall.value - gold.mean()) > 0.1
    assert found.corrected.recall.low < gold.mean() < found.corrected.recall.high


def test_groups_say_the_same_as_events() -> None:
    events = traffic(6_000, tasks=3_000, labelled=0.5)
    exact = summarise(events, judge_id="j", withheld=None)
    stored = summarise_groups(events.by_group(), judge_id="j", withheld=None, age_s=3.0)
    assert (stored.computed_from, stored.age_s, stored.n) == ("rollups", 3.0, 6_000)
    assert stored.coverage.model_dump() == pytest.approx(exact.coverage.model_dump())
    for mine, other in (
        (stored.label_free.recall, exact.label_free.recall),
        (stored.evaluator.f1, exact.evaluator.f1),
        (stored.corrected.recall, exact.corrected.recall),
    ):
        assert mine.value == pytest.approx(other.value, abs=0.002)
        assert mine.n == other.n
        assert mine.high - mine.low == pytest.approx(other.high - other.low, rel=0.35)
    assert stored.label_free.recall.method == "group-jackknife"
    assert stored.label_free.recall.clusters is None


def test_slices_are_summaries_of_their_events() -> None:
    events = traffic(300, tasks=100)
    codes = np.arange(300) % 3
    found = summarise_by(events, codes, judge_id="j")
    assert list(found) == [0, 1, 2]
    assert found[1] == summarise(events.where(codes == 1), judge_id="j", quick=True)


def test_bands_of_the_value_and_of_the_interval() -> None:
    rows = [{"evaluator_f1": value, "exact_match": 1.0} for value in [1.0, 0.5] * 10]
    found = summarise(columns(*rows), judge_id="j").evaluator
    assert (found.band, found.low_band, found.high_band) == ("moderate", "low", "moderate")
    assert "20 labelled events" in found.advice[0]


def test_an_estimate_among_them_is_said() -> None:
    assert not summarise(columns({"recall": 1.0}), judge_id="j").estimated
    marked = Columns.of(
        [[None] * len(NAMES)], status=["evaluated"], task_keys=[task_key("t")], estimated=[True]
    )
    assert summarise(marked, judge_id="j").estimated


def test_nothing_at_all() -> None:
    found = summarise(columns(), judge_id=None, withheld=None)
    assert (found.n, found.label_free.recall.value, found.coverage.share) == (0, None, None)


def test_the_order_of_events_moves_nothing() -> None:
    values, tasks = [0.0, 1.0, 0.5, 1.0, 0.25, 1.0], ["e", "a", "c", "b", "d", "a"]
    forward = columns(*({"recall": value} for value in values), tasks=tasks)
    backward = columns(*({"recall": value} for value in reversed(values)), tasks=tasks[::-1])
    assert summarise(forward, judge_id="j") == summarise(backward, judge_id="j")


def test_a_seed_fixes_every_number() -> None:
    events = traffic(200, tasks=80)
    assert summarise(events, judge_id="j", seed=1) == summarise(events, judge_id="j", seed=1)
    assert summarise(events, judge_id="j", seed=1) != summarise(events, judge_id="j", seed=2)
