"""`steelyard keys`: API keys, in the database itself or through a server."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from steelyard.errors import InvalidInput, StoreLocked

from . import exits
from .flags import Json, StoreFlags

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from steelyard.schemas.query import Key

Scope = Literal["write", "read", "admin"]


def create(
    name: str = "default",
    /,
    *,
    scope: Annotated[list[Scope] | None, Parameter(negative="")] = None,
    json: Json = False,
    settings: StoreFlags | None = None,
) -> int:
    """Makes a key and prints it on stdout, this once.

    Args:
        name: What it is for.
        scope: write, read or admin; may be repeated (default: write and read).
    """
    from steelyard.access.tokens import digest, new_key, shown
    from steelyard.store import keys

    from . import console

    if not name.strip():
        raise InvalidInput("a key needs a name", field="name", hint="Say what will use it.")
    secret = new_key()
    scopes = tuple(dict.fromkeys(scope or ("write", "read")))

    def add(c: "Connection", project_id: str) -> "Key":
        return keys.add(
            c,
            project_id,
            name=name,
            prefix=shown(secret),
            digest=digest(secret),
            scopes=scopes,
            now=datetime.now(UTC),
        )

    key = _write(settings, add, action="key.create", about=lambda made: {"prefix": made.prefix})
    if json:
        console.print_json({"secret": secret, **key.model_dump(mode="json")})
        return exits.DONE
    console.say(f"Key {key.name!r} ({', '.join(key.scopes)}), shown this once:")
    print(secret)
    return exits.DONE


def show(*, json: Json = False, settings: StoreFlags | None = None) -> int:
    """Lists the project's keys without their secrets. Works beside a running server."""
    from contextlib import closing

    from rich.table import Table

    from steelyard.config import Settings
    from steelyard.store import keys, open_store, projects

    from . import console

    loaded = Settings.load(**(settings or StoreFlags()).given())
    with closing(open_store(loaded.url, read_only=True)) as store, store.read() as c:
        found = keys.all_keys(c, projects.get(c, loaded.project).id)
    if json:
        console.print_json([key.model_dump(mode="json") for key in found])
        return exits.DONE
    table = Table()
    table.add_column("id", min_width=36)
    for title in ("name", "key", "scopes", "made", "last used", "revoked"):
        table.add_column(title)
    for key in found:
        moments = (key.created_at, key.last_used_at, key.revoked_at)
        table.add_row(
            key.id,
            key.name,
            key.prefix,
            " ".join(key.scopes),
            *(f"{moment:%Y-%m-%d %H:%M}" if moment else "-" for moment in moments),
        )
    console.stdout().print(table if found else "There are no keys. Make one: steelyard keys create")
    return exits.DONE


def revoke(key_id: str, /, *, settings: StoreFlags | None = None) -> int:
    """Revokes a key for good.

    Args:
        key_id: Its id, as `steelyard keys list` shows it.
    """
    from steelyard.store import keys

    from . import console

    key = _write(
        settings,
        lambda c, project_id: keys.revoke(c, project_id, key_id, now=datetime.now(UTC)),
        action="key.revoke",
        about=lambda revoked: {"prefix": revoked.prefix},
    )
    console.say(f"Key {key.name!r} ({key.prefix}) is revoked")
    return exits.DONE


def _write(
    settings: StoreFlags | None,
    work: "Callable[[Connection, str], Key]",
    *,
    action: str,
    about: "Callable[[Key], dict[str, Any]]",
) -> "Key":
    """Runs a change in the database itself, with its line in the audit log."""
    from steelyard.config import Settings
    from steelyard.store import audit, open_store, projects

    loaded = Settings.load(**(settings or StoreFlags()).given())
    try:
        store = open_store(loaded.url)
    except StoreLocked as problem:
        raise StoreLocked(
            problem.message,
            field=problem.field,
            hint="While a server runs, keys are made and revoked on its Settings page.",
        ) from None
    try:

        def change(c: "Connection") -> "Key":
            now = datetime.now(UTC)
            project = projects.ensure(c, loaded.project, now=now)
            key = work(c, project.id)
            audit.add(c, project.id, actor="cli", action=action, subject=key.id, detail=about(key), now=now)
            return key

        return store.write(change)
    finally:
        store.close()
