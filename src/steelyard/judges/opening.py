"""Opens a judge by name. Each kind is imported only when asked for: the light parts stay light."""

from steelyard.errors import ConfigurationError

from .calls import Ledger, Limiter, MemoryLedger, NoLimit
from .protocol import Judge
from .settings import RemoteSettings


def open_judge(
    name: str,
    *,
    remote: RemoteSettings | None = None,
    threads: int = 1,
    ledger: Ledger | None = None,
    limiter: Limiter | None = None,
) -> Judge:
    """The judge called `name`: `embedded`, `lexical`, `llm`, `systemone` or `openai-decisions`.

    `remote` is needed by the last three. `ledger` and `limiter` are shared by all workers when they come from
    the store; by default they serve this process alone. Nothing is sent anywhere until the first question.
    Raises `ConfigurationError` for an unknown name or a remote judge without its settings.
    """
    if name == "embedded":
        from .embedded import EmbeddedJudge

        return EmbeddedJudge.load(threads=threads)
    if name == "lexical":
        from .lexical import LexicalJudge

        return LexicalJudge()
    if name not in REMOTE:
        raise ConfigurationError(
            f"there is no judge {name!r}", field="judge", hint=f"Choose one of {', '.join(JUDGES)}."
        )
    if remote is None:
        raise ConfigurationError(
            f"the judge {name!r} needs an address and a model", field="judge", hint="See docs/judges.md."
        )
    ledger, limiter = ledger or MemoryLedger(), limiter or NoLimit()
    if name == "llm":
        from .chat import ChatJudge

        return ChatJudge(remote, ledger=ledger, limiter=limiter)

    def splitter() -> Judge:
        from .embedded import EmbeddedJudge

        return EmbeddedJudge.load(threads=threads)

    if name == "systemone":
        from .decisions import SystemOneJudge

        return SystemOneJudge(remote, ledger=ledger, limiter=limiter, requirements_from=splitter)
    from .decisions import OpenAIDecisionsJudge

    return OpenAIDecisionsJudge(remote, ledger=ledger, limiter=limiter, requirements_from=splitter)


REMOTE = ("llm", "systemone", "openai-decisions")
JUDGES = ("embedded", "lexical", *REMOTE)
