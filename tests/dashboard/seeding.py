"""Events for the pages: a few days of a support bot, with labels the judge does not always agree with."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

SCRIPT = "<script>window.planted = 1</script>"
PLANTED = f"""{SCRIPT}<img src=x onerror="window.planted = 2">'"{{{{7*7}}}}</textarea></title>"""
"""A string that would act if any page let it: tags, attributes, quotes and template braces."""

FACTS = {
    "refund": "A refund takes fourteen days after we receive the parcel.",
    "sale": "Items bought in the sale are refunded as a voucher only.",
    "return": "Print a return label in your account under orders.",
    "gift": "Gift cards expire three years after purchase.",
    "delivery": "Delivery to islands takes two extra days.",
    "warranty": "The warranty of shoes covers six months.",
}
TASKS = (
    ("How long does a refund take after the parcel arrives?", ("refund",)),
    ("Are items bought in the sale refunded?", ("sale", "refund")),
    ("Where do I print a return label?", ("return",)),
    ("When do gift cards expire and how long is the shoe warranty?", ("gift", "warranty")),
    ("How long does delivery to islands take?", ("delivery",)),
)


def passages(*names: str) -> list[dict[str, Any]]:
    return [
        {"id": name, "text": FACTS[name], "source": "faq" if rank % 2 else "wiki", "rank": rank}
        for rank, name in enumerate(names, start=1)
    ]


def events(n: int, *, now: datetime | None = None) -> Iterator[dict[str, Any]]:
    """`n` labelled and unlabelled events of the last five days, oldest first."""
    until = now or datetime.now(UTC)
    names = list(FACTS)
    for i in range(n):
        task, gold = TASKS[i % len(TASKS)]
        shift = i % len(names)
        found = [*gold[: 1 + i % 2], *names[shift : shift + 3]]
        yield {
            "event_id": f"event-{i}",
            "task": task,
            "context": passages(*dict.fromkeys(found)),
            "ground_truth": {"gold_doc_ids": list(gold)} if i % 3 else None,
            "metadata": {
                "env": "production" if i % 4 else "staging",
                "dataset": ("orders", "returns", "shop")[i % 3],
                "release": f"2026.{1 + (2 * i) // n}",
            },
            "sample_rate": 1.0,
            "created_at": (until - timedelta(days=5) * (n - i) / (n + 1)).isoformat(),
        }


def planted() -> dict[str, Any]:
    """One event with the planted string wherever people may write text."""
    return {
        "event_id": f"../{PLANTED[:60]}",
        "task": f"How long does a refund take? {PLANTED}",
        "context": [
            {
                "id": PLANTED[:80],
                "text": f"A refund takes fourteen days. {PLANTED}",
                "source": PLANTED[:80],
                "rank": 1,
            },
            {"id": "quiet", "text": "Nothing of use.", "rank": 2},
        ],
        "ground_truth": {"gold_doc_ids": ["quiet", PLANTED[:50]], "answer": PLANTED},
        "metadata": {"env": PLANTED, "dataset": PLANTED, PLANTED[:40]: PLANTED, "feature_flag": PLANTED},
        "subquery": PLANTED,
        "sample_rate": 1.0,
        "created_at": datetime.now(UTC).isoformat(),
    }
