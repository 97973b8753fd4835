import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from steelyard.access.hosts import HostCheck, host_of, is_loopback, served


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8321", "localhost"),
        ("example.org.:80", "example.org"),
        ("example.org.", "example.org"),
        ("127.0.0.1:8321", "127.0.0.1"),
        ("[::1]:8321", "[::1]"),
        ("[::1]", "[::1]"),
    ],
)
def test_a_host_is_read_without_its_port(header: str, host: str) -> None:
    assert host_of(header) == host


@pytest.mark.parametrize(
    ("host", "allowed", "answer"),
    [
        ("localhost", (), True),
        ("app.localhost", (), True),
        ("127.0.0.1", (), True),
        ("192.168.1.7", (), True),
        ("[::1]", (), True),
        ("evil.example", (), False),
        ("localhost.evil.example", (), False),
        ("127.0.0.1.evil.example", (), False),
        ("", (), False),
        ("steelyard.corp", ("steelyard.corp",), True),
        ("Steelyard.corp".lower(), ("Steelyard.Corp",), True),
        ("a.steelyard.corp", ("steelyard.corp",), False),
        ("a.steelyard.corp", ("*.steelyard.corp",), True),
        ("steelyard.corp", ("*.steelyard.corp",), False),
        ("evil-steelyard.corp", ("*.steelyard.corp",), False),
        ("anything", ("*",), True),
    ],
)
def test_only_own_names_addresses_and_allowed_names_are_served(
    host: str, allowed: tuple[str, ...], answer: bool
) -> None:
    assert served(host, allowed=allowed) is answer


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_loopback_is_told_from_the_rest(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer


def test_a_foreign_host_is_answered_by_the_envelope() -> None:
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("in"))])
    client = TestClient(HostCheck(app, allowed=()))
    refused = client.get("/", headers={"host": "evil.example"})
    assert refused.status_code == 403
    assert refused.json()["error"] == {
        "code": "host_not_allowed",
        "message": "the host 'evil.example' is not served here",
        "hint": "Set STEELYARD_ALLOWED_HOSTS to the names this server is reached by.",
    }
    assert client.get("/", headers={"host": "localhost:8321"}).text == "in"
