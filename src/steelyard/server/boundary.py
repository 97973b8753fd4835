"""The last line: a fault of our own is logged and answered without anything of it."""

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .envelope import unhandled


class Boundary:
    """ASGI middleware; when an answer has begun already, the fault goes on and the connection breaks off."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def send_and_note(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        except Exception as problem:
            if begun:
                raise
            response = unhandled(Request(scope, receive), problem)
            await response(scope, receive, send)
