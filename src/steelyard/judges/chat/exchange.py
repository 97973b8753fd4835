"""One chat completion as an exchange: what is sent, what a server may refuse of it, and how its reply is
read."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import openai
from openai import omit
from openai.types.chat import ChatCompletionMessageParam
from openai.types.shared_params.response_format_json_schema import ResponseFormatJSONSchema

from steelyard.schemas.verdict import Unscored, UnscoredReason

from ..backoff import is_retryable
from ..calling import Finished, Unfinished, count, request_digest
from ..sdk import exchange, headers_for
from ..wire import Reply

SEED = 20_260_101

# What a server may refuse, in the order in which it is dropped when the server does not say which it is, with
# the words by which servers name it.
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "json_schema": ("response_format", "json_schema", "json schema", "structured", "grammar"),
    "seed": ("seed",),
    "temperature": ("temperature",),
    "max_tokens": ("max_tokens",),
    "system_role": ("system role", "system message", "developer instruction"),
}
TOO_LONG = (
    "context length",
    "context_length",
    "context size",
    "exceed_context_size",
    "too long",
    "too many tokens",
)
FILTERED = ("content_filter", "content_policy", "responsibleai")


@dataclass
class Habits:
    """What this server was found not to honour, and what it calls itself; shared by all calls to it."""

    not_honoured: frozenset[str] = frozenset()
    returned: frozenset[str] = frozenset()
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def learn(self, *, not_honoured: frozenset[str], returned: str) -> None:
        with self._lock:
            self.not_honoured |= not_honoured
            self.returned |= {returned}


@dataclass(frozen=True)
class Content:
    """The reply kept in the ledger: the text, or that the model refused, or that it was cut off."""

    text: str
    refused: bool
    cut_off: bool

    def dump(self) -> str:
        return json.dumps({"text": self.text, "refused": self.refused, "cut_off": self.cut_off})

    @classmethod
    def load(cls, reply: str) -> "Content":
        fields = json.loads(reply)
        return cls(fields["text"], fields["refused"], fields["cut_off"])


@dataclass
class ChatExchange:
    """Implements `calling.Exchange`.

    The digest is that of the request as meant, whatever of it a server then refuses: an answer got without a
    seed is found again without asking with one first.
    """

    client: openai.OpenAI = field(repr=False)
    model: str
    messages: Sequence[Mapping[str, str]]
    schema_name: str
    schema: Mapping[str, Any]
    reply_tokens: int
    habits: Habits
    returned_model: str | None = None
    dropped: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.dropped |= self.habits.not_honoured

    @cached_property
    def digest(self) -> str:
        request = {
            "model": self.model,
            "messages": list(self.messages),
            "response_format": self._format(),
            "temperature": 0,
            "seed": SEED,
            "max_tokens": self.reply_tokens,
        }
        return request_digest(str(self.client.base_url), request)

    @property
    def prompt_tokens(self) -> int:
        """An upper estimate: 3 bytes of UTF-8 a token and some for each message."""
        return sum(len(message["content"].encode()) // 3 + 8 for message in self.messages)

    def send(self, *, no_store: bool) -> Reply:
        uses = {name: name not in self.dropped for name in OPTIONS}
        messages = list(self.messages) if uses["system_role"] else _without_system(self.messages)
        create = self.client.chat.completions.with_raw_response.create
        return exchange(
            lambda: (
                create(
                    model=self.model,
                    messages=cast(list[ChatCompletionMessageParam], messages),
                    response_format=self._format() if uses["json_schema"] else omit,
                    temperature=0 if uses["temperature"] else omit,
                    seed=SEED if uses["seed"] else omit,
                    max_tokens=self.reply_tokens if uses["max_tokens"] else omit,
                    max_completion_tokens=omit if uses["max_tokens"] else self.reply_tokens,
                    extra_headers=headers_for(self.client, no_store=no_store),
                ).http_response
            )
        )

    def adapt(self, reply: Reply) -> bool:
        """Drops the option that the server names, else the next one; never for a prompt that is too long."""
        said = reply.text[:4000].lower()
        if any(word in said for word in (*TOO_LONG, *FILTERED)):
            return False
        left = [name for name in OPTIONS if name not in self.dropped]
        named = [name for name in left if any(word in said for word in OPTIONS[name])]
        # `max_tokens` and the system role are dropped only on the server's word: a guess costs the reply's
        # bound.
        guesses = [name for name in left if name in ("json_schema", "seed", "temperature")]
        choice = (named or guesses)[:1]
        self.dropped |= frozenset(choice)
        return bool(choice)

    def explain(self, reply: Reply) -> Unscored | None:
        said = reply.text[:4000].lower()
        if reply.status not in (400, 403, 413, 422):
            return None
        if any(word in said for word in FILTERED):
            return Unscored(
                reason=UnscoredReason.REFUSED, detail="the server's content filter refused the question"
            )
        if reply.status == 413 or any(word in said for word in TOO_LONG):
            return Unscored(
                reason=UnscoredReason.LIMIT_REACHED,
                detail="the question is longer than the model's context: lower chars_per_call",
            )
        return None

    def read(self, body: object) -> Finished:
        if not isinstance(body, dict):
            raise Unfinished("the server's answer is no chat completion", again=False)
        error = body.get("error")
        if isinstance(error, dict):
            code = error.get("code")
            again = isinstance(code, int) and is_retryable(code)
            raise Unfinished("the server answered with an error inside a success", again=again)
        model = body["model"] if isinstance(body.get("model"), str) else ""
        if self.returned_model is not None and model != self.returned_model:
            raise Unfinished("another model answered than the one settings insist on", again=False)
        content = _content(body)
        fingerprint = body.get("system_fingerprint")
        returned = f"{model}@{fingerprint}" if isinstance(fingerprint, str) and fingerprint else model
        self.habits.learn(not_honoured=self.dropped, returned=returned[:200])
        usage = body.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        return Finished(
            reply=content.dump(),
            model=returned[:200],
            prompt_tokens=count(usage.get("prompt_tokens"), self.prompt_tokens),
            completion_tokens=count(usage.get("completion_tokens"), len(content.text.encode()) // 3 + 1),
        )

    def _format(self) -> ResponseFormatJSONSchema:
        return {
            "type": "json_schema",
            "json_schema": {"name": self.schema_name, "schema": dict(self.schema), "strict": True},
        }


def _without_system(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    first, *rest = [message for message in messages if message["role"] != "system"]
    return [{**first, "content": f"{system}\n\n{first['content']}"}, *rest]


def _content(body: Mapping[str, Any]) -> Content:
    try:
        choice = body["choices"][0]
        message = choice["message"]
        text, refusal = message.get("content"), message.get("refusal")
        finish = choice.get("finish_reason")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Unfinished("the server's answer is no chat completion", again=False) from None
    if isinstance(text, list):
        text = "".join(
            part["text"] for part in text if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if text is not None and not isinstance(text, str):
        raise Unfinished("the server's answer is no chat completion", again=False)
    refused = (isinstance(refusal, str) and bool(refusal.strip())) or finish == "content_filter"
    return Content(text or "", refused=refused, cut_off=finish == "length")
