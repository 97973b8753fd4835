"""TREC's run and qrels files, with documents and queries beside them where there are texts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InvalidInput

from .lines import json_of, raw_lines, text_of
from .rows import BadRow, Row


class BadFile(InvalidInput):
    """A line of a file that all rows depend on."""


@dataclass(frozen=True)
class Hit:
    document: str
    score: float


Run = dict[str, list[Hit]]
Qrels = dict[str, dict[str, int]]
Texts = Mapping[str, str]


def read_run(path: Path, *, depth: int) -> Run:
    """The `depth` best documents of each query, `qid Q0 docid rank score tag` a line, by falling score and,
    as trec_eval does, ties by falling document id; the rank column is not used. A document named twice
    counts once, at its best. Raises `BadFile`."""
    best: dict[str, dict[str, float]] = {}
    for number, cells in _cells(path):
        if len(cells) != 6:
            raise _bad(path, number, f"a run line has 6 columns, this one {len(cells)}")
        query, document, score = cells[0], cells[2], _number(path, number, cells[4])
        found = best.setdefault(query, {})
        found[document] = max(score, found.get(document, score))
    return {
        query: [
            Hit(document, score)
            for document, score in sorted(found.items(), key=lambda item: (item[1], item[0]), reverse=True)[
                :depth
            ]
        ]
        for query, found in best.items()
    }


def read_qrels(path: Path) -> Qrels:
    """Grades by query and document: TREC's `qid 0 docid grade`, or BEIR's three columns with a header."""
    qrels: Qrels = {}
    for position, (number, cells) in enumerate(_cells(path)):
        if len(cells) not in (3, 4):
            raise _bad(path, number, f"a qrels line has 3 or 4 columns, this one {len(cells)}")
        if position == 0 and not _is_number(cells[-1]):
            continue
        grade = _number(path, number, cells[-1])
        qrels.setdefault(cells[0], {})[cells[-2]] = int(grade)
    return qrels


def read_texts(path: Path) -> dict[str, str]:
    """Texts by id: JSON lines with `_id`, `id` or `docno` and `text` (a `title` goes before it), or
    `id<TAB>text`."""
    texts: dict[str, str] = {}
    for number, line in raw_lines(path):
        try:
            if line.startswith(b"{"):
                data = json_of(line)
                name = next(
                    (data[key] for key in ("_id", "id", "docno", "qid") if data.get(key) is not None), None
                )
                if not isinstance(name, str | int) or not isinstance(data.get("text"), str):
                    raise InvalidInput(
                        "an _id and a text are needed", field="/_id" if name is None else "/text"
                    )
                title = data.get("title")
                texts[str(name)] = (
                    f"{title}\n{data['text']}" if isinstance(title, str) and title else data["text"]
                )
            else:
                name, tab, text = text_of(line).partition("\t")
                if not tab:
                    raise InvalidInput("no tab between an id and a text")
                texts[name] = text
        except InvalidInput as problem:
            raise _bad(path, number, problem.message, field=problem.field) from None
    return texts


@dataclass(frozen=True)
class Retrieved:
    """A run joined with what is known: one event a query, in the order of the run, then judged queries that
    the run answered with nothing. `texts` None: no texts, so nothing that a judge could read."""

    file: str
    run: Run
    qrels: Qrels | None
    documents: Texts | None
    queries: Texts | None
    passage_chars: int

    @property
    def judgeable(self) -> bool:
        return self.documents is not None and self.queries is not None

    def rows(self) -> Iterator[Row | BadRow]:
        """Lines are counted by query: the files have many lines for each."""
        wanted = list(self.run) + [query for query in self.qrels or () if query not in self.run]
        for number, query in enumerate(wanted, start=1):
            task = query if self.queries is None else self.queries.get(query)
            if task is None:
                yield BadRow(self.file, number, f"the query {query!r} has no text in the queries file")
                continue
            missing = self._missing(query)
            if missing is not None:
                yield BadRow(self.file, number, f"the document {missing!r} of query {query!r} has no text")
                continue
            yield Row(self.file, number, self._event(query, task))

    def _missing(self, query: str) -> str | None:
        if self.documents is None:
            return None
        return next(
            (hit.document for hit in self.run.get(query, ()) if hit.document not in self.documents), None
        )

    def _event(self, query: str, task: str) -> dict[str, Any]:
        text: Callable[[str], str] = (self.documents or {}).__getitem__ if self.documents else lambda _: ""
        event: dict[str, Any] = {
            "task": task,
            "context": [
                {
                    "id": hit.document,
                    "text": text(hit.document)[: self.passage_chars],
                    "rank": rank,
                    "score": hit.score,
                }
                for rank, hit in enumerate(self.run.get(query, ()), start=1)
            ],
            "metadata": {"query_id": query},
        }
        if self.qrels is not None and query in self.qrels:
            gold = [document for document, grade in self.qrels[query].items() if grade > 0]
            event["ground_truth"] = {"gold_doc_ids": gold}
        if not self.judgeable:
            event["sample_rate"] = 0.0
        return event


def _cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in raw_lines(path):
        try:
            yield number, text_of(line).split()
        except InvalidInput as problem:
            raise _bad(path, number, problem.message) from None


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def _number(path: Path, line: int, text: str) -> float:
    if not _is_number(text) or text.lower().lstrip("+-").startswith("inf"):
        raise _bad(path, line, f"{text[:40]!r} is not a number")
    return float(text)


def _bad(path: Path, line: int, message: str, *, field: str | None = None) -> BadFile:
    return BadFile(f"{path.name}:{line}: {message}", field=field)
