"""Keys, scopes, sessions, forms and headers, over HTTP."""

import re
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from steelyard.access.gate import SESSION_COOKIE
from steelyard.access.tokens import digest, new_key, new_token
from steelyard.store import sessions

from .live import Api, Live, eventually, new_project


def error_of(response: httpx2.Response) -> dict[str, str]:
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert list(body) == ["error"]
    error: dict[str, str] = body["error"]
    assert {"code", "message"} <= set(error) <= {"code", "message", "field", "hint"}
    return error


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (None, "there is no API key"),
        ("", "the Authorization header holds no API key"),
        ("Bearer", "the Authorization header holds no API key"),
        ("Bearer sy_short", "the Authorization header holds no API key"),
        ("Basic c3k6c3k=", "the Authorization header holds no API key"),
        (f"Token {new_key()}", "the Authorization header holds no API key"),
        (f"Bearer {new_key()}", "this API key is unknown or revoked"),
    ],
)
def test_without_a_good_key_the_api_says_401(sqlite_live: Live, header: str | None, message: str) -> None:
    with sqlite_live.client() as http:
        headers = {} if header is None else {"authorization": header}
        response = http.get("/v1/events", headers=headers)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer realm="steelyard"'
    assert error_of(response)["message"] == message


@pytest.mark.parametrize(
    ("scope", "method", "path", "allowed"),
    [
        ("read", "GET", "/v1/keys", False),
        ("write", "GET", "/v1/keys", False),
        ("admin", "GET", "/v1/keys", True),
        ("read", "GET", "/v1/audit", False),
        ("read", "POST", "/v1/log", False),
        ("read", "POST", "/v1/events", False),
        ("write", "GET", "/v1/judges", False),
        ("read", "GET", "/v1/judges", True),
        ("admin", "GET", "/v1/judges", True),
        ("write", "DELETE", "/v1/events/x", False),
        ("read", "DELETE", "/v1/users/x", False),
    ],
)
def test_a_key_does_what_its_scopes_say(
    sqlite_live: Live, scope: str, method: str, path: str, allowed: bool
) -> None:
    key = sqlite_live.key(new_project(sqlite_live), scope)  # type: ignore[arg-type]
    with sqlite_live.client(key) as http:
        response = http.request(method, path)
    assert response.status_code == (200 if allowed else 403), response.text
    if not allowed:
        assert error_of(response)["code"] == "forbidden"


def test_a_key_is_made_shown_once_listed_and_revoked(api: Api) -> None:
    made = api.http.post("/v1/keys", json={"name": "ci", "scopes": ["write", "read", "read"]})
    assert made.status_code == 201
    secret, key = made.json()["secret"], made.json()["key"]
    assert key["scopes"] == ["write", "read"]
    assert secret not in api.http.get("/v1/keys").text
    with api.live.client(secret) as http:
        assert http.get("/v1/judges").status_code == 200
        assert http.get("/v1/keys").status_code == 403
        revoked = api.http.delete(f"/v1/keys/{key['id']}")
        assert revoked.status_code == 200
        assert revoked.json()["revoked_at"] is not None
        assert http.get("/v1/judges").status_code == 401
    actions = [(entry["action"], entry["subject"]) for entry in api.http.get("/v1/audit").json()["items"]]
    assert actions == [("key.revoke", key["id"]), ("key.create", key["id"])]
    assert secret not in api.http.get("/v1/audit").text
    assert api.http.delete("/v1/keys/none").status_code == 404


def test_last_use_is_noted(api: Api) -> None:
    api.http.get("/v1/judges")
    api.live.services.gate.flush()
    eventually(lambda: api.http.get("/v1/keys").json()["items"][0]["last_used_at"] is not None)


def test_one_link_makes_one_session(live: Live) -> None:
    token = live.services.gate.login_token()
    with live.client() as http:
        entered = http.get("/login", params={"token": token})
        assert entered.status_code == 303
        assert entered.headers["location"] == "/"
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Path=/" in cookie
        assert http.get("/v1/judges").status_code == 200
    with live.client() as other:
        again = other.get("/login", params={"token": token})
        assert again.status_code == 401
        assert "set-cookie" not in again.headers


