"""API keys: made, listed and revoked by those who may administer the project."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from steelyard.access.tokens import digest, new_key, shown
from steelyard.schemas.base import Input
from steelyard.schemas.query import Key, Scope
from steelyard.store import keys

from ..filters import NO_NUL
from ..inputs import body, documented
from .parts import Act, Admin, App, Id, Items, change

router = APIRouter(tags=["keys"])


class KeyInput(Input):
    """A new key. `admin` includes the other scopes."""

    name: str = Field(min_length=1, max_length=100, pattern=NO_NUL)
    scopes: tuple[Scope, ...] = Field(min_length=1, max_length=3)


class CreatedKey(Items):
    """A new key with its secret, which is shown this once."""

    key: Key
    secret: str


class Keys(Items):
    """The project's keys, newest first, revoked ones too."""

    items: tuple[Key, ...]


@router.get("/v1/keys", summary="List keys")
def list_keys(viewer: Admin, app: App) -> Keys:
    """Without their secrets, which are kept nowhere."""
    with app.store.read() as c:
        return Keys(items=keys.all_keys(c, viewer.project_id))


@router.post("/v1/keys", status_code=201, openapi_extra=documented(KeyInput), summary="Make a key")
def add_key(viewer: Admin, app: App, wanted: Annotated[KeyInput, Depends(body(KeyInput))]) -> CreatedKey:
    """The secret in the answer is shown this once."""
    secret = new_key()
    key = change(
        app,
        viewer,
        lambda c, now: keys.add(
            c,
            viewer.project_id,
            name=wanted.name,
            prefix=shown(secret),
            digest=digest(secret),
            scopes=tuple(dict.fromkeys(wanted.scopes)),
            now=now,
        ),
        act=lambda made: Act("key.create", made.id, {"prefix": made.prefix, "scopes": list(made.scopes)}),
    )
    return CreatedKey(key=key, secret=secret)


@router.delete("/v1/keys/{key_id}", responses={404: {}}, summary="Revoke a key")
def revoke_key(viewer: Admin, app: App, key_id: Id) -> Key:
    """From now on the key is answered 401; other servers on the same database follow within seconds."""
    key = change(
        app,
        viewer,
        lambda c, now: keys.revoke(c, viewer.project_id, key_id, now=now),
        act=lambda revoked: Act("key.revoke", revoked.id, {"prefix": revoked.prefix}),
    )
    app.gate.forget(key.id)
    return key
