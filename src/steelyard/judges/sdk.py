"""The `openai` SDK as a plain wire: no retries of its own, nothing taken from the environment, every status a
reply."""

from collections.abc import Callable

import httpx2
import openai

from .settings import RemoteSettings
from .wire import Dropped, Reply, dropped, open_client


def open_sdk(settings: RemoteSettings) -> openai.OpenAI:
    """A client for one provider. Without `api_key` no Authorization header is sent: `OPENAI_API_KEY` and the
    like belong to other servers and are not looked at."""
    key = settings.api_key.get_secret_value() if settings.api_key is not None else ""
    client = openai.OpenAI(
        base_url=settings.base_url,
        api_key=key,
        admin_api_key="",
        max_retries=0,
        timeout=settings.timeout_s,
        http_client=open_client(
            settings.base_url, timeout_s=settings.timeout_s, concurrency=settings.concurrency
        ),
        _enforce_credentials=False,
    )
    client.organization = client.project = None
    return client


def headers_for(client: openai.OpenAI, *, no_store: bool) -> dict[str, str | openai.Omit]:
    """What a request adds: without a key the SDK insists on being told that none is meant."""
    headers: dict[str, str | openai.Omit] = {"Cache-Control": "no-store"} if no_store else {}
    return headers if client.api_key else {**headers, "Authorization": openai.omit}


def exchange(send: Callable[[], httpx2.Response]) -> Reply:
    """What the server answered to `send`, a call of the SDK that returns the raw response; raises
    `Dropped`."""
    try:
        response = send()
    except openai.APIStatusError as error:
        response = error.response
    except (openai.OpenAIError, httpx2.HTTPError) as error:
        raise dropped(error) from None
    try:
        text = response.text
    except httpx2.StreamError:
        raise Dropped("the answer could not be read") from None
    return Reply(response.status_code, response.headers, text)
