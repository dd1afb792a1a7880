"""Review scores and strategies: which posts moderators read, and what that buys."""

from comoderate.review.advice import Advice, Compared, Crossing, advise, cross_fitted_scores, crossings
from comoderate.review.audit import Apart, shares_apart
from comoderate.review.doubt import RaterDisagreement, readings, share_read, two_raters_differ, wanted_readings
from comoderate.review.expected import ExpectedCost, ExpectedError
from comoderate.review.groups import EvenErrors, GroupReview, group_review
from comoderate.review.hybrid import Hybrid
from comoderate.review.members import (
    MemberVariance,
    MutualInformation,
    Variance,
    information_from_variance,
    mutual_information,
    variance_of,
)
from comoderate.review.moderators import (
    Judged,
    Moderators,
    collaborative_accuracy,
    collaborative_auroc,
    collaborative_average_precision,
    judged,
    simulate_answers,
)
from comoderate.review.online import OnlineThreshold
from comoderate.review.outcome import Cost, OutcomeMetrics, Outcomes, cost_of, metrics_of, outcome_metrics, outcomes
from comoderate.review.queue import Queue, rank, with_audit
from comoderate.review.registry import strategies
from comoderate.review.saving import review_saving
from comoderate.review.setwise import ExpectedAurocGain, ExpectedAveragePrecisionGain
from comoderate.review.strategy import Random, Strategy, Toxicity, Uncertainty
from comoderate.review.stream import StreamReview, review_stream
from comoderate.review.thresholds import OperatingPoint, choose_thresholds
from comoderate.review.weak_arms import WeakArms

__all__ = [
    "Advice",
    "Apart",
    "Compared",
    "Cost",
    "Crossing",
    "EvenErrors",
    "ExpectedAurocGain",
    "ExpectedAveragePrecisionGain",
    "ExpectedCost",
    "ExpectedError",
    "GroupReview",
    "Hybrid",
    "Judged",
    "MemberVariance",
    "Moderators",
    "MutualInformation",
    "OnlineThreshold",
    "OperatingPoint",
    "OutcomeMetrics",
    "Outcomes",
    "Queue",
    "Random",
    "RaterDisagreement",
    "Strategy",
    "StreamReview",
    "Toxicity",
    "Uncertainty",
    "Variance",
    "WeakArms",
    "advise",
    "choose_thresholds",
    "collaborative_accuracy",
    "collaborative_auroc",
    "collaborative_average_precision",
    "cost_of",
    "cross_fitted_scores",
    "crossings",
    "group_review",
    "information_from_variance",
    "judged",
    "metrics_of",
    "mutual_information",
    "outcome_metrics",
    "outcomes",
    "rank",
    "readings",
    "review_saving",
    "review_stream",
    "share_read",
    "shares_apart",
    "simulate_answers",
    "strategies",
    "two_raters_differ",
    "variance_of",
    "wanted_readings",
    "with_audit",
]
