"""The shipped parts of the judge (`steelyard-judge`): what each file must be, and the heads' numbers."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from steelyard.errors import JudgeError
from steelyard.schemas.base import Record

from .heads import Calibration

HINT = "Install it again: pip install --force-reinstall steelyard-judge."


class Decision(Record):
    """How a margin becomes yes, no or unsure: yes from `threshold` on, unsure strictly between `low` and
    `high`."""

    features: tuple[str, ...]
    calibration: Calibration
    threshold: float = Field(ge=0, le=1)
    low: float = Field(ge=0, le=1)
    high: float = Field(ge=0, le=1)

    def decide(self, probability: float) -> bool | None:
        if self.low < probability < self.high:
            return None
        return probability >= self.threshold


class Heads(Record):
    """`support_first` calibrates stage one, `support` stage two; `counts` are the heads for at least 1, 2, …
    relevant passages of a list, `facts` for K ≥ 2, 3, … of a task alone."""

    support_first: Decision
    support: Decision
    counts: tuple[Decision, ...]
    grounded: Decision
    correct: Decision
    facts: tuple[Decision, ...]


@dataclass(frozen=True)
class Files:
    """`digest` covers the encoder, the tokenizer and every head."""

    folder: Path
    digest: str
    model: str

    @classmethod
    def shipped(cls) -> "Files":
        try:
            import steelyard_judge
        except ImportError:
            raise JudgeError(
                "the embedded judge's weights are not installed", hint="Install steelyard[server]."
            ) from None
        try:
            manifest = cls._json(steelyard_judge.path("manifest.json"))
        except FileNotFoundError as problem:
            raise JudgeError(str(problem), hint=HINT) from None
        return cls(folder=steelyard_judge.path("."), digest=manifest["digest"], model=manifest["model"])

    def heads(self) -> Heads:
        path = self.folder / "heads.json"
        try:
            return Heads.model_validate(self._json(path))
        except ValidationError as problem:
            raise JudgeError(f"{path} is damaged: {problem.errors()[0]['msg']}", hint=HINT) from None

    def trees(self, name: str) -> bytes:
        path = self.folder / f"{name}.onnx"
        try:
            return path.read_bytes()
        except OSError as problem:
            raise JudgeError(f"{path} cannot be read: {problem.strerror}", hint=HINT) from None

    @staticmethod
    def _json(path: Path) -> Any:
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise JudgeError(f"{path} cannot be read: {problem}", hint=HINT) from None
