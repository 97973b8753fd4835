import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[[str, Iterable[Any]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines (dicts as JSON) into a file of this name."""

    def lines(name: str, rows: Iterable[Any]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return path

    return lines
