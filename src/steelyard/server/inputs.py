"""Request bodies other than events: strict models, read by our own reader, named in the OpenAPI document."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from steelyard.access.services import services

from .body import JSON, read_json
from .envelope import invalid

Model = TypeVar("Model", bound=BaseModel)
_SMALL_BODY = 1024 * 1024
BODIES: list[type[BaseModel]] = []
"""The models of all bodies that routes document."""


def body(model: type[Model]) -> Callable[[Request], Awaitable[Model]]:
    """A dependency: the body as this model, at most 1 MiB. Raises `InvalidInput` with a JSON Pointer."""

    async def read_body(request: Request) -> Model:
        limits = services(request).settings.limits
        value = await read_json(request, max_bytes=min(_SMALL_BODY, limits.body_bytes), depth=limits.depth)
        try:
            return model.model_validate_json(orjson.dumps(value))
        except ValidationError as problem:
            raise invalid(problem) from None

    return read_body


def documented(name: str | type[BaseModel]) -> dict[str, Any]:
    """The `openapi_extra` of a route whose body is the schema of this name or model."""
    if isinstance(name, str):
        schema = name
    else:
        schema = name.__name__
        BODIES.append(name)
    content = {JSON: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"requestBody": {"required": True, "content": content}}
