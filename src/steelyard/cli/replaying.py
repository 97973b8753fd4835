"""`steelyard replay`: a file of retrievals, evaluated."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from steelyard.errors import InvalidInput, StoreLocked

from . import exits
from .flags import Json, JudgeFlags, Verbose

if TYPE_CHECKING:
    from steelyard.config import Settings
    from steelyard.replay import BadRow, Outcome, Plan

_NAMED = 20


def replay(
    file: Path,
    /,
    *,
    dataset: str | None = None,
    format: Literal["events", "ragas", "trec", "beir"] | None = None,
    qrels: Path | None = None,
    documents: Path | None = None,
    queries: Path | None = None,
    run: Path | None = None,
    split: str | None = None,
    skip_bad: Annotated[bool, Parameter(negative="")] = False,
    url: str | None = None,
    json: Json = False,
    verbose: Verbose = False,
    settings: JudgeFlags | None = None,
) -> int:
    """Evaluates a file of retrievals and prints how good they are and how far to believe the judge.

    FILE is JSON lines of events (task, context, ground_truth) or of ragas rows (user_input,
    retrieved_contexts, reference_contexts), a TREC run, or a BEIR folder. With --url or STEELYARD_URL the
    events go to that server; with --data they are kept there; else they are kept nowhere. The same file
    again is no second copy.

    Exits with 3 when less than 95% of the events that were due got a verdict.

    Args:
        file: File or folder.
        dataset: Name to file the events under (default: each row's own, else the file's name).
        format: Format, where it cannot be told by the fields.
        qrels: Judgements of a TREC run.
        documents: Texts of a TREC run's documents, JSONL or id<TAB>text.
        queries: Texts of a TREC run's queries, the same.
        run: Run of a BEIR folder (without one, BM25 ranks).
        split: Judgements of a BEIR folder: test, dev or train.
        skip_bad: Leave bad lines out instead of storing nothing.
        url: Server to replay against.
    """
    from steelyard.config import Settings
    from steelyard.replay import check, open_source

    from . import console

    console.set_up_logging(verbose=verbose)
    flags = settings or JudgeFlags()
    limits = Settings.load(**_place(flags, Path())).limits
    source = open_source(
        file,
        format=format,
        qrels=qrels,
        run=run,
        documents=documents,
        queries=queries,
        split=split,
        limits=limits,
    )
    for note in source.notes:
        console.say(f"{file.name}: {note}")
    plan = check(source, dataset=dataset, limits=limits, now=datetime.now(UTC))
    _refuse_bad(plan, skip_bad=skip_bad)
    outcome = _run(plan, url, flags)
    return _report(plan, outcome, json=json)


def _refuse_bad(plan: "Plan", *, skip_bad: bool) -> None:
    from . import console

    _name(plan.bad)
    if plan.bad and not skip_bad:
        raise InvalidInput(
            f"{len(plan.bad)} of {plan.n + len(plan.bad)} rows are bad and nothing was stored",
            hint="Mend them, or give --skip-bad.",
        )
    if not plan.n:
        raise InvalidInput("there is no row to replay")
    if plan.bad:
        console.say(f"{len(plan.bad)} bad rows are left out")


def _name(bad: "tuple[BadRow, ...]") -> None:
    from . import console

    for row in bad[:_NAMED]:
        console.say(f"{row}{f'. {row.hint}' if row.hint else ''}")
    if len(bad) > _NAMED:
        console.say(f"... and {len(bad) - _NAMED} more")


def _run(plan: "Plan", url: str | None, flags: JudgeFlags) -> "Outcome":
    from steelyard.client import Client
    from steelyard.replay import run_local, run_remote
    from steelyard.store import open_store

    from . import console

    server = url or (None if flags.data or flags.database_url else os.environ.get("STEELYARD_URL"))
    with console.replay_bar() as progress:
        if server:
            with Client(base_url=server, background=False, timeout=30.0) as client:
                return run_remote(plan, client, progress=progress)
        with _settings(flags) as settings:
            try:
                store = open_store(settings.url)
            except StoreLocked as problem:
                raise StoreLocked(
                    problem.message,
                    field=problem.field,
                    hint="Replay against that server: --url http://127.0.0.1:8321.",
                ) from None
            try:
                return run_local(plan, store, settings, progress=progress)
            finally:
                store.close()


@contextmanager
def _settings(flags: JudgeFlags) -> "Iterator[Settings]":
    """Settings with the database that the flags name, else one that is gone afterwards."""
    from steelyard.config import Settings

    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        yield Settings.load(**_place(flags, Path(folder)))


def _place(flags: JudgeFlags, folder: Path) -> dict[str, object]:
    from steelyard.config import default_data

    given = flags.given()
    if flags.data is None and flags.database_url is None:
        given["database_url"] = f"sqlite:///{(folder / 'steelyard.sqlite').absolute()}"
    elif flags.database_url is None:
        assert flags.data is not None
        given["database_url"] = f"sqlite:///{(flags.data / 'steelyard.sqlite').absolute()}"
    usual = default_data() / "steelyard.toml"
    if (
        flags.config is None
        and flags.data is None
        and "STEELYARD_CONFIG" not in os.environ
        and usual.is_file()
    ):
        given["config"] = usual
    return given


def _report(plan: "Plan", outcome: "Outcome", *, json: bool) -> int:
    from . import console, report

    if outcome.rejected:
        _name(outcome.rejected)
        console.say(f"{len(outcome.rejected)} rows were rejected by the store")
    if outcome.known:
        console.say(f"{outcome.known} of {plan.n} events were there from an earlier replay")
    summary = outcome.summary
    if json:
        console.print_json(report.as_json(summary))
    else:
        report.show(console.stdout(), summary)
    share = summary.coverage.share
    short = share is not None and share < exits.ENOUGH_COVERAGE
    if short:
        console.say(f"less than {exits.ENOUGH_COVERAGE:.0%} of the events got a verdict")
    return exits.INCOMPLETE if short or outcome.rejected or summary.coverage.pending else exits.DONE
