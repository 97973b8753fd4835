"""The evaluator accuracy page: how far a judge can be trusted, by slice, beside others, corrected."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import Connection

from steelyard.errors import InvalidInput
from steelyard.schemas.base import Record
from steelyard.schemas.judging import JudgeIdentity
from steelyard.schemas.numbers import Estimate
from steelyard.schemas.query import ReviewProgress
from steelyard.schemas.summary import Corrected, EvaluatorSummary, Summary
from steelyard.store import judges, reviews, summaries

from .asking import Asked, both, chosen_judge, environments, event_filter, nothing_here
from .models import Choice, Empty, JudgeName, SliceRow, Tile
from .overview import slice_choices, slice_row
from .sampling import Sampling, sampling_of
from .view import View
from .wording import BAND_WORDS, BEST_PRACTICES, MEANINGS, NAMES

router = APIRouter()
ENOUGH = 50
JUDGES_COMPARED = 6


class ComparedJudge(Record):
    """One judge's accuracy on the same range: its own row, never averaged with another's."""

    judge_id: str
    labelled: int
    evaluator: EvaluatorSummary
    chosen: bool


class Correction(Record):
    """One metric three ways: as the judge says of all, as gold says of the labelled, and the two together."""

    name: str
    raw: Estimate
    gold_only: Estimate
    corrected: Estimate | None


class AccuracyPage(Record):
    """`few` says that more labels are needed before the bands mean much; `band_range` names the bands of the
    interval's ends when they differ. `vouch` leads to this page with the labels declared a random sample,
    None when nothing is to be gained by it."""

    view: View
    judge: JudgeName | None
    judges: tuple[Choice, ...]
    envs: tuple[Choice, ...]
    labelled: int = 0
    few: bool = False
    tiles: tuple[Tile, ...] = ()
    evaluator: EvaluatorSummary | None = None
    band_words: str | None = None
    band_range: str | None = None
    corrections: tuple[Correction, ...] = ()
    corrected: Corrected | None = None
    sampling: Sampling | None = None
    vouch: str | None = None
    slice_key: str | None = None
    slice_keys: tuple[Choice, ...] = ()
    slices: tuple[SliceRow, ...] = ()
    compared: tuple[ComparedJudge, ...] = ()
    identity: JudgeIdentity | None = None
    progress: ReviewProgress | None = None
    best_practices: tuple[str, ...] = BEST_PRACTICES
    computed_from: str = "events"
    age_s: float | None = None
    empty: Empty | None = None


@both(router, "/accuracy", template="accuracy.html", title="Evaluator accuracy")
def accuracy_page(c: Connection, ask: Asked) -> AccuracyPage:
    view = ask.view()
    judge, choices = chosen_judge(c, ask.project, view.judge)
    envs = environments(c, ask.project, view)
    chosen = event_filter(view)
    judge_id = judge.id if judge else None
    declared = _declared(ask.params.get("labelled_are_sample"))
    summary = summaries.summary(
        c, ask.project, chosen, judge_id=judge_id, now=ask.now, labelled_are_sample=declared
    )
    if not summary.n or judge is None:
        empty = nothing_here(c, ask, view, "/accuracy") if not summary.n else NOT_JUDGED
        return AccuracyPage(view=view, judge=judge, judges=choices, envs=envs, empty=empty)
    evaluator = summary.evaluator
    sampling = sampling_of(c, ask.project, chosen)
    if not labelled_of(summary):
        return AccuracyPage(
            view=view, judge=judge, judges=choices, envs=envs, empty=NO_LABELS, sampling=sampling
        )
    key, keys = slice_choices(c, ask, chosen)
    return AccuracyPage(
        view=view,
        judge=judge,
        judges=choices,
        envs=envs,
        labelled=labelled_of(summary),
        few=labelled_of(summary) < ENOUGH,
        tiles=tiles_of(summary),
        evaluator=evaluator,
        band_words=BAND_WORDS[evaluator.band] if evaluator.band else None,
        band_range=band_range(evaluator),
        corrections=corrections_of(summary),
        corrected=summary.corrected,
        sampling=sampling,
        vouch="/accuracy" + view.query(labelled_are_sample="true") if summary.corrected.withheld else None,
        slice_key=key,
        slice_keys=keys,
        slices=_slices(c, ask, key, judge_id) if key else (),
        compared=_compared(c, ask, choices, summary),
        identity=judges.get(c, judge.id),
        progress=reviews.progress(c, ask.project, chosen, judge_id=judge.id),
        computed_from=summary.computed_from,
        age_s=summary.age_s,
    )


NOT_JUDGED = Empty(
    title="Nothing judged yet",
    advice="Events are here, but no judge has evaluated any. Wait a moment, or look whether a worker runs:",
    paste="steelyard doctor",
)
NO_LABELS = Empty(
    title="No labels in this range",
    advice="Log events with gold_doc_ids, or label a random sample below. Start with 50-100 events:",
    paste='client.log(task, context, ground_truth={"gold_doc_ids": ["faq-7"]}, sample_rate=1.0)',
    link="/events",
    link_name="Label an event",
)


def labelled_of(summary: Summary) -> int:
    """Evaluated events with gold ids: exact match is defined for each of them."""
    return summary.evaluator.exact_match.n


def tiles_of(summary: Summary) -> tuple[Tile, ...]:
    """The six averages of the evaluator's accuracy."""
    truth, evaluator = summary.ground_truth, summary.evaluator
    found = {
        "gt_recall": truth.recall,
        "gt_precision": truth.precision,
        "evaluator_precision": evaluator.precision,
        "evaluator_recall": evaluator.recall,
        "evaluator_f1": evaluator.f1,
        "exact_match": evaluator.exact_match,
    }
    return tuple(
        Tile(key=key, name=NAMES[key], meaning=MEANINGS[key], estimate=estimate)
        for key, estimate in found.items()
    )


