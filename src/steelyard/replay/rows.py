"""Rows of a file as events of the wire: the product's own shape and ragas'. Nothing is validated here but
what has to be read."""

import hashlib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.errors import InvalidInput


@dataclass(frozen=True)
class Row:
    """One event as it would be sent, and where it was read. `renamed` maps the wire's fields to the
    file's."""

    file: str
    line: int
    event: Mapping[str, Any]
    renamed: tuple[tuple[str, str], ...] = ()

    def field(self, pointer: str | None) -> str | None:
        """A JSON Pointer into the event as one into the row of the file."""
        for wire, ours in self.renamed:
            if pointer is not None and (pointer == wire or pointer.startswith(f"{wire}/")):
                return ours + pointer[len(wire) :]
        return pointer


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be replayed: named by file, line and field."""

    file: str
    line: int
    message: str
    field: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        where = f" (at {self.field})" if self.field else ""
        return f"{self.file}:{self.line}: {self.message}{where}"


Reader = Callable[[Mapping[str, Any]], tuple[dict[str, Any], tuple[tuple[str, str], ...]]]

_TASK = ("user_input", "question")
_RETRIEVED = ("retrieved_contexts", "contexts")
_REFERENCE = ("reference_contexts", "ground_truth_contexts")
_ANSWER = ("reference", "ground_truth", "ground_truths", "ground_truth_answers")
_KEPT = ("event_id", "metadata", "created_at")


def as_sent(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """The product's own shape needs no change."""
    return dict(data), ()


def as_ragas(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """A ragas row: contexts are bare texts, so a digest of the text is the document's id, and a reference is
    gold wherever it was retrieved or not. Ids beside the texts (`retrieved_context_ids`,
    `reference_context_ids`) win.

    Raises `InvalidInput` with the row's own field names.
    """
    task = _first(data, _TASK)
    retrieved = _first(data, _RETRIEVED)
    for names, found in ((_TASK, task), (_RETRIEVED, retrieved)):
        if found is None:
            raise InvalidInput(
                f"{names[0]} is missing", field=f"/{names[0]}", hint=f"A ragas row has {' or '.join(names)}."
            )
    assert task is not None
    assert retrieved is not None
    if not isinstance(data[task], str):
        raise InvalidInput(
            f"{task} is not a text", field=f"/{task}", hint="Conversations of several turns are not replayed."
        )
    ids = _ids(data, "retrieved_context_ids", beside=retrieved)
    context = [
        {"text": text, "id": ids[place] if ids else text_id(text)}
        for place, text in enumerate(_texts(data, retrieved))
    ]
    event = {name: data[name] for name in _KEPT if name in data} | {"task": data[task], "context": context}
    truth: dict[str, Any] = {}
    reference = _first(data, _REFERENCE)
    gold = _ids(data, "reference_context_ids", beside=None)
    if gold is not None and ids is not None:
        truth["gold_doc_ids"] = gold
    elif reference is not None:
        truth["gold_doc_ids"] = [text_id(text) for text in _texts(data, reference)]
    answer = _first(data, _ANSWER)
    if answer is not None:
        given = data[answer]
        truth["answer"] = given[0] if isinstance(given, list) and given else given
        if not isinstance(truth["answer"], str):
            del truth["answer"]
    if truth:
        event["ground_truth"] = truth
    return event, (
        ("/task", f"/{task}"),
        ("/context", f"/{retrieved}"),
        ("/ground_truth/gold_doc_ids", f"/{reference or 'reference_context_ids'}"),
        ("/ground_truth/answer", f"/{answer}"),
    )


def text_id(text: str) -> str:
    """The id of a passage that is only a text: 16 hex digits of SHA-256 of it, NFC and white space folded."""
    folded = " ".join(unicodedata.normalize("NFC", text).split())
    return f"text-{hashlib.sha256(folded.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _first(data: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if data.get(name) is not None), None)


def _texts(data: Mapping[str, Any], name: str) -> list[str]:
    found = data[name]
    if not isinstance(found, list):
        raise InvalidInput(f"{name} is not a list of texts", field=f"/{name}")
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise InvalidInput(f"item {place} of {name} is not a text", field=f"/{name}/{place}")
    return found


def _ids(data: Mapping[str, Any], name: str, *, beside: str | None) -> list[Any] | None:
    found = data.get(name)
    if found is None:
        return None
    if not isinstance(found, list):
        raise InvalidInput(f"{name} is not a list of ids", field=f"/{name}")
    if beside is not None and len(found) != len(_texts(data, beside)):
        raise InvalidInput(f"{name} and {beside} are of different lengths", field=f"/{name}")
    return found
