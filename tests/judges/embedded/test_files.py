"""What is shipped is whole, small and described: digests, curves, and a card with intervals and baselines."""

import hashlib
import json

import pytest

import steelyard_judge
from steelyard.errors import JudgeError
from steelyard.judges.embedded.files import Decision, Files, Heads
from steelyard.judges.embedded.heads import Calibration

CARD = steelyard_judge.card()


def test_every_file_is_the_one_that_the_manifest_names() -> None:
    manifest = json.loads(steelyard_judge.path("manifest.json").read_text())
    for name, digest in manifest["files"].items():
        assert hashlib.sha256(steelyard_judge.path(name).read_bytes()).hexdigest() == digest, name
    assert CARD["digest"] == manifest["digest"] == Files.shipped().digest


def test_the_weights_are_small() -> None:
    assert steelyard_judge.path("encoder.onnx").stat().st_size <= 25_000_000
    heads = [path for path in steelyard_judge.path(".").glob("*.onnx") if path.name != "encoder.onnx"]
    assert sum(path.stat().st_size for path in heads) <= 4_000_000


def test_curves_rise_within_0_and_1() -> None:
    heads = Files.shipped().heads()
    decisions = [
        heads.support_first,
        heads.support,
        *heads.counts,
        heads.grounded,
        heads.correct,
        *heads.facts,
    ]
    for decision in decisions:
        curve = decision.calibration
        assert list(curve.margins) == sorted(curve.margins)
        assert list(curve.probabilities) == sorted(curve.probabilities)
        assert 0 <= curve.probabilities[0] <= curve.probabilities[-1] <= 1


def test_a_band_abstains_strictly_inside() -> None:
    curve = Calibration(margins=(0.0, 1.0), probabilities=(0.0, 1.0))
    decision = Decision(features=("x",), calibration=curve, threshold=0.5, low=0.4, high=0.6)
    assert [decision.decide(p) for p in (0.39, 0.4, 0.5, 0.6, 0.61)] == [False, False, None, True, True]


@pytest.mark.parametrize("name", sorted(CARD["support"]["sets"]))
def test_the_card_gives_n_interval_and_baselines_for_each_set(name: str) -> None:
    each = CARD["support"]["sets"][name]
    assert each["n"] > 0
    assert each["macro_f1"]["low"] <= each["macro_f1"]["value"] <= each["macro_f1"]["high"]
    assert {"bm25", "cosine"} <= set(each["baselines"])
    assert "macro_f1" in each["left_out"]


def test_probabilities_are_calibrated_on_the_public_sets() -> None:
    assert CARD["support"]["ece"] <= 0.05
    assert CARD["correct"]["ece"] <= 0.05
    assert CARD["grounded"]["ece"] <= 0.05


def test_the_card_names_every_set_with_its_licence() -> None:
    assert all(item["licence"] and item["rows"] for item in CARD["data"])
    assert {"hotpotqa_dev500", "selqa", "begin", "evouna_nq"} <= {item["set"] for item in CARD["data"]}
    assert CARD["languages"]["en"]


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.bin"):
        steelyard_judge.path("nothing.bin")
    shipped = Files.shipped()
    with pytest.raises(JudgeError, match="nothing"):
        shipped.trees("nothing")


def test_heads_survive_json() -> None:
    heads = Files.shipped().heads()
    assert Heads.model_validate_json(heads.model_dump_json()) == heads
