"""The two wires of decision models, each a way to turn a call into an exchange: System One and OpenAI
Decisions."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import httpx2

from steelyard.schemas.verdict import Unscored, UnscoredReason

from ..calling import Exchange, Finished, Unfinished, count, request_digest, unavailable
from ..sdk import exchange, headers_for, open_sdk
from ..settings import RemoteSettings
from ..wire import Reply, dropped, open_client
from .beliefs import Belief, dump, read_decisions, read_systemone
from .questions import Asked

TOKENS_PER_ANSWER = 8
NO_DECISION_MODEL = "this server has no decision model: choose another model, or the judge llm"


class Wire(Protocol):
    @property
    def most_questions(self) -> int:
        """How many questions one call may carry."""
        ...

    def exchange(self, asked: Asked) -> Exchange: ...

    def close(self) -> None: ...


class SystemOneWire:
    """`POST {base}/v1/systemone`, by httpx2. Hosts take 10 questions a call."""

    most_questions = 10

    def __init__(self, settings: RemoteSettings) -> None:
        self._model, self._returned_model = settings.model, settings.returned_model
        base = settings.base_url.rstrip("/")
        self._url = f"{base}/systemone" if base.endswith("/v1") else f"{base}/v1/systemone"
        key = settings.api_key
        self._headers = {} if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}
        self._client = open_client(
            settings.base_url, timeout_s=settings.timeout_s, concurrency=settings.concurrency
        )

    def exchange(self, asked: Asked) -> "DecisionExchange":
        questions = {
            name: {"type": "noul", "instructions": wording} for name, wording in asked.questions.items()
        }
        body = {"model": self._model, "state": asked.state, "questions": questions}
        return DecisionExchange(
            provider=self._url,
            body=body,
            ids=tuple(asked.questions),
            post=lambda no_store: self._post(body, no_store=no_store),
            beliefs=self._beliefs,
            returned_model=self._returned_model,
        )

    def close(self) -> None:
        self._client.close()

    def _post(self, body: Mapping[str, Any], *, no_store: bool) -> Reply:
        headers = {**self._headers, **({"Cache-Control": "no-store"} if no_store else {})}
        try:
            response = self._client.post(self._url, json=body, headers=headers)
        except httpx2.HTTPError as error:
            raise dropped(error) from None
        return Reply(response.status_code, response.headers, response.text)

    @staticmethod
    def _beliefs(answers: object, ids: Sequence[str]) -> list[Belief] | None:
        return read_systemone(answers, ids) if isinstance(answers, dict) else None


class OpenAIDecisionsWire:
    """`client.decisions` of the `openai` SDK: up to 400 predicates a call."""

    most_questions = 400

    def __init__(self, settings: RemoteSettings) -> None:
        self._model, self._returned_model = settings.model, settings.returned_model
        self._client = open_sdk(settings)

    def exchange(self, asked: Asked) -> "DecisionExchange":
        text = json.dumps(asked.state, ensure_ascii=False)
        body = {"model": self._model, "input": text, "questions": asked.questions}
        return DecisionExchange(
            provider=f"{str(self._client.base_url).rstrip('/')}/decisions",
            body=body,
            ids=tuple(asked.questions),
            post=lambda no_store: self._post(text, asked.questions, no_store=no_store),
            beliefs=self._beliefs,
            returned_model=self._returned_model,
        )

    def close(self) -> None:
        self._client.close()

    def _post(self, text: str, questions: Mapping[str, str], *, no_store: bool) -> Reply:
        return exchange(
            lambda: (
                self._client.decisions.with_raw_response.create(
                    model=self._model,
                    input=text,
                    questions=[
                        {"type": "predicate", "name": name, "instructions": wording}
                        for name, wording in questions.items()
                    ],
                    extra_headers=headers_for(self._client, no_store=no_store),
                ).http_response
            )
        )

    @staticmethod
    def _beliefs(answers: object, ids: Sequence[str]) -> list[Belief] | None:
        return read_decisions(answers, ids) if isinstance(answers, list) else None


@dataclass
class DecisionExchange:
    """Implements `calling.Exchange`. The reply kept in the ledger is the list of beliefs, in question
    order."""

    provider: str
    body: Mapping[str, Any] = field(repr=False)
    ids: tuple[str, ...]
    post: Callable[[bool], Reply] = field(repr=False)
    beliefs: Callable[[object, Sequence[str]], list[Belief] | None] = field(repr=False)
    returned_model: str | None = None

    @cached_property
    def digest(self) -> str:
        return request_digest(self.provider, self.body)

    @cached_property
    def prompt_tokens(self) -> int:
        """An upper estimate: 3 bytes of JSON a token."""
        return len(json.dumps(self.body, ensure_ascii=False).encode()) // 3

    @property
    def reply_tokens(self) -> int:
        return TOKENS_PER_ANSWER * len(self.ids)

    def send(self, *, no_store: bool) -> Reply:
        return self.post(no_store)

    def adapt(self, reply: Reply) -> bool:  # noqa: ARG002 - these wires have nothing optional
        return False

    def explain(self, reply: Reply) -> Unscored | None:
        if reply.status == 501:
            return unavailable(f"{NO_DECISION_MODEL} (HTTP 501)")
        if reply.status == 404:
            return unavailable(
                "the server has no such decision model or wire (HTTP 404): check the address and the model"
            )
        if reply.status == 413:
            return Unscored(
                reason=UnscoredReason.LIMIT_REACHED,
                detail="the question is longer than the server takes: lower chars_per_call",
            )
        return None

    def read(self, body: object) -> Finished:
        found = self.beliefs(body.get("answers"), self.ids) if isinstance(body, dict) else None
        if found is None or not isinstance(body, dict):
            raise Unfinished("the server's answer is no list of decisions", again=False)
        model = body["model"][:200] if isinstance(body.get("model"), str) else ""
        if self.returned_model is not None and model != self.returned_model:
            raise Unfinished("another model answered than the one settings insist on", again=False)
        usage = body["usage"] if isinstance(body.get("usage"), dict) else {}
        return Finished(
            reply=dump(found),
            model=model,
            prompt_tokens=count(usage.get("input_tokens"), self.prompt_tokens),
            completion_tokens=count(usage.get("output_tokens"), 0),
        )
