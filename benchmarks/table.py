"""Writes the README's figures and the judge card's tables from the committed results: `python -m
benchmarks.table`."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
SETS = {"hotpotqa_dev500": "HotpotQA", "covidqa": "COVID-QA", "policyqa_legal": "PolicyQA"}
BASELINES = {"bm25": "BM25", "cosine": "cosine"}
START, END = "<!-- figures -->\n", "<!-- /figures -->"


def load(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def rows() -> list[tuple[str, str, str, str]]:
    """What, here, beside what, and the module that measures it."""
    judge, speed = load("judge/accuracy"), load("judge/speed")
    ir, ingest, client = load("ir_metrics"), load("ingest")["results"], load("client_log")
    memory, pages = load("memory")["results"], load("overview")["pages"]
    return [
        *(_support(judge["support"]["sets"][key], name) for key, name in SETS.items()),
        (
            "Embedded judge, events of 8 passages of ~100 tokens",
            f"{speed['events_a_second']:.0f} events/s",
            f"encoder {speed['ratio_to_plain_pytorch']:.1f} times plain PyTorch fp32",
            "judge_speed",
        ),
        (
            "Rank metrics, 100 documents a query",
            f"{ir['queries_per_second']:,} queries/s",
            f"pytrec_eval {ir['pytrec_eval_queries_per_second']:,}; equal to 1e-9",
            "ir_metrics",
        ),
        *(_ingest(ingest[key], name) for key, name in (("sqlite", "SQLite"), ("postgresql", "PostgreSQL"))),
        (
            "`client.log`, in the caller",
            f"{client['median_us']:.0f} µs median",
            "at most 50 µs",
            "client_log",
        ),
        (
            "Server, idle and with the model loaded",
            f"{memory['idle_mb']:.0f} and {memory['with_model_mb']:.0f} MB",
            "at most 200 and 450 MB",
            "memory",
        ),
        (
            "Overview, first byte at 1,000,000 events in SQLite",
            f"{pages['/overview']['median_ms']:.0f} ms median",
            "at most 300 ms",
            "overview",
        ),
    ]


def _support(found: Any, name: str) -> tuple[str, str, str, str]:
    f1, base = found["macro_f1"], found["baselines"]
    beside = ", ".join(f"{what} {base[key]['macro_f1']:.2f}" for key, what in BASELINES.items())
    return (
        f"Passages the embedded judge cites, {name}, F1 (cross-validated)",
        f"{f1['value']:.2f} [{f1['low']:.2f}, {f1['high']:.2f}]",
        beside,
        "judge_accuracy",
    )


def _ingest(found: Any, name: str) -> tuple[str, str, str, str]:
    return (
        f"Events taken in over HTTP, durably, {name}",
        f"{found['http_events_per_second']:,} events/s",
        f"{found['http_ratio']:.2f} of the raw driver",
        "ingest",
    )


def table() -> str:
    head = "| what | here | beside it | measured by |\n|---|---|---|---|\n"
    return head + "".join(
        f"| {what} | {here} | {beside} | `benchmarks/{name}.py` |\n" for what, here, beside, name in rows()
    )


def card() -> str:
    """What the judge was measured on, question by question."""
    judge = load("judge/accuracy")
    lines = [
        "### Which passages support the task\n",
        "| set | n | F1 of the cited set | exact | F1, set left out | BM25 | cosine |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, found in judge["support"]["sets"].items():
        base = found["baselines"]
        lines.append(
            f"| {name} | {found['n']} | {_shown(found['macro_f1'])} | {found['exact_match']['value']:.3f} | "
            f"{found['left_out']['macro_f1']['value']:.3f} | {base['bm25']['macro_f1']:.3f} | "
            f"{base['cosine']['macro_f1']:.3f} |"
        )
    for question, title in (("correct", "Is the answer right"), ("grounded", "Is the claim in the source")):
        lines += [
            f"\n### {title}\n",
            "| set | n | balanced accuracy | set left out | word overlap |",
            "|---|---|---|---|---|",
        ]
        for name, found in judge[question]["parts"].items():
            lines.append(
                f"| {name} | {found['n']} | {_shown(found['balanced_accuracy'])} | "
                f"{found['left_out']['balanced_accuracy']['value']:.3f} | "
                f"{found['baselines']['overlap']['balanced_accuracy']:.3f} |"
            )
    lines += [
        "\n### How many facts a task needs\n",
        "| set | n | exactly right | mean error |",
        "|---|---|---|---|",
    ]
    for name, found in judge["requirements"]["sets"].items():
        lines.append(f"| {name} | {found['n']} | {found['exact']:.2f} | {found['mean_error']:+.2f} |")
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    if value["low"] is None:
        return f"{value['value']:.3f}"
    return f"{value['value']:.3f} [{value['low']:.3f}, {value['high']:.3f}]"


MADE = {ROOT / "README.md": table, ROOT / "docs" / "judge-card.md": card}


def written(path: Path) -> str:
    """The document with today's figures."""
    before, _, rest = path.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}{MADE[path]()}{END}{after}"


if __name__ == "__main__":
    for document in MADE:
        document.write_text(written(document), encoding="utf-8")