def test_an_expired_link_or_session_lets_nobody_in(live: Live) -> None:
    store, now = live.services.store, datetime.now(UTC)
    token, secret = new_token(), new_token()
    past = now - timedelta(days=2)
    store.write(lambda c: sessions.add_login(c, digest=digest(token), now=past, expires_at=now))
    store.write(lambda c: sessions.add(c, digest=digest(secret), csrf="c", now=past, expires_at=now))
    with live.client() as http:
        assert http.get("/login", params={"token": token}).status_code == 401
        response = http.get("/v1/judges", headers={"cookie": f"{SESSION_COOKIE}={secret}"})
    assert response.status_code == 401


def logged_in(live: Live) -> tuple[httpx2.Client, str]:
    """A browser with a session, and its CSRF token."""
    http = live.client()
    http.get("/login", params={"token": live.services.gate.login_token()})
    secret = http.cookies[SESSION_COOKIE]
    with live.services.store.read() as c:
        session = sessions.find(c, digest=digest(secret), now=datetime.now(UTC))
    assert session is not None
    return http, session.csrf


def test_a_session_changes_nothing_without_its_form_token(sqlite_live: Live) -> None:
    http, csrf = logged_in(sqlite_live)
    body = {"name": "by page", "scopes": ["read"]}
    for headers in ({}, {"x-csrf-token": "wrong"}, {"x-csrf-token": csrf[:-1]}):
        refused = http.post("/v1/keys", json=body, headers=headers)
        assert refused.status_code == 403
        assert error_of(refused)["field"] == "csrf_token"
    assert http.post("/v1/keys", json=body, headers={"x-csrf-token": csrf}).status_code == 201
    assert http.post("/logout", data={"csrf_token": "wrong"}).status_code == 403
    assert http.get("/v1/judges").status_code == 200
    left = http.post("/logout", data={"csrf_token": csrf})
    assert left.status_code == 303
    assert left.headers["location"] == "/login"
    assert http.get("/v1/judges").status_code == 401
    http.close()


def test_a_browser_without_a_session_is_shown_the_way_in(sqlite_live: Live) -> None:
    with sqlite_live.client(accept="text/html") as http:
        response = http.get("/overview")
        assert response.status_code == 303
        assert response.headers["location"] == "/login"
        assert http.get("/login").status_code == 200
        assert http.get("/overview.json").status_code == 401


@pytest.mark.parametrize(
    ("path", "status"), [("/healthz", 200), ("/v1/judges", 401), ("/nowhere", 404), ("/login", 200)]
)
def test_every_answer_carries_the_security_headers(sqlite_live: Live, path: str, status: int) -> None:
    with sqlite_live.client() as http:
        response = http.get(path)
    assert response.status_code == status
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["cache-control"] == "no-store"
    assert "server" not in response.headers


def test_pages_hold_no_inline_script(sqlite_live: Live) -> None:
    with sqlite_live.client() as http:
        page = http.get("/login").text
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=|style=", page)


def test_a_foreign_host_is_not_served(sqlite_live: Live) -> None:
    with sqlite_live.client() as http:
        response = http.get("/healthz", headers={"host": "evil.example"})
    assert response.status_code == 403
    assert response.headers["x-content-type-options"] == "nosniff"
    assert error_of(response)["code"] == "host_not_allowed"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not_found"),
        ("PATCH", "/v1/events", 405, "method_not_allowed"),
        ("PUT", "/v1/log", 405, "method_not_allowed"),
        ("GET", "/v1/events?limit=0", 422, "invalid"),
        ("GET", "/v1/events?limit=x", 422, "invalid"),
        ("GET", "/v1/events?nonsense=1", 422, "invalid"),
        ("GET", "/v1/events?start=yesterday", 422, "invalid"),
        ("GET", "/v1/events?cursor=abc", 422, "invalid"),
        ("GET", "/v1/events?env=a%00b", 422, "invalid"),
        ("GET", "/v1/events?metadata=novalue", 422, "invalid"),
        ("GET", "/v1/events?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z", 422, "invalid"),
    ],
)
def test_errors_come_in_one_envelope(sqlite_api: Api, method: str, path: str, status: int, code: str) -> None:
    response = sqlite_api.http.request(method, path)
    assert response.status_code == status
    assert error_of(response)["code"] == code
