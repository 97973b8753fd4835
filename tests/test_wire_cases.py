"""The cases that all SDKs share with the server, against this one."""

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from steelyard.client.payload import compose
from steelyard.errors import InvalidInput
from steelyard.retrieval.validation import parse_event
from steelyard.schemas.event import Limits
from steelyard.schemas.sampling import sampled

CASES: dict[str, Any] = json.loads(Path(__file__).with_name("wire_cases.json").read_text("utf-8"))
NOW = datetime.fromisoformat(CASES["now"])


def named(part: str) -> Any:
    return pytest.mark.parametrize("case", CASES[part], ids=lambda case: case.get("name", ""))


@named("hashes")
def test_hashes(case: dict[str, Any]) -> None:
    top = int.from_bytes(hashlib.sha256(case["text"].encode()).digest()[:8], "big") >> 11
    assert str(top) == case["top_53_bits"]


@named("sampling")
def test_sampling(case: dict[str, Any]) -> None:
    decided = sampled(case["sample_rate"], trace_id=case["trace_id"], event_id=case["event_id"])
    assert decided is case["sampled"]


def test_sampling_cases_decide_both_ways() -> None:
    assert {case["sampled"] for case in CASES["sampling"]} == {True, False}


@named("payloads")
def test_payloads(case: dict[str, Any]) -> None:
    fields = dict(case["log"])
    sent = json.loads(compose(fields.pop("task"), fields.pop("context"), fields).body)
    assert sent == case["sent"]


@named("truncation")
def test_truncation(case: dict[str, Any]) -> None:
    def full(text: dict[str, Any]) -> str:
        return str(text["repeat"]) * int(text["times"])

    sent = json.loads(
        compose(
            full(case["log"]["task"]), [full(text) for text in case["log"]["context"]], truncate=True
        ).body
    )
    lengths = {"task": len(sent["task"]), "context": len(sent["context"])}
    if sent["context"]:
        lengths["passage"] = len(sent["context"][0])
    assert lengths == case["sent_lengths"]


@named("normalisation")
def test_normalisation(case: dict[str, Any]) -> None:
    kept = parse_event(case["sent"], limits=Limits(), now=NOW, new_id=lambda: "new")
    assert kept.model_dump(mode="json") == case["kept"]


@named("rejections")
def test_rejections(case: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_event(case["sent"], limits=Limits(), now=NOW, new_id=lambda: "new")
    assert caught.value.field == case["field"]
