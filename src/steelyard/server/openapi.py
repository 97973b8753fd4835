"""The OpenAPI 3.1 document, served at `/v1/openapi.json`: the contract that the API is fuzzed against."""

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from steelyard.schemas.event import ErrorEnvelope, Limits

from .event_schema import event_schemas

_REF = "#/components/schemas/{model}"
_PUBLIC = frozenset({"/healthz", "/readyz", "/metrics", "/v1/openapi.json"})
_ALWAYS = {
    "401": "No key, or one that does not count.",
    "403": "The key lacks the scope.",
    "422": "A value that cannot be accepted; `field` says where.",
    "503": "The database does not answer.",
}
_WITH_BODY = {
    "400": "The body is malformed.",
    "413": "The body is too large.",
    "415": "A content type or encoding that is not read here.",
}
_INGEST = {"429": "Too much at once; `Retry-After` says when."}
_NAMED = {"404": "Nothing under that name.", "409": "The id is taken by another body."}
_METHODS = frozenset({"get", "put", "post", "delete", "patch"})


def document(app: FastAPI, *, limits: Limits, bodies: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """The whole document, with every error of every operation and the limits in force."""
    made = get_openapi(
        title=app.title,
        version=app.version,
        openapi_version="3.1.0",
        description=app.description,
        routes=app.routes,
    )
    models: list[type[BaseModel]] = [*bodies, ErrorEnvelope]
    _, definitions = models_json_schema([(model, "validation") for model in models], ref_template=_REF)
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(definitions.get("$defs", {}))
    schemas.update(event_schemas(limits))
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    made["components"]["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "description": "An API key, `sy_…`."}
    }
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            if method in _METHODS:
                _complete(path, operation)
    return made


def _complete(path: str, operation: dict[str, Any]) -> None:
    responses: dict[str, Any] = operation["responses"]
    responses.pop("422", None)
    if path in _PUBLIC:
        return
    operation["security"] = [{"key": []}]
    errors = dict(_ALWAYS)
    if "requestBody" in operation:
        errors |= _WITH_BODY
    if path in ("/v1/log", "/v1/events") and "requestBody" in operation:
        errors |= _INGEST
    errors |= {status: said for status, said in _NAMED.items() if status in responses}
    for status, said in sorted(errors.items()):
        responses[status] = _error(said, retry=status in ("429", "503"))


def _error(said: str, *, retry: bool) -> dict[str, Any]:
    schema = {"$ref": _REF.format(model=ErrorEnvelope.__name__)}
    answer: dict[str, Any] = {"description": said, "content": {"application/json": {"schema": schema}}}
    if retry:
        answer["headers"] = {
            "Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 1}}
        }
    return answer
