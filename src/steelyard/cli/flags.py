"""The settings that commands share, as flags. A flag not given leaves its setting to the environment and the
file."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter

_GROUP = Group("Settings", sort_key=99)

JudgeChoice = Literal["embedded", "lexical", "llm", "systemone", "openai-decisions"]


@Parameter(name="*", group=_GROUP)
@dataclass(frozen=True)
class StoreFlags:
    """Where things are kept."""

    data: Path | None = None
    """Folder of the SQLite database (default ~/.local/share/steelyard)."""
    database_url: str | None = None
    """Database instead of that file: postgresql://USER:PASSWORD@HOST/DATABASE."""
    config: Path | None = None
    """Settings file (default steelyard.toml in the data folder)."""
    project: str | None = None
    """Project (default: default)."""

    def given(self) -> dict[str, Any]:
        """The flags that were given, by setting."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}


@Parameter(name="*", group=_GROUP)
@dataclass(frozen=True)
class JudgeFlags(StoreFlags):
    """And who judges."""

    judge: JudgeChoice | None = None
    """Judge (default embedded)."""
    judge_threads: int | None = None
    """CPU threads of the embedded judge (default 1)."""
    concurrency: int | None = None
    """Batches evaluated at once (default 1)."""
    llm_base_url: str | None = None
    """Address of an OpenAI-compatible API, for --judge llm."""
    llm_model: str | None = None
    """Model name there."""
    decision_base_url: str | None = None
    """Address of a decision model, for --judge systemone or openai-decisions."""
    decision_model: str | None = None
    """Model name there."""


@Parameter(name="*", group=_GROUP)
@dataclass(frozen=True)
class ServeFlags(JudgeFlags):
    """And where to listen."""

    host: str | None = None
    """Address to listen on (default 127.0.0.1)."""
    port: int | None = None
    """Port (default 8321; 0 for any free one)."""


Json = Annotated[bool, Parameter(negative="", help="Print JSON on stdout.")]
Verbose = Annotated[bool, Parameter(negative="", help="Show what goes on inside, with tracebacks.")]
