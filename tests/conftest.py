"""Fixtures of the whole suite: the labelled data beside the checkout, and real databases."""

import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The labelled data: `$STEELYARD_SHARED`, else `../shared` beside the checkout; skips without it."""
    path = Path(os.environ.get("STEELYARD_SHARED") or CHECKOUT.parent / "shared")
    if not (path / "data").is_dir():
        pytest.skip(f"needs the labelled data, and {path} is not there (set STEELYARD_SHARED)")
    return path
