"""`make judge`: from PyPI's MiniLM and the labelled data to everything in `judge/src/steelyard_judge`, one
command.

Seeds are fixed; at the end it says which files differ from those that were there.
"""

import argparse
import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import binary
import lists
import support
from cards import card
from export import export_fp32, quantise, unpack
from rows import Row, folds, golds, read
from steelyard.judges.embedded import answers, claims, counting, tasks
from steelyard.judges.embedded.files import Decision, Heads
from steelyard.judges.embedded.heads import Calibration
from steelyard.judges.embedded.support import BELIEF, NAMES
from steelyard.judges.splitting import question_of
from trees import Model, curve, to_onnx
from variants import with_variants
from vectors import Vectors, encode

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "judge" / "src" / "steelyard_judge"
MODEL = "all-MiniLM-L6-v2 int8"
UNSURE = (0.4, 0.6)
"""A passage that is not cited is unsure in here."""


def encoder(target: Path) -> None:
    """`encoder.onnx` and `tokenizer.json` in `target`."""
    with tempfile.TemporaryDirectory() as scratch:
        upstream = unpack(Path(scratch) / "upstream")
        export_fp32(upstream, Path(scratch) / "fp32.onnx")
        quantise(Path(scratch) / "fp32.onnx", target / "encoder.onnx")
        shutil.copy(upstream / "tokenizer.json", target / "tokenizer.json")


def all_texts(data: dict[str, list[Row]]) -> list[str]:
    found = []
    for row in data["retrieval"]:
        found += [
            row.data["task"],
            question_of(row.data["task"]),
            *(item["text"] for item in row.data["context"]),
        ]
    for row in data["answers"]:
        found += [row.data["input"], row.data["output"], *golds(row.data)]
    for row in data["groundedness"]:
        found += [row.data["source"], row.data["output"]]
    return found


def head(
    features: Sequence[str],
    margin: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    threshold: float = 0.5,
    band: tuple[float, float] = (0.5, 0.5),
) -> Decision:
    x, y = curve(margin, labels, weights)
    calibration = Calibration(margins=tuple(x), probabilities=tuple(y))
    return Decision(
        features=tuple(features), calibration=calibration, threshold=threshold, low=band[0], high=band[1]
    )


def band(probability: np.ndarray, labels: np.ndarray, *, least: float) -> tuple[float, float]:
    """The narrowest band around ½ outside of which 95% of the decisions are right; at least the share `least`
    must lie outside, whatever that leaves of the 95%."""
    away, right = np.abs(probability - 0.5), (probability >= 0.5) == (labels > 0.5)
    widest = float(np.quantile(away, 1 - least))
    halves = [half for half in np.arange(0.0, widest, 0.01) if right[away >= half].mean() >= 0.95]
    half = round(float(min(halves, default=widest)), 2)
    return round(0.5 - half, 2), round(0.5 + half, 2)


def write(target: Path, name: str, models: Sequence[Model]) -> None:
    (target / f"{name}.onnx").write_bytes(to_onnx(models))


