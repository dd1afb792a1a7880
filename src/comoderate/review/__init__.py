"""Review scores and strategies: which posts moderators read, and what that buys."""

from comoderate.review.doubt import RaterDisagreement, readings, two_raters_differ
from comoderate.review.expected import ExpectedCost, ExpectedError
from comoderate.review.hybrid import Hybrid
from comoderate.review.members import MemberVariance, MutualInformation, Variance, mutual_information, variance_of
from comoderate.review.queue import Queue, rank, with_audit
from comoderate.review.registry import strategies
from comoderate.review.setwise import ExpectedAurocGain, ExpectedAveragePrecisionGain
from comoderate.review.strategy import Random, Strategy, Toxicity, Uncertainty
from comoderate.review.weak_arms import WeakArms

__all__ = [
    "ExpectedAurocGain",
    "ExpectedAveragePrecisionGain",
    "ExpectedCost",
    "ExpectedError",
    "Hybrid",
    "MemberVariance",
    "MutualInformation",
    "Queue",
    "Random",
    "RaterDisagreement",
    "Strategy",
    "Toxicity",
    "Uncertainty",
    "Variance",
    "WeakArms",
    "mutual_information",
    "rank",
    "readings",
    "strategies",
    "two_raters_differ",
    "variance_of",
    "with_audit",
]
