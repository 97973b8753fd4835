"""What the pages call things, and what they advise: names, meanings, bands, best practices."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.schemas.summary import Band

NAMES: Mapping[str, str] = {
    "recall": "Recall",
    "precision": "Precision",
    "f1": "F1",
    "ndcg": "nDCG",
    "gt_recall": "GT recall",
    "gt_precision": "GT precision",
    "gt_f1": "GT F1",
    "evaluator_precision": "Evaluator precision",
    "evaluator_recall": "Evaluator recall",
    "evaluator_f1": "Evaluator F1",
    "exact_match": "Exact match",
}
MEANINGS: Mapping[str, str] = {
    "recall": "Share of the task's requirements that the passages support, as the judge sees it",
    "precision": "Share of the retrieved documents that the judge cites",
    "f1": "Harmonic mean of recall and precision",
    "ndcg": "Whether cited documents come first; only events with a rank or score count",
    "gt_recall": "Share of the gold documents that were retrieved",
    "gt_precision": "Share of the retrieved documents that are gold",
    "gt_f1": "Harmonic mean of GT recall and GT precision",
    "gt_ndcg": "Whether gold documents come first, in the top 10",
    "latency": "95 of 100 events are judged within this time",
    "evaluator_precision": "Share of the judge's citations that are gold",
    "evaluator_recall": "Share of the gold documents in the context that the judge cites",
    "evaluator_f1": "Harmonic mean of evaluator precision and recall; the bands are about it",
    "exact_match": "Share of events where the judge cites exactly the gold documents in the context",
}
BAND_WORDS: Mapping[Band, str] = {
    "high": "High, above 0.9: trust it for monitoring.",
    "moderate": "Moderate, 0.7 to 0.9: review disagreements. Relevance may be implicit, labels incomplete or "
    "terms of your domain unknown to the judge.",
    "low": "Low, under 0.7: are labels comprehensive? Is the terminology unusual? Are passages long?",
}
BEST_PRACTICES = (
    "Use the same document ids in your index, your labels and the events you log.",
    "Start with 50-100 labelled events; the intervals say when more are worth it.",
    "Include borderline cases, not only the easy ones.",
    "Review disagreements: often the label is wrong, not the judge.",
    "Log labelled events with sample_rate 1.0, so that each one is evaluated.",
)
STATUS_WORDS: Mapping[str, str] = {
    "queued": "waiting",
    "evaluating": "being judged",
    "evaluated": "evaluated",
    "not_sampled": "not sampled",
    "unscored": "unscored",
    "error": "failed",
    "cancelled": "cancelled",
}
KIND_WORDS: Mapping[str, str] = {
    "false_citation": "cited, not gold",
    "missed_gold": "gold, not cited",
    "agreement": "agreement, drawn at random",
}
DECISION_WORDS: Mapping[str, str] = {
    "judge_right": "judge right",
    "label_right": "label right",
    "unclear": "unclear",
}
