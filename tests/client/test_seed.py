"""The seed's Python snippets, as they stand, but for the import line and the class name."""

import re
from pathlib import Path

import pytest

from .conftest import ScriptedServer

SEED = "seeds/000_c460e457ba583cc1.txt"


def snippets(shared: Path) -> list[str]:
    text = (shared / SEED).read_text("utf-8")
    blocks = re.findall(r"```python[^\n]*\n(.*?)```", text, re.DOTALL)
    dedented = [
        re.sub(rf"^{re.match(r' *', block).group()}", "", block, flags=re.MULTILINE) for block in blocks
    ]  # type: ignore[union-attr]
    return [block for block in dedented if "client.log(" in block]


def test_the_seeds_snippets_run(
    shared: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEELYARD_URL", server.url)
    monkeypatch.setenv("STEELYARD_API_KEY", "k")
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r'^\{"task".*\}$', (shared / SEED).read_text("utf-8"), re.MULTILINE)
    assert len(lines) == 2
    (tmp_path / "test_dataset.jsonl").write_text("\n".join(lines) + "\n")
    found = snippets(shared)
    assert len(found) == 3
    scope: dict[str, object] = {}
    for snippet in found:
        ours = snippet.replace("from seer import SeerClient", "from steelyard import Client")
        exec(ours.replace("SeerClient()", "Client()"), scope)
        client = scope["client"]
        assert client.flush(10)  # type: ignore[attr-defined]
    client.close()  # type: ignore[attr-defined]
    assert [event["task"] for event in server.events] == [
        "What is the capital of France?",
        "What is machine learning and who coined the term?",
        "What is ML?",
        "Who invented Python?",
    ]
    assert server.events[0]["ground_truth"] == {"gold_doc_ids": ["doc-paris"], "answer": "Paris"}
    assert server.events[3]["sample_rate"] == 1.0
    assert server.events[3]["metadata"] == {"dataset": "accuracy-test-v1"}
