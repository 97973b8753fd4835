"""One paid call to a provider, done properly: ledger first, then budget, limits, retries and the account of
it.

The same for every remote judge and every path: an `Exchange` says what to send and how to read it.
"""

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from steelyard.schemas.judging import Usage
from steelyard.schemas.verdict import Unscored, UnscoredReason

from .backoff import LONGEST_S, delay, is_retryable, retry_after
from .budget import Budget, Flights
from .calls import Call, Ledger, Limiter, Waiting
from .settings import RemoteSettings
from .wire import Dropped, Reply, checked_url

LIMIT_WAIT_S = 600.0


@dataclass(frozen=True, kw_only=True)
class Finished:
    """What was read from a complete reply: `reply` is kept in the ledger, `model` is what the server calls
    itself."""

    reply: str
    model: str
    prompt_tokens: int
    completion_tokens: int


class Unfinished(Exception):
    """A reply that is no answer: cut off or not in the wire's shape. `again`: it may be whole the next
    time."""

    def __init__(self, what: str, *, again: bool) -> None:
        super().__init__(what)
        self.what = what
        self.again = again


class Exchange(Protocol):
    """One request. `digest` names it in the ledger; `prompt_tokens` and `reply_tokens` are upper
    estimates."""

    @property
    def digest(self) -> str: ...

    @property
    def prompt_tokens(self) -> int: ...

    @property
    def reply_tokens(self) -> int: ...

    def send(self, *, no_store: bool) -> Reply:
        """Sends once; raises `Dropped`."""
        ...

    def read(self, body: object) -> Finished:
        """Reads a parsed reply of status 200; raises `Unfinished`."""
        ...

    def adapt(self, reply: Reply) -> bool:
        """After 400, 422 or 501: whether the request was changed so that the server may take it."""
        ...

    def explain(self, reply: Reply) -> Unscored | None:
        """What a status means on this wire; None for what it means anywhere."""
        ...


@dataclass(frozen=True)
class Paid:
    """A finished call, and whether it came from the ledger."""

    call: Call
    cached: bool

    @property
    def usage(self) -> Usage:
        if self.cached:
            return Usage(cached_calls=1, cost_usd=None if self.call.cost_usd is None else 0.0)
        return Usage(
            latency_s=self.call.latency_s,
            prompt_tokens=self.call.prompt_tokens,
            completion_tokens=self.call.completion_tokens,
            calls=1,
            cost_usd=self.call.cost_usd,
        )


