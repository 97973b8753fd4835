"""What a judge is asked and what it answers: the four questions of the one `Judge` protocol."""

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from .base import Record
from .verdict import Evidence


class Question(StrEnum):
    REQUIREMENTS = "requirements"
    SUPPORT = "support"
    GROUNDED = "grounded"
    CORRECT = "correct"


class JudgeIdentity(Record):
    """Who judged. Scores of different identities are never averaged together.

    `model_digest` covers weights, heads and calibration (or the model name a server returned),
    `prompt_digest` every
    prompt; `settings` is whatever else can move a verdict.
    """

    name: str
    kind: Literal["embedded", "decision", "llm", "custom"]
    model: str
    model_digest: str
    prompt_digest: str = ""
    settings: Mapping[str, Any] = Field(default_factory=dict)

    @cached_property
    def id(self) -> str:
        """`name:` and 12 hex digits of SHA-256 over the canonical JSON of all fields."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return f"{self.name}:{hashlib.sha256(canonical.encode()).hexdigest()[:12]}"


class Requirement(Record):
    """One minimal fact needed to do the task. A `slot` ("fact 1 of 2") stands for one the judge cannot
    phrase."""

    text: str
    slot: bool = False


class Usage(Record):
    """What an answer took. `cost_usd` is None when the price is not known."""

    latency_s: float = Field(default=0.0, ge=0)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    cached_calls: int = 0
    cost_usd: float | None = None


class RequirementsAnswer(Record):
    """K ≥ 1 minimal, disjoint requirements of a task, made from the task alone, never from passages."""

    requirements: tuple[Requirement, ...] = Field(min_length=1)
    estimated: bool = False
    usage: Usage = Usage()


class SupportCase(Record):
    """`passages` are texts in the caller's order; the answer does not depend on that order."""

    task: str
    requirements: tuple[Requirement, ...]
    passages: tuple[str, ...]


class Cell(Record):
    """Whether passage `passage` (0-based) supports requirement `requirement` (0-based).

    `supported` None: the judge abstains. `probability` in 0..1, None when the judge gives none.
    """

    requirement: int
    passage: int
    supported: bool | None
    probability: float | None = Field(default=None, ge=0, le=1)
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


class SupportAnswer(Record):
    """The support matrix, given by its cells of interest (every supported or unsure pair, and as many others
    as the
    judge likes), and the cited passages: ascending 0-based positions, for most judges the union of the
    supported
    cells. `unsure` are positions the judge abstains on. `estimated`: recall from this answer is an
    estimate."""

    cells: tuple[Cell, ...]
    cited: tuple[int, ...]
    unsure: tuple[int, ...] = ()
    probabilities: tuple[float | None, ...] = ()
    estimated: bool = False
    usage: Usage = Usage()


class GroundedCase(Record):
    claims: tuple[str, ...]
    source: str


class GroundedClaim(Record):
    """`supported` None: abstains. Evidence points into `/source`."""

    claim: str
    supported: bool | None
    probability: float | None = Field(default=None, ge=0, le=1)
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


class GroundedAnswer(Record):
    claims: tuple[GroundedClaim, ...]
    usage: Usage = Usage()


class CorrectCase(Record):
    question: str
    expected: tuple[str, ...]
    answer: str


class CorrectAnswer(Record):
    """`correct` None: abstains."""

    correct: bool | None
    probability: float | None = Field(default=None, ge=0, le=1)
    reason: str = ""
    usage: Usage = Usage()
