"""The two bases of all models: strict input that refuses what it does not know, and frozen output."""

from pydantic import BaseModel, ConfigDict


class Input(BaseModel):
    """What a caller sends: strict types, unknown fields refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Record(BaseModel):
    """What we make: frozen, finite numbers only."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
