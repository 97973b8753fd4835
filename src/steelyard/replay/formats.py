"""Which format a file is in, told by its fields, and the source that reads it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from steelyard.errors import ConfigurationError, InvalidInput
from steelyard.schemas.event import Limits

from . import beir, trec
from .lines import digest_of, json_of, raw_lines, text_of
from .rows import BadRow, Reader, Row, as_ragas, as_sent

Format = Literal["events", "ragas", "trec", "beir"]
_READERS: dict[Format, Reader] = {"events": as_sent, "ragas": as_ragas}


@dataclass(frozen=True)
class Source:
    """Rows that can be read more than once. `digest` is over everything they are made of, `notes` are
    sentences that a reader of the numbers should see."""

    name: str
    format: Format
    digest: str
    rows: Callable[[], Iterator[Row | BadRow]]
    notes: tuple[str, ...] = field(default=())


def open_source(
    path: Path,
    *,
    format: Format | None = None,
    qrels: Path | None = None,
    run: Path | None = None,
    documents: Path | None = None,
    queries: Path | None = None,
    split: str | None = None,
    limits: Limits | None = None,
) -> Source:
    """The source at `path`: a JSON lines file of events or ragas rows, a TREC run (with `qrels`, and
    `documents` and `queries` for its texts), or a BEIR folder (`split` of its qrels, `run` beside them).

    Raises `ConfigurationError` for files that are missing or do not fit together, `InvalidInput` for one
    that all rows depend on and that cannot be read.
    """
    bounds = limits or Limits()
    found = format or detect(path)
    for option, value, of in (("qrels", qrels, "trec"), ("run", run, "beir"), ("split", split, "beir")):
        if value is not None and found != of:
            raise ConfigurationError(f"--{option} belongs to {of} files, and {path} is {found}", field=option)
    if found == "trec":
        return _trec(path, qrels=qrels, documents=documents, queries=queries, limits=bounds)
    if documents is not None or queries is not None:
        raise ConfigurationError("--documents and --queries belong to trec files", field="documents")
    if found == "beir":
        return _beir(path, run=run, split=split, limits=bounds)
    if not path.is_file():
        raise ConfigurationError(f"{path} is not a file", field="file")
    return Source(_name_of(path), found, digest_of([path]), lambda: _json_rows(path, _READERS[found]))


def detect(path: Path) -> Format:
    """The format by the first line; raises `ConfigurationError` when it is none that is known."""
    if path.is_dir():
        return "beir"
    if not path.exists():
        raise ConfigurationError(f"there is no file {path}", field="file")
    number, first = next(raw_lines(path), (1, b""))
    if not first:
        raise ConfigurationError(f"{path} is empty", field="file")
    hint = "Known are events (task, context), ragas rows, TREC runs and BEIR folders; --format says which."
    try:
        if first.startswith((b"{", b"[")):
            fields = json_of(first).keys()
            if fields & {"user_input", "question", "retrieved_contexts", "contexts"} and not fields & {
                "task",
                "context",
            }:
                return "ragas"
            return "events"
        cells = text_of(first).split()
    except InvalidInput as problem:
        # A first line that is broken JSON is a bad line of the usual format, and named as such later.
        if first.startswith(b"{"):
            return "events"
        raise ConfigurationError(
            f"{path}:{number}: {problem.message}", field="file", hint=problem.hint
        ) from None
    if len(cells) == 6 and cells[3].isdecimal():
        return "trec"
    if len(cells) in (3, 4) and cells[-1].lstrip("-").isdecimal():
        raise ConfigurationError(
            f"{path} looks like qrels", field="file", hint="Give the run as FILE, and this as --qrels."
        )
    raise ConfigurationError(f"{path} is in no format that is known", field="file", hint=hint)


def _name_of(path: Path) -> str:
    """The file's name as a data set's: without endings, and as UTF-8, which file systems do not ask for."""
    name = path.name if path.is_dir() else path.name.split(".")[0]
    return name.encode(errors="replace").decode()


def _json_rows(path: Path, reader: Reader) -> Iterator[Row | BadRow]:
    for number, line in raw_lines(path):
        try:
            event, renamed = reader(json_of(line))
        except InvalidInput as problem:
            yield BadRow(path.name, number, problem.message, problem.field, problem.hint)
        else:
            yield Row(path.name, number, event, renamed)


def _trec(
    path: Path, *, qrels: Path | None, documents: Path | None, queries: Path | None, limits: Limits
) -> Source:
    grades = trec.read_qrels(qrels) if qrels else None
    run = trec.read_run(path, depth=limits.passages)
    if grades is not None and not run.keys() & grades.keys():
        raise ConfigurationError(
            f"no query of {path.name} is judged in {qrels and qrels.name}",
            field="qrels",
            hint="Do they belong together?",
        )
    retrieved = trec.Retrieved(
        path.name,
        run,
        grades,
        trec.read_texts(documents) if documents else None,
        trec.read_texts(queries) if queries else None,
        limits.passage_chars,
    )
    notes = [f"the {limits.passages} best documents of each query are read"]
    if not retrieved.judgeable:
        notes.append("without --documents and --queries there is nothing to judge: ground truth metrics only")
    silent = len((grades or {}).keys() - run.keys())
    if silent:
        notes.append(f"{silent} judged queries have no line in the run and count as having retrieved nothing")
    files = [file for file in (path, qrels, documents, queries) if file is not None]
    return Source(_name_of(path), "trec", digest_of(files), retrieved.rows, tuple(notes))


def _beir(path: Path, *, run: Path | None, split: str | None, limits: Limits) -> Source:
    files = beir.files_of(path, split=split, run=run)
    retrieved = beir.read_folder(files, depth=limits.passages, passage_chars=limits.passage_chars)
    notes = () if "run" in files else ("there is no run: each query gets the 10 best documents by BM25",)
    return Source(_name_of(path.resolve()), "beir", digest_of(list(files.values())), retrieved.rows, notes)
