"""The shipped judge's card as a table and as JSON: cross-validated accuracy beside BM25 and cosine.

The numbers are made by `make judge`, which alone has judges that never saw a row; this prints and files them.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import steelyard_judge

RESULT = Path(__file__).parent / "results" / "judge" / "accuracy.json"


def support(card: dict[str, Any]) -> list[str]:
    lines = ["support (F1/exact)       n   judge [95%]             left out    BM25        cosine"]
    for name, each in card["support"]["sets"].items():
        f1, exact, away = each["macro_f1"], each["exact_match"], each["left_out"]
        bm25, cosine = each["baselines"]["bm25"], each["baselines"]["cosine"]
        plain = "  ".join(f"{base['macro_f1']:.3f}/{base['exact_match']:.3f}" for base in (bm25, cosine))
        lines.append(
            f"{name:20} {each['n']:5}   {f1['value']:.3f}/{exact['value']:.3f} "
            f"[{f1['low']:.3f}-{f1['high']:.3f}]  "
            f"{away['macro_f1']['value']:.3f}/{away['exact_match']['value']:.3f}  {plain}"
        )
    return lines


def yes_no(card: dict[str, Any], question: str) -> list[str]:
    lines = [f"{question:30} n   accuracy balanced [95%]          left out  overlap (balanced)"]
    for name, each in card[question]["parts"].items():
        value = each["balanced_accuracy"]
        shown = f"[{value['low']:.3f}-{value['high']:.3f}]" if value["low"] is not None else "[undefined]"
        lines.append(
            f"{name:28} {each['n']:5}   {each['accuracy']['value']:.3f}    {value['value']:.3f} {shown:15} "
            f"{each['left_out']['balanced_accuracy']['value']:.3f}     "
            f"{each['baselines']['overlap']['balanced_accuracy']:.3f}"
        )
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT)
    out = parser.parse_args().out
    card = steelyard_judge.card()
    for line in (*support(card), "", *yes_no(card, "correct"), "", *yes_no(card, "grounded")):
        print(line)
    kept = {
        name: card[name] for name in ("digest", "method", "support", "correct", "grounded", "requirements")
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
