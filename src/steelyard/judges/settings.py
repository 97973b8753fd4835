"""How a remote judge is reached: one provider's address, model, limits and prices."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from steelyard.errors import ConfigurationError


class RemoteSettings(BaseModel):
    """One provider. `base_url` without a trailing slash; prices in USD a million tokens, None when unknown.

    `requests_per_minute`, `tokens_per_minute`: None for no limit; they are shared by all workers through the
    store. `budget_usd`, `budget_calls`: a hard stop for all workers together, counted from the ledger; None
    for none. `abstain_below`: a decision model whose confidence max(p, 1 - p) is lower abstains.
    `chars_per_call`: how much text under judgement one call carries; longer texts are read in windows.
    `questions_per_call` (decision models): None for the wire's own limit. `returned_model`: the exact model
    id a server must report; answers of another are refused.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str
    model: str
    api_key: SecretStr | None = None
    timeout_s: float = Field(default=60.0, gt=0)
    retries: int = Field(default=4, ge=0, le=10)
    concurrency: int = Field(default=4, ge=1, le=256)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    usd_per_million_prompt_tokens: float | None = Field(default=None, ge=0)
    usd_per_million_completion_tokens: float | None = Field(default=None, ge=0)
    budget_usd: float | None = Field(default=None, gt=0)
    budget_calls: int | None = Field(default=None, ge=1)
    abstain_below: float = Field(default=0.0, ge=0, le=1)
    chars_per_call: int = Field(default=24_000, ge=500)
    max_reply_tokens: int = Field(default=2048, ge=64)
    questions_per_call: int | None = Field(default=None, ge=1, le=400)
    returned_model: str | None = None

    @classmethod
    def checked(cls, **fields: Any) -> Self:
        """Settings from whatever was configured; raises `ConfigurationError` naming the field, never its
        value."""
        try:
            return cls(**fields)
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            name = ".".join(str(part) for part in first["loc"])
            known = ", ".join(
                name for name in cls.model_fields if name not in ("base_url", "model", "api_key")
            )
            raise ConfigurationError(
                f"the settings of the remote judge: {first['msg']}",
                field=f"remote.{name}",
                hint=f"Known are {known}.",
            ) from None
