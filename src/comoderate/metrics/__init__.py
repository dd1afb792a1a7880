"""Metrics of classifiers and of the pair of classifier and moderator, and the estimates that carry them."""

from comoderate.metrics.collaboration import (
    CollaborationCurves,
    collaboration_curves,
    oracle_collaborative_accuracy,
    oracle_collaborative_auroc,
    oracle_collaborative_average_precision,
    oracle_collaborative_f1,
    oracle_collaborative_precision,
    oracle_collaborative_recall,
    review_accuracy_curves,
    review_counts,
    review_effectiveness,
    review_efficiency,
)
from comoderate.metrics.decisions import (
    BestF1,
    Confusion,
    accuracy,
    best_f1,
    confusion,
    f1,
    false_positive_rate,
    precision,
    recall,
)
from comoderate.metrics.estimate import Estimate
from comoderate.metrics.interval import Replicated, as_estimates, effective_size, estimate, replicate
from comoderate.metrics.order import reviewed_share
from comoderate.metrics.pair import ReviewCounts
from comoderate.metrics.ranking import (
    PrecisionRecallCurve,
    RocCurve,
    auroc,
    average_precision,
    precision_recall_curve,
    roc_curve,
)
from comoderate.metrics.replicates import poisson_replicates
from comoderate.metrics.uncertainty import calibration_auroc, calibration_average_precision

__all__ = [
    "BestF1",
    "CollaborationCurves",
    "Confusion",
    "Estimate",
    "PrecisionRecallCurve",
    "Replicated",
    "ReviewCounts",
    "RocCurve",
    "accuracy",
    "as_estimates",
    "auroc",
    "average_precision",
    "best_f1",
    "calibration_auroc",
    "calibration_average_precision",
    "collaboration_curves",
    "confusion",
    "effective_size",
    "estimate",
    "f1",
    "false_positive_rate",
    "oracle_collaborative_accuracy",
    "oracle_collaborative_auroc",
    "oracle_collaborative_average_precision",
    "oracle_collaborative_f1",
    "oracle_collaborative_precision",
    "oracle_collaborative_recall",
    "poisson_replicates",
    "precision",
    "precision_recall_curve",
    "recall",
    "replicate",
    "review_accuracy_curves",
    "review_counts",
    "review_effectiveness",
    "review_efficiency",
    "reviewed_share",
    "roc_curve",
]
