"""Ids for whatever gets none from outside."""

import uuid_utils


def new_id() -> str:
    """A UUIDv7: unique, and ordered by time."""
    return str(uuid_utils.uuid7())
