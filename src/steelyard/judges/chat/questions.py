"""Builds what a chat model is asked: the prompt with its data fenced, the reply's JSON Schema and its reader.
Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..inert import fenced, inert, mark_for
from .replies import (
    ClaimReply,
    GradeReply,
    SupportReply,
    read_claims,
    read_grade,
    read_requirements,
    read_support,
)
from .templates import template

MAX_REQUIREMENTS = 12

T = TypeVar("T")


@dataclass(frozen=True)
class Prompt(Generic[T]):
    """One question to a chat model. `read` takes the reply's text and raises `UnreadableReply`."""

    name: str
    system: str
    user: str
    schema: dict[str, Any]
    read: Callable[[str], T]


def ask_requirements(task: str) -> Prompt[tuple[str, ...]]:
    """The requirements of a task. There is no way to hand passages in, on purpose."""
    schema = _object(
        requirements={
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": MAX_REQUIREMENTS,
        }
    )
    return _prompt(
        "requirements", [("task", task)], schema, lambda text: read_requirements(text, most=MAX_REQUIREMENTS)
    )


def ask_support(
    task: str, requirements: Sequence[str], passages: Sequence[str]
) -> Prompt[tuple[SupportReply, ...]]:
    """Which passages support which requirement: one reply a requirement, in order."""
    wanted = [f"R{number}" for number in range(1, len(requirements) + 1)]
    known = [f"P{number}" for number in range(1, len(passages) + 1)]
    row = _object(
        reason={"type": "string"},
        passages={"type": "array", "items": _object(passage=_one_of(known), quote={"type": "string"})},
    )
    blocks = [("task", task), *zip(wanted, requirements, strict=True), *zip(known, passages, strict=True)]
    schema = _object(**dict.fromkeys(wanted, row))
    return _prompt(
        "support", blocks, schema, lambda text: read_support(text, requirements=wanted, passages=known)
    )


def ask_grounded(claims: Sequence[str], source: str) -> Prompt[tuple[ClaimReply, ...]]:
    """Whether the source supports each claim: one reply a claim, in order."""
    wanted = [f"C{number}" for number in range(1, len(claims) + 1)]
    row = _object(
        reason={"type": "string"}, supported=_one_of(["yes", "no", "unsure"]), quote={"type": "string"}
    )
    blocks = [("source", source), *zip(wanted, claims, strict=True)]
    schema = _object(**dict.fromkeys(wanted, row))
    return _prompt("grounded", blocks, schema, lambda text: read_claims(text, claims=wanted))


def ask_correct(question: str, expected: Sequence[str], answer: str) -> Prompt[GradeReply]:
    """Whether the answer says what one of the expected answers says."""
    schema = _object(reason={"type": "string"}, verdict=_one_of(["correct", "incorrect", "unsure"]))
    labels = [f"E{number}" for number in range(1, len(expected) + 1)]
    blocks = [("question", question), *zip(labels, expected, strict=True), ("answer", answer)]
    return _prompt("correct", blocks, schema, read_grade)


def repair(problem: str) -> str:
    """The user message after a reply that cannot be read."""
    return template("repair").ask.replace("{problem}", problem)


def _prompt(
    name: str, blocks: Sequence[tuple[str, str]], schema: dict[str, Any], read: Callable[[str], T]
) -> Prompt[T]:
    texts = [(label, inert(text)) for label, text in blocks]
    mark = mark_for(text for _, text in texts)
    data = "\n".join(fenced(label, text, mark=mark) for label, text in texts)
    wording = template(name)
    return Prompt(name, wording.system, f"Mark: {mark}\n\n{data}\n\n{wording.ask}", schema, read)


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _one_of(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}
