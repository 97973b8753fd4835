"""`@trace`: logs the retrievals of a function without a line in its body. The function's results and
exceptions pass through untouched."""

import functools
import inspect
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from typing import Any, TypeVar

from steelyard.errors import ConfigurationError, SteelyardError

from .asynchronous import AsyncClient
from .notices import logger
from .synchronous import Client

Function = TypeVar("Function", bound=Callable[..., Any])
_MOST_ITEMS = 1_000

_default: Client | None = None
_default_failed = False
_default_lock = threading.Lock()


def _default_client() -> Client | None:
    """The client made from the environment at first use; None, said once, when that cannot be."""
    global _default, _default_failed
    with _default_lock:
        if _default is None and not _default_failed:
            try:
                _default = Client()
            except SteelyardError as problem:
                _default_failed = True
                logger.warning("@trace logs nothing: %s", problem)
        return _default


class _Recorder:
    """What the decorator was told, and how a finished call becomes an event."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        task_arg: str,
        context_arg: str | None,
        context_from_return: bool | Callable[[Any], Any],
        metadata: Mapping[str, Any] | Callable[..., Mapping[str, Any]] | None,
        sample_rate: float | None,
        client: Client | None,
    ) -> None:
        self._signature = inspect.signature(function)
        named = self._signature.parameters
        for argument in (task_arg, context_arg):
            if argument is not None and argument not in named:
                raise ConfigurationError(
                    f"{function.__qualname__} has no parameter {argument!r}",
                    field="task_arg" if argument == task_arg else "context_arg",
                    hint=f"It has: {', '.join(named) or 'none'}.",
                )
        if (context_arg is None) == (context_from_return is False):
            raise ConfigurationError(
                "trace needs either context_arg or context_from_return",
                field="context_arg",
                hint="Give one of them.",
            )
        self._task_arg, self._context_arg = task_arg, context_arg
        self._from_return, self._metadata = context_from_return, metadata
        self._sample_rate, self._client = sample_rate, client

    def record(self, args: tuple[Any, ...], kwargs: dict[str, Any], returned: Any) -> None:
        """Logs a call that went well; whatever fails here is logged, never raised."""
        try:
            client = self._client or _default_client()
            if client is None:
                return
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            context = bound.arguments[self._context_arg] if self._context_arg else self._context_of(returned)
            metadata = self._metadata(**bound.arguments) if callable(self._metadata) else self._metadata
            client.log(
                bound.arguments[self._task_arg], context, metadata=metadata, sample_rate=self._sample_rate
            )
        except Exception:
            logger.warning("@trace could not log this call", exc_info=True)

    def _context_of(self, returned: Any) -> Sequence[Any]:
        found = self._from_return(returned) if callable(self._from_return) else returned
        if found is None:
            return []
        return [found] if isinstance(found, str | Mapping) else list(found)


def trace(
    *,
    task_arg: str = "query",
    context_from_return: bool | Callable[[Any], Any] = False,
    context_arg: str | None = None,
    metadata: Mapping[str, Any] | Callable[..., Mapping[str, Any]] | None = None,
    sample_rate: float | None = None,
    client: Client | None = None,
) -> Callable[[Function], Function]:
    """A decorator for functions, coroutines, generators and async generators that retrieve.

        @trace(task_arg="query", context_from_return=True)
        def search(query: str) -> list[dict]: ...

    Args:
        task_arg: the parameter that holds the user's query.
        context_from_return: True when the return value (or all that is yielded) are the passages, or a
            function that picks them out of it.
        context_arg: the parameter that holds the passages, for functions that answer from them.
        metadata: fixed, or a function of the call's arguments by name.
        sample_rate: share of calls to evaluate.
        client: a background `Client`; by default one made from the environment at the first call.

    Calls that raise are not logged; a generator left early logs what it had given.

    Raises:
        ConfigurationError: the function lacks a named parameter, or not exactly one of `context_from_return`
            and `context_arg` is given.
    """
    if isinstance(client, AsyncClient):
        raise ConfigurationError("trace takes a Client, also for coroutines", field="client")

    def decorate(function: Function) -> Function:
        recorder = _Recorder(
            function,
            task_arg=task_arg,
            context_arg=context_arg,
            context_from_return=context_from_return,
            metadata=metadata,
            sample_rate=sample_rate,
            client=client,
        )
        if inspect.isasyncgenfunction(function):
            wrap = _async_generator
        elif inspect.isgeneratorfunction(function):
            wrap = _generator
        elif inspect.iscoroutinefunction(function):
            wrap = _coroutine
        else:
            wrap = _function
        return functools.wraps(function)(wrap(function, recorder))  # type: ignore[return-value]

    return decorate


def _function(function: Callable[..., Any], recorder: _Recorder) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        returned = function(*args, **kwargs)
        recorder.record(args, kwargs, returned)
        return returned

    return call


def _coroutine(function: Callable[..., Any], recorder: _Recorder) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        returned = await function(*args, **kwargs)
        recorder.record(args, kwargs, returned)
        return returned

    return call


def _keep(items: list[Any], item: Any) -> None:
    if len(items) < _MOST_ITEMS:
        items.append(item)


def _generator(function: Callable[..., Any], recorder: _Recorder) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        inner: Generator[Any, Any, Any] = function(*args, **kwargs)
        items: list[Any] = []
        step: Callable[[], Any] = functools.partial(next, inner)
        while True:
            try:
                item = step()
            except StopIteration as stop:
                recorder.record(args, kwargs, items)
                return stop.value
            _keep(items, item)
            try:
                step = functools.partial(inner.send, (yield item))
            except GeneratorExit:
                inner.close()
                recorder.record(args, kwargs, items)
                raise
            except BaseException as thrown:
                step = functools.partial(inner.throw, thrown)

    return call


def _async_generator(function: Callable[..., Any], recorder: _Recorder) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        inner: AsyncGenerator[Any, Any] = function(*args, **kwargs)
        items: list[Any] = []
        step: Callable[[], Any] = functools.partial(anext, inner)
        while True:
            try:
                item = await step()
            except StopAsyncIteration:
                recorder.record(args, kwargs, items)
                return
            _keep(items, item)
            try:
                step = functools.partial(inner.asend, (yield item))
            except GeneratorExit:
                await inner.aclose()
                recorder.record(args, kwargs, items)
                raise
            except BaseException as thrown:
                step = functools.partial(inner.athrow, thrown)

    return call
