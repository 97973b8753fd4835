from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from steelyard import errors
from steelyard.client.responses import error_of, pause, retry_after, retryable


def answer(status: int, body: object = None, **headers: str) -> httpx2.Response:
    return httpx2.Response(
        status,
        json=body,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        request=httpx2.Request("GET", "http://127.0.0.1/v1/events"),
    )


@pytest.mark.parametrize(
    ("given", "seconds"), [("3", 3.0), ("0", 0.0), ("86400", 300.0), ("", None), ("soon", None), ("-1", None)]
)
def test_retry_after_in_seconds(given: str, seconds: float | None) -> None:
    assert retry_after(answer(503, retry_after=given)) == seconds


def test_retry_after_as_a_date() -> None:
    found = retry_after(answer(503, retry_after=format_datetime(datetime.now(UTC) + timedelta(seconds=20))))
    assert found is not None
    assert 15 < found <= 20
    assert retry_after(answer(503, retry_after="Mon, 01 Jan 2024 00:00:00 GMT")) == 0.0


def test_pauses_grow_to_a_bound() -> None:
    for attempt in range(1, 40):
        assert 0.1 * 2 ** min(attempt, 7) <= pause(attempt, asked=None) <= 30
    assert pause(1, asked=7.0) == 7.0


@pytest.mark.parametrize(
    ("status", "kind", "again"),
    [
        (400, errors.Malformed, False),
        (401, errors.Unauthorized, False),
        (403, errors.Forbidden, False),
        (404, errors.NotFound, False),
        (409, errors.Conflict, False),
        (413, errors.TooLarge, False),
        (415, errors.UnsupportedMedia, False),
        (418, errors.ClientError, False),
        (422, errors.InvalidInput, False),
        (429, errors.RateLimited, True),
        (502, errors.ClientError, True),
        (503, errors.StoreUnavailable, True),
    ],
)
def test_statuses(status: int, kind: type[errors.SteelyardError], again: bool) -> None:
    response = answer(
        status, {"error": {"code": "x", "message": "said so", "field": "/task", "hint": "Mend."}}
    )
    problem = error_of(response)
    assert type(problem) is kind
    assert (problem.message, problem.field, problem.hint) == ("said so", "/task", "Mend.")
    assert retryable(response) is again


@pytest.mark.parametrize("body", [None, [], {"error": None}, {"detail": "Not Found"}])
def test_an_answer_of_somebody_else(body: object) -> None:
    problem = error_of(answer(404, body))
    assert "was answered with HTTP 404" in problem.message
    assert problem.hint == "Is this the address of a Steelyard server?"
