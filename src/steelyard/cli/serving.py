"""`steelyard serve` and `steelyard worker`."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from steelyard.errors import ConfigurationError

from . import exits
from .flags import JudgeFlags, ServeFlags, Verbose

if TYPE_CHECKING:
    from steelyard.access.services import Services
    from steelyard.config import Settings

_SOON_S = 3600.0


def serve(
    *,
    with_worker: Annotated[bool | None, Parameter(negative="--no-worker")] = None,
    verbose: Verbose = False,
    settings: ServeFlags | None = None,
) -> int:
    """Serves the API and the pages, and evaluates what is logged.

    Prints a link that logs a browser in, once. Ends on Ctrl-C or SIGTERM, after the requests in hand.

    Args:
        with_worker: Evaluate in this process too (default), or leave that to `steelyard worker` (PostgreSQL).
    """
    from steelyard.config import Settings
    from steelyard.server.app import create_app
    from steelyard.server.serving import address, bind
    from steelyard.server.serving import serve as serve_until_stopped
    from steelyard.store import open_store

    from . import console

    console.set_up_logging(verbose=verbose)
    loaded = Settings.load(**(settings or ServeFlags()).given())
    _check_worker(loaded, with_worker)
    sock = bind(loaded.host, loaded.port)
    try:
        store = open_store(loaded.url)
        try:
            url = address(sock)

            def ready(services: "Services") -> None:
                welcome(services, url=url, shown=store.url)

            app = create_app(loaded, store=store, work=with_worker, on_ready=ready)
            with ending_quietly():
                serve_until_stopped(app, sock)
        finally:
            store.close()
    finally:
        sock.close()
    return exits.DONE


@contextmanager
def ending_quietly() -> Iterator[None]:
    """uvicorn raises the signal that stopped it once more when it is done; what comes after it must still
    run."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def welcome(services: "Services", *, url: str, shown: str) -> None:
    """What a server says when it is ready: where, the way in, and what to watch."""
    from steelyard.access.hosts import is_loopback

    from . import console

    token = services.gate.login_token()
    print(f"Steelyard serves {url}", flush=True)
    print(f"Log in (works once): {url}/login?token={token}", flush=True)
    console.say(f"Database: {shown}")
    if not is_loopback(services.settings.host):
        console.say(
            f"Listening on {services.settings.host} without TLS: put a proxy with TLS in front, "
            "and name its hosts in STEELYARD_ALLOWED_HOSTS."
        )
    console.say("Make an API key on the Settings page. Ctrl-C stops.")


def worker(*, verbose: Verbose = False, settings: JudgeFlags | None = None) -> int:
    """Evaluates what servers and others store in a PostgreSQL database, until Ctrl-C or SIGTERM.

    Any number may run, on any machines.
    """
    from steelyard.config import Settings
    from steelyard.jobs.engine import open_engine
    from steelyard.jobs.judging import JudgeSource
    from steelyard.store import open_store

    from . import console

    console.set_up_logging(verbose=verbose)
    loaded = Settings.load(**(settings or JudgeFlags()).given())
    if loaded.url.startswith("sqlite"):
        raise ConfigurationError(
            "workers need PostgreSQL; on SQLite the server evaluates by itself",
            field="database_url",
            hint="Give --database-url postgresql://USER:PASSWORD@HOST/DATABASE.",
        )
    store = open_store(loaded.url)
    try:
        judge = JudgeSource(store, loaded).current()
        engine = open_engine(store, loaded, lambda: judge, work=True)
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        engine.start()
        console.say(f"Evaluating with {judge.identity.id} on {store.url}. Ctrl-C stops.")
        while not stop.wait(_SOON_S):
            continue
        console.say("Stopping: the batches in hand are finished first.")
        engine.stop()
    finally:
        store.close()
    return exits.DONE


def _check_worker(settings: "Settings", with_worker: bool | None) -> None:
    if with_worker is False and settings.url.startswith("sqlite"):
        raise ConfigurationError(
            "on SQLite nobody else can evaluate, so --no-worker would leave every event waiting",
            field="worker",
            hint="Leave it out, or use PostgreSQL.",
        )
