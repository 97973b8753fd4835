"""What an evaluated event carries: requirement verdicts, citations and the three groups of metrics."""

from datetime import datetime

from .base import Record
from .judging import Requirement, Usage
from .numbers import Value
from .verdict import Evidence, Unscored, Verdict


class RequirementList(Record):
    """The requirements of one normalised task. Editing makes a new `version` (from 1); `origin` says who
    wrote it.
    `estimated`: the judge did not phrase them, recall from them is an estimate."""

    task_key: str
    judge_id: str
    version: int
    requirements: tuple[Requirement, ...]
    estimated: bool
    origin: str  # "judge" or "edited"
    author: str | None = None
    created_at: datetime


class RequirementVerdict(Record):
    """One requirement, met or missing; `passages` are the 0-based positions cited for it."""

    requirement: Requirement
    verdict: Verdict
    passages: tuple[int, ...] = ()


class PassageVerdict(Record):
    """What the judge decided of one passage. `cited` None: it abstained."""

    position: int
    cited: bool | None
    probability: float | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


class LabelFree(Record):
    """Label-free metrics, each in 0..1 or undefined. `subquery_recall` only for events with a subquery."""

    recall: Value
    precision: Value
    f1: Value
    ndcg: Value
    subquery_recall: Value | None = None


class GroundTruthMetrics(Record):
    """Against gold ids, by unique documents. Cut-offs as `ir_measures` names them are in `ir`: {"nDCG@10":
    Value}."""

    recall: Value
    precision: Value
    f1: Value
    ir: dict[str, Value]


class EvaluatorMetrics(Record):
    """The judge's citations against gold in context; `exact_match` and `exact_match_strict` are 0 or 1."""

    precision: Value
    recall: Value
    f1: Value
    exact_match: Value
    exact_match_strict: Value


class Evaluation(Record):
    """One judge's evaluation of one event: unique by event, judge identity and requirements version.

    Exactly one of `label_free` and `unscored` is set.
    """

    event_id: str
    judge_id: str
    requirements_version: int
    requirements: tuple[RequirementVerdict, ...] = ()
    passages: tuple[PassageVerdict, ...] = ()
    estimated: bool = False
    label_free: LabelFree | None = None
    unscored: Unscored | None = None
    usage: Usage = Usage()
    evaluated_at: datetime