def total(usages: list[Usage]) -> Usage:
    """The sum. The cost is None as soon as one is not known."""
    costs = [usage.cost_usd for usage in usages]
    return Usage(
        latency_s=sum(usage.latency_s for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        calls=sum(usage.calls for usage in usages),
        cached_calls=sum(usage.cached_calls for usage in usages),
        cost_usd=None if not costs or None in costs else sum(cost for cost in costs if cost is not None),
    )


def request_digest(base_url: str, request: Mapping[str, Any]) -> str:
    """SHA-256 hex over the provider's address and the canonical request."""
    canonical = json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{base_url}\n{canonical}".encode()).hexdigest()


def unavailable(detail: str) -> Unscored:
    return Unscored(reason=UnscoredReason.JUDGE_UNAVAILABLE, detail=detail)


def unreadable(detail: str) -> Unscored:
    return Unscored(reason=UnscoredReason.UNREADABLE_REPLY, detail=detail)


def missing(detail: str) -> Unscored:
    return Unscored(reason=UnscoredReason.MISSING_DATA, detail=detail)


def count(value: object, estimate: int) -> int:
    """A server's count of tokens, or our estimate where it gives none that can be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else estimate


class Caller:
    """Everything shared by the calls to one provider. `fresh` callers share it too, but never read the
    ledger."""

    def __init__(
        self,
        settings: RemoteSettings,
        *,
        ledger: Ledger,
        limiter: Limiter,
        waiting: Waiting,
        fresh: bool = False,
    ) -> None:
        self.provider = checked_url(settings.base_url)
        self.settings = settings
        self.fresh = fresh
        self._ledger, self._limiter, self._waiting = ledger, limiter, waiting
        self._slots = threading.BoundedSemaphore(settings.concurrency)
        self._closed = threading.Event()
        self._flights = Flights()
        self._budget = Budget(settings, ledger=ledger, provider=self.provider)

    def refreshed(self) -> Self:
        """The same caller, past the ledger: every call is made and paid. Limits and budget stay shared."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, fresh=True)
        return other

    def close(self) -> None:
        """Ends all waiting; calls asked for afterwards are unscored."""
        self._closed.set()

    def ask(self, exchange: Exchange) -> Paid | Unscored:
        """The finished call for this exchange, from the ledger or newly paid. Never raises for what a server
        does."""
        if self.fresh:
            return self._pay(exchange)
        with self._flights.alone(exchange.digest):
            known = self._ledger.find(exchange.digest)
            return Paid(known, cached=True) if known is not None else self._pay(exchange)

    def _pay(self, exchange: Exchange) -> Paid | Unscored:
        worst = self.cost(exchange.prompt_tokens, exchange.reply_tokens) or 0.0
        stop = self._budget.reserve(worst)
        if stop is not None:
            return _limit(stop)
        paid: Paid | Unscored | None = None
        try:
            paid = self._attempts(exchange)
        finally:
            self._budget.settle(worst, paid.call if isinstance(paid, Paid) else None)
        return paid

    def _attempts(self, exchange: Exchange) -> Paid | Unscored:
        failure = unavailable("the server was not asked")
        attempt = 0
        while True:
            stop = self._wait_for_limits(exchange)
            if stop is not None:
                return stop
            started = time.perf_counter()
            wait: float | None = None
            try:
                with self._slots:
                    if self._closed.is_set():
                        return unavailable("the judge is closed")
                    started = time.perf_counter()
                    reply = exchange.send(no_store=self.fresh)
                if reply.status == 200:
                    return self._account(exchange, exchange.read(_json(reply)), time.perf_counter() - started)
                if reply.status in (400, 422, 501) and exchange.adapt(reply):
                    continue
                explained = exchange.explain(reply)
                if explained is not None:
                    return explained
                failure = _refusal_to_serve(reply)
                if not is_retryable(reply.status):
                    return failure
                wait = retry_after(reply.headers, now=self._waiting.now())
            except Dropped as problem:
                failure = unavailable(problem.what)
                if not problem.again:
                    return unreadable(problem.what)
            except Unfinished as problem:
                failure = unreadable(problem.what)
                if not problem.again:
                    return failure
            if attempt >= self.settings.retries:
                return failure.model_copy(update={"detail": f"{failure.detail} (asked {attempt + 1} times)"})
            self._sleep(wait if wait is not None else delay(attempt, jitter=self._waiting.jitter()))
            if self._closed.is_set():
                return unavailable("the judge was closed while it waited to ask again")
            attempt += 1

    def _wait_for_limits(self, exchange: Exchange) -> Unscored | None:
        per_minute = self.settings.tokens_per_minute
        tokens = exchange.prompt_tokens + exchange.reply_tokens
        waited = 0.0
        while True:
            if self._closed.is_set():
                return unavailable("the judge is closed")
            wait = self._limiter.acquire(
                self.provider,
                tokens=tokens if per_minute is None else min(tokens, per_minute),
                requests_per_minute=self.settings.requests_per_minute,
                tokens_per_minute=per_minute,
            )
            if wait <= 0:
                return None
            if waited >= LIMIT_WAIT_S:
                return _limit(f"the rate limit left no room for {waited:.0f} s")
            wait = min(wait, LONGEST_S)
            self._sleep(wait)
            waited += wait

    def _account(self, exchange: Exchange, finished: Finished, latency_s: float) -> Paid:
        # A fresh call is paid and counted, but under a name of its own: nobody ever finds it in the ledger.
        digest = hashlib.sha256(secrets.token_bytes(32)).hexdigest() if self.fresh else exchange.digest
        call = Call(
            digest=digest,
            provider=self.provider,
            model=finished.model,
            reply=finished.reply,
            prompt_tokens=finished.prompt_tokens,
            completion_tokens=finished.completion_tokens,
            cost_usd=self.cost(finished.prompt_tokens, finished.completion_tokens),
            latency_s=latency_s,
        )
        return Paid(call, cached=False)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """USD, or None when a price that matters is not known."""
        cost = 0.0
        for tokens, price in (
            (prompt_tokens, self.settings.usd_per_million_prompt_tokens),
            (completion_tokens, self.settings.usd_per_million_completion_tokens),
        ):
            if tokens and price is None:
                return None
            cost += tokens * (price or 0.0) / 1e6
        return cost

    def _sleep(self, seconds: float) -> None:
        if self._waiting.sleep is not None:
            self._waiting.sleep(seconds)
        else:
            self._closed.wait(seconds)


def _limit(detail: str) -> Unscored:
    return Unscored(reason=UnscoredReason.LIMIT_REACHED, detail=detail)


def _json(reply: Reply) -> object:
    try:
        return json.loads(reply.text)
    except (ValueError, RecursionError):
        if reply.is_html:
            raise Unfinished(
                "the server answered with a web page, not JSON: check the address of the judge", again=False
            ) from None
        raise Unfinished("the server's answer is not complete JSON", again=True) from None


def _refusal_to_serve(reply: Reply) -> Unscored:
    """Our own words for a status: the server's may repeat the key."""
    if reply.status in (401, 403):
        return unavailable(f"the server does not accept the key (HTTP {reply.status})")
    if reply.status == 404:
        return unavailable(
            "the server knows no such model or path (HTTP 404): check the address and the model"
        )
    if reply.status == 429:
        return unavailable("the server has too many requests (HTTP 429)")
    if 300 <= reply.status < 400:
        return unavailable(f"the server sends elsewhere (HTTP {reply.status}), which is not followed")
    return unavailable(f"the server answered HTTP {reply.status}")