def band_range(evaluator: EvaluatorSummary) -> str | None:
    """`low to moderate` when the ends of the interval lie in different bands."""
    if evaluator.low_band is None or evaluator.high_band is None or evaluator.low_band == evaluator.high_band:
        return None
    return f"{evaluator.low_band} to {evaluator.high_band}"


def corrections_of(summary: Summary) -> tuple[Correction, ...]:
    corrected = summary.corrected
    return tuple(
        Correction(
            name=NAMES[name],
            raw=getattr(summary.label_free, name),
            gold_only=getattr(summary.ground_truth, name),
            corrected=None if corrected.withheld else getattr(corrected, name),
        )
        for name in ("recall", "precision")
    )


def _declared(text: str | None) -> bool:
    if text not in (None, "", "true", "false"):
        raise InvalidInput(
            f"labelled_are_sample {text!r} is neither true nor false", field="labelled_are_sample"
        )
    return text == "true"


def _slices(c: Connection, ask: Asked, key: str, judge_id: str | None) -> tuple[SliceRow, ...]:
    """Least accurate first; slices without labels last."""
    found = summaries.slices(
        c, ask.project, event_filter(ask.view()), key=key, judge_id=judge_id, now=ask.now
    )
    rows = [slice_row(one.value, one.summary) for one in found.slices]
    return tuple(
        sorted(rows, key=lambda r: (r.evaluator.f1.value is None, r.evaluator.f1.value or 0.0, -r.events))
    )


def _compared(
    c: Connection, ask: Asked, choices: tuple[Choice, ...], shown: Summary
) -> tuple[ComparedJudge, ...]:
    chosen = event_filter(ask.view())
    rows = []
    for choice in choices[:JUDGES_COMPARED]:
        summary = (
            shown
            if choice.chosen
            else summaries.summary(c, ask.project, chosen, judge_id=choice.value, now=ask.now)
        )
        rows.append(
            ComparedJudge(
                judge_id=choice.value,
                labelled=labelled_of(summary),
                evaluator=summary.evaluator,
                chosen=choice.chosen,
            )
        )
    return tuple(rows)
