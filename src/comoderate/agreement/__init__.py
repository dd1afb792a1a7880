"""Agreement of raters, and labels from their annotations: kappa, ICC, alpha, votes, Dawid and Skene."""

from comoderate.agreement.counts import (
    counts_from_annotations,
    counts_from_ratings,
    pack_ratings,
    ratings_from_annotations,
    ratings_from_counts,
)
from comoderate.agreement.kappa import fleiss_kappa
from comoderate.agreement.scales import agreement_weights
from comoderate.agreement.vote import ABSTAIN, majority_vote, soft_labels

__all__ = [
    "ABSTAIN",
    "agreement_weights",
    "counts_from_annotations",
    "counts_from_ratings",
    "fleiss_kappa",
    "majority_vote",
    "pack_ratings",
    "ratings_from_annotations",
    "ratings_from_counts",
    "soft_labels",
]
