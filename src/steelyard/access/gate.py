"""The gate: turns an API key or a session cookie into a viewer, and makes login links and sessions.

Keys that were found are remembered for a few seconds, so that ingest does not ask the store for each batch;
a key revoked through this server is forgotten at once, one revoked elsewhere within `_REMEMBERED_S`.
"""

import hmac
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from steelyard.errors import NotFound, Unauthorized
from steelyard.schemas.query import Key
from steelyard.store import Store, keys, projects, sessions

from .tokens import digest, looks_like_key, new_token
from .viewer import SCOPES, Viewer

SESSION_COOKIE = "steelyard_session"
PROJECT_COOKIE = "steelyard_project"
SESSION_LIFE = timedelta(days=14)
LOGIN_LIFE = timedelta(hours=24)
_REMEMBERED_S = 5.0
_REMEMBERED_KEYS = 1_024
_TOUCH_EVERY_S = 30.0


@dataclass(frozen=True)
class _Remembered:
    viewer: Viewer
    key_id: str
    until: float


class Gate:
    """One app's gate. `project` is what sessions see unless they choose another, and the demo key's."""

    def __init__(self, store: Store, *, project: str, demo_key: str | None = None) -> None:
        self._store = store
        self._project = project
        self._demo_digest = digest(demo_key) if demo_key else None
        self._remembered: dict[str, _Remembered] = {}
        self._used: dict[str, datetime] = {}
        self._touched = time.monotonic()
        self._lock = threading.Lock()

    async def viewer(self, request: Request) -> Viewer:
        """The viewer of an API request: by key when one is given, else by session. Raises `Unauthorized`."""
        header = request.headers.get("authorization")
        if header is None:
            if SESSION_COOKIE in request.cookies:
                return await self.session_viewer(request)
            raise Unauthorized("there is no API key", hint="Send `Authorization: Bearer sy_…`.")
        scheme, _, secret = header.strip().partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer" or not looks_like_key(secret):
            raise Unauthorized("the Authorization header holds no API key", hint="Send `Bearer sy_…`.")
        known = digest(secret)
        found = self._remembered.get(known)
        if found is None or found.until < time.monotonic():
            found = await run_in_threadpool(self._look_up, known)
        self._note_use(found.key_id)
        return found.viewer

    async def session_viewer(self, request: Request) -> Viewer:
        """The viewer of a browser; `?project=` or the project cookie chooses what it sees. Raises
        `Unauthorized`, and `NotFound` for a project in the URL that there is not."""
        secret = request.cookies.get(SESSION_COOKIE)
        if not secret:
            raise Unauthorized("you are not logged in", hint="Open the link that the server printed.")
        named, kept = request.query_params.get("project"), request.cookies.get(PROJECT_COOKIE)
        return await run_in_threadpool(self._session_viewer, secret, named, kept)

    def login_token(self) -> str:
        """A token for `/login?token=…` that works once, within a day."""
        token, now = new_token(), datetime.now(UTC)
        kept = digest(token)
        self._store.write(lambda c: sessions.add_login(c, digest=kept, now=now, expires_at=now + LOGIN_LIFE))
        return token

    def log_in(self, token: str) -> str:
        """Uses a login token up and returns the secret of a new session. Raises `Unauthorized`."""
        now, secret, csrf = datetime.now(UTC), new_token(), new_token()
        used, kept = digest(token), digest(secret)

        def exchange(c: Connection) -> bool:
            if not sessions.use_login(c, digest=used, now=now):
                return False
            sessions.purge(c, now=now)
            sessions.add(c, digest=kept, csrf=csrf, now=now, expires_at=now + SESSION_LIFE)
            return True

        if not self._store.write(exchange):
            raise Unauthorized(
                "this login link was used already or has expired", hint="Restart the server for a new one."
            )
        return secret

    def log_out(self, secret: str) -> None:
        """Ends a session; an unknown one is no error."""
        kept = digest(secret)
        self._store.write(lambda c: sessions.end(c, digest=kept))

    def forget(self, key_id: str) -> None:
        """Forgets a key that was revoked."""
        with self._lock:
            self._remembered = {k: v for k, v in self._remembered.items() if v.key_id != key_id}

    def flush(self) -> None:
        """Writes down when keys were last used."""
        with self._lock:
            used, self._used = self._used, {}
            self._touched = time.monotonic()
        if used:
            self._store.submit(lambda c: keys.touch(c, used))

    def _look_up(self, known: str) -> _Remembered:
        if self._demo_digest is not None and hmac.compare_digest(known, self._demo_digest):
            with self._store.read() as c:
                project = projects.get(c, self._project)
            viewer = Viewer(project.id, project.name, frozenset(SCOPES), None, None, "key:demo")
            return self._remember(known, viewer, "")
        with self._store.read() as c:
            key = keys.find(c, known)
            if key is None:
                raise Unauthorized(
                    "this API key is unknown or revoked", hint="Make one with `steelyard keys create`."
                )
            project = projects.by_id(c, key.project_id)
        viewer = Viewer(project.id, project.name, frozenset(key.scopes), None, None, _actor(key))
        return self._remember(known, viewer, key.id)

    def _remember(self, known: str, viewer: Viewer, key_id: str) -> _Remembered:
        found = _Remembered(viewer, key_id, time.monotonic() + _REMEMBERED_S)
        with self._lock:
            if len(self._remembered) >= _REMEMBERED_KEYS:
                self._remembered = {}
            self._remembered[known] = found
        return found

    def _session_viewer(self, secret: str, named: str | None, kept: str | None) -> Viewer:
        with self._store.read() as c:
            session = sessions.find(c, digest=digest(secret), now=datetime.now(UTC))
            if session is None:
                raise Unauthorized("your session has ended", hint="Open the link that the server printed.")
            try:
                project = projects.get(c, named or kept or self._project)
            except NotFound:
                if named:
                    raise
                project = projects.get(c, self._project)
        return Viewer(
            project.id, project.name, frozenset(SCOPES), session.id, session.csrf, f"session:{session.id}"
        )

    def _note_use(self, key_id: str) -> None:
        if not key_id:
            return
        with self._lock:
            self._used[key_id] = datetime.now(UTC)
            due = time.monotonic() - self._touched > _TOUCH_EVERY_S
        if due:
            self.flush()


def remember_project(response: Response, name: str, *, secure: bool) -> None:
    """Makes this browser see the project from now on, in forms too."""
    response.set_cookie(PROJECT_COOKIE, name, path="/", httponly=True, samesite="strict", secure=secure)


def _actor(key: Key) -> str:
    return f"key:{key.prefix}"