def build(data_folder: Path, target: Path, cache: Path, *, reuse_encoder: bool) -> None:
    target.mkdir(parents=True, exist_ok=True)
    if not (reuse_encoder and (target / "encoder.onnx").is_file()):
        encoder(target)
    data = {kind: read(data_folder, kind) for kind in ("retrieval", "answers", "groundedness")}
    vectors = encode(
        all_texts(data), model=target / "encoder.onnx", tokenizer=target / "tokenizer.json", cache=cache
    )
    say(f"{len(vectors)} texts encoded")
    heads, measured = train(data, vectors, target)
    (target / "heads.json").write_text(heads.model_dump_json(indent=None) + "\n", encoding="utf-8")
    manifest = seal(target)
    leave_out(measured)
    (target / "card.json").write_text(
        json.dumps(card(data, measured, manifest), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def train(data: dict[str, list[Row]], vectors: Vectors, target: Path) -> tuple[Heads, dict]:
    events = [support.prepare(row, vectors) for row in with_variants(data["retrieval"])]
    stages = support.Stages(events, folds([event.row.group for event in events]))
    say("features of passages made")
    first, second = stages.crossed()
    counted = lists.Lists(stages, first, second)
    at_least = counted.crossed()
    say("support crossed")
    everything = np.ones(len(events), dtype=bool)
    models = stages.one(everything)
    write(target, "support-1", models)
    write(target, "support-2", stages.two(support.sigmoid(first), everything))
    counts = []
    for i in range(counting.MOST):
        write(target, f"counts-{i + 1}", counted.fit(i, everything))
        counts.append(head(counting.NAMES, counted.margins[i], counted.counts > i, counted.weights))
    probability = stages.calibrated(second)
    ship = {
        "support_first": head(NAMES, first, stages.labels),
        "support": head((*NAMES, *BELIEF), second, stages.labels, band=UNSURE),
        "counts": tuple(counts),
    }
    measured = {
        "support": {
            "events": events,
            "stages": stages,
            "probability": probability,
            "cited": counted.decisions(probability, at_least),
        }
    }
    for name, features, table in (
        ("grounded", claims.NAMES, binary.grounded(data["groundedness"], vectors)),
        ("correct", answers.NAMES, binary.correct(data["answers"], vectors)),
    ):
        margin = table.crossed()
        p = table.calibrated(margin)
        write(target, name, table.fit(np.ones(len(p), dtype=bool)))
        least = 0.85 if name == "grounded" else 0.7
        ship[name] = head(
            features, margin, table.labels, table.weights, band=band(p, table.labels, least=least)
        )
        measured[name] = {"table": table, "probability": p, "decision": ship[name]}
        say(f"{name} trained")
    facts, told = [], []
    for least in (2, 3):
        table = binary.facts(data["retrieval"], least=least)
        margin = table.crossed()
        facts.append(head(tasks.NAMES, margin, table.labels, table.weights))
        told.append(table.calibrated(margin))
        write(target, f"facts-{least}", table.fit(np.ones(len(margin), dtype=bool)))
    measured["facts"] = {"rows": data["retrieval"], "at_least": told}
    say("facts trained")
    return Heads(facts=tuple(facts), **ship), measured


def leave_out(measured: dict) -> None:
    """Adds what judges say that never saw the data set: nothing that is shipped depends on it."""
    for name in ("grounded", "correct"):
        table = measured[name]["table"]
        measured[name]["left_out"] = table.calibrated(table.crossed(table.dataset), table.dataset)
        say(f"{name} left out")
    measured["support"]["left_out"] = lists.left_out(measured["support"]["stages"])
    say("support left out")


def seal(target: Path) -> dict:
    """`manifest.json`: SHA-256 of every file that can move a verdict, and the digest over them all."""
    names = sorted(path.name for path in target.iterdir() if path.suffix == ".onnx" or path.name in PLAIN)
    digests = {name: hashlib.sha256((target / name).read_bytes()).hexdigest() for name in names}
    before = json.loads(path.read_text()) if (path := target / "manifest.json").is_file() else {"files": {}}
    changed = [name for name in names if before["files"].get(name) != digests[name]]
    say(f"differ from before: {', '.join(changed)}" if changed else "every file is as before")
    whole = hashlib.sha256("".join(f"{name} {digests[name]}\n" for name in names).encode()).hexdigest()
    manifest = {"model": MODEL, "digest": whole, "files": digests}
    path.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


PLAIN = ("tokenizer.json", "heads.json")


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--target", type=Path, default=TARGET)
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "vectors")
    parser.add_argument("--reuse-encoder", action="store_true", help="keep the encoder.onnx that is there")
    flags = parser.parse_args()
    build(flags.data, flags.target, flags.cache, reuse_encoder=flags.reuse_encoder)
