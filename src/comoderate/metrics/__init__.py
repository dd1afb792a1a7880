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
from comoderate.metrics.comparison import band_of, difference, simultaneous_band
from comoderate.metrics.curve_estimates import estimate_curves
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
from comoderate.metrics.interval import Replicated, as_estimates, estimate, replicate, replicate_form
from comoderate.metrics.order import reviewed_share
from comoderate.metrics.pair import ReviewCounts
from comoderate.metrics.probability import (
    ReliabilityDiagram,
    brier_score,
    expected_calibration_error,
    reliability_diagram,
)
from comoderate.metrics.ranking import (
    PrecisionRecallCurve,
    RocCurve,
    auroc,
    average_precision,
    precision_recall_curve,
    roc_curve,
)
from comoderate.metrics.replicates import poisson_replicates
from comoderate.metrics.selective import area_under_risk_coverage, risk_at_coverage
from comoderate.metrics.shares import effective_size, wilson
from comoderate.metrics.uncertainty import calibration_auroc, calibration_average_precision

__all__ = [
    "BestF1",
    "CollaborationCurves",
    "Confusion",
    "Estimate",
    "PrecisionRecallCurve",
    "ReliabilityDiagram",
    "Replicated",
    "ReviewCounts",
    "RocCurve",
    "accuracy",
    "area_under_risk_coverage",
    "as_estimates",
    "auroc",
    "average_precision",
    "band_of",
    "best_f1",
    "brier_score",
    "calibration_auroc",
    "calibration_average_precision",
    "collaboration_curves",
    "confusion",
    "difference",
    "effective_size",
    "estimate",
    "estimate_curves",
    "expected_calibration_error",
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
    "reliability_diagram",
    "replicate",
    "replicate_form",
    "review_accuracy_curves",
    "review_counts",
    "review_effectiveness",
    "review_efficiency",
    "reviewed_share",
    "risk_at_coverage",
    "roc_curve",
    "simultaneous_band",
    "wilson",
]
