"""The public names, and that the light part stays light."""

import subprocess
import sys

import pytest

import steelyard


def test_the_export_list_is_this_one() -> None:
    assert steelyard.__all__ == [
        "AsyncClient",
        "Client",
        "Rejection",
        "Stats",
        "SteelyardError",
        "__version__",
        "trace",
    ]
    for name in steelyard.__all__:
        assert getattr(steelyard, name) is not None


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Klient"):
        steelyard.Klient  # type: ignore[attr-defined]  # noqa: B018


def test_the_client_imports_nothing_but_httpx2_and_pydantic() -> None:
    program = (
        "import sys; before = set(sys.modules); from steelyard import Client, AsyncClient, trace; "
        "heavy = {'numpy', 'scipy', 'fastapi', 'sqlalchemy', 'orjson', 'rich', 'cyclopts', 'onnxruntime'};"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
