"""The server's settings: flags over `STEELYARD_*` over a TOML file (`STEELYARD_CONFIG`, else
`steelyard.toml` in the data folder) over these defaults. The client's own two (`STEELYARD_URL`,
`STEELYARD_API_KEY`) are not here."""

import os
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from steelyard.errors import ConfigurationError
from steelyard.judges.settings import RemoteSettings
from steelyard.schemas.event import Limits

JudgeName = Literal["embedded", "lexical", "llm", "systemone", "openai-decisions"]


def default_data() -> Path:
    """`$XDG_DATA_HOME/steelyard`, else `~/.local/share/steelyard`."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "steelyard"


class Settings(BaseSettings):
    """`database_url` None means the SQLite file `steelyard.sqlite` in `data`. Times are seconds."""

    model_config = SettingsConfigDict(
        env_prefix="STEELYARD_", env_nested_delimiter="__", extra="ignore", frozen=True
    )

    data: Path = Field(default_factory=default_data)
    config: Path | None = None
    database_url: SecretStr | None = None
    host: str = "127.0.0.1"
    port: int = Field(default=8321, ge=0, le=65535)
    allowed_hosts: tuple[str, ...] = ()
    project: str = "default"
    judge: JudgeName = "embedded"
    judge_threads: int = Field(default=1, ge=1, le=64)
    worker: bool = True
    """Whether `serve` evaluates too, or leaves that to `steelyard worker` (PostgreSQL)."""
    concurrency: int = Field(default=1, ge=1, le=64)
    lease_s: float = Field(default=30.0, gt=0)
    max_attempts: int = Field(default=5, ge=1)
    batch_size: int = Field(default=32, ge=1, le=32)
    max_queued: int = Field(default=1_000_000, ge=1)
    retention_days: float | None = Field(default=None, gt=0)
    retention_events: int | None = Field(default=None, ge=1)
    limits: Limits = Limits()

    llm_base_url: str | None = None
    llm_model: str | None = None
    llm_api_key: SecretStr | None = None
    decision_base_url: str | None = None
    decision_model: str | None = None
    decision_api_key: SecretStr | None = None
    remote: dict[str, Any] = Field(default_factory=dict)
    """Further fields of `RemoteSettings` for the remote judge in use: limits, prices, budget."""

    @field_validator("*", mode="before")
    @classmethod
    def _utf8(cls, value: Any, info: ValidationInfo) -> Any:
        """Shells hand bytes that are not UTF-8 on as lone surrogates: paths may hold them, text may not."""
        if isinstance(value, str) and info.field_name not in ("data", "config"):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise PydanticCustomError("text", "the setting is not UTF-8") from None
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the base class hands it in
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        given = {**env_settings(), **init_settings()}
        explicit = given.get("config")
        path = Path(explicit) if explicit else Path(given.get("data") or default_data()) / "steelyard.toml"
        if explicit and not path.is_file():
            raise ConfigurationError(f"the settings file {path} does not exist", field="config")
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls, path))

    @classmethod
    def load(cls, **flags: Any) -> Self:
        """Settings with the given flags (None: not given); raises `ConfigurationError` naming the setting."""
        try:
            return cls(**{name: value for name, value in flags.items() if value is not None})
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            name = "_".join(str(part) for part in first["loc"]) or "settings"
            raise ConfigurationError(
                f"{first['msg']}",
                field=name,
                hint=f"Set --{name.replace('_', '-')} or STEELYARD_{name.upper()}.",
            ) from None

    @property
    def url(self) -> str:
        """The database URL, `sqlite:////…/steelyard.sqlite` by default."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite:///{self.data.absolute() / 'steelyard.sqlite'}"

    def remote_settings(self) -> RemoteSettings:
        """The provider of the chosen remote judge; raises `ConfigurationError` when it is not set."""
        prefix = "llm" if self.judge == "llm" else "decision"
        base_url, model = getattr(self, f"{prefix}_base_url"), getattr(self, f"{prefix}_model")
        for name, value in (("base_url", base_url), ("model", model)):
            if not value:
                setting = f"{prefix}_{name}"
                raise ConfigurationError(
                    f"the judge {self.judge!r} needs {setting}",
                    field=setting,
                    hint=f"Set STEELYARD_{setting.upper()}.",
                )
        key = getattr(self, f"{prefix}_api_key")
        return RemoteSettings.checked(base_url=base_url.rstrip("/"), model=model, api_key=key, **self.remote)
