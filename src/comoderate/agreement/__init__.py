"""Agreement of raters, and labels from their annotations: kappa, ICC, alpha, votes, Dawid and Skene."""

from comoderate.agreement.alpha import krippendorff_alpha, krippendorff_alpha_counts
from comoderate.agreement.chance import brennan_prediger, gwet_ac1, gwet_ac2, percent_agreement
from comoderate.agreement.cohen import Pair, cohen_kappa, conger_kappa, pairwise_cohen_kappa
from comoderate.agreement.counts import (
    counts_from_annotations,
    counts_from_ratings,
    pack_ratings,
    ratings_from_annotations,
    ratings_from_counts,
)
from comoderate.agreement.dawid_skene import DawidSkene, OneCoinDawidSkene
from comoderate.agreement.flip import flip_chance, posterior_flip_chance, relabel_order
from comoderate.agreement.groups import GroupPair, across_kappa, group_agreement
from comoderate.agreement.hierarchical import HierarchicalDawidSkene
from comoderate.agreement.icc import intraclass_correlation
from comoderate.agreement.kappa import fleiss_kappa
from comoderate.agreement.majority import Majority
from comoderate.agreement.masi import fleiss_kappa_by_answer, krippendorff_alpha_sets, masi_distance
from comoderate.agreement.posts import (
    Verdict,
    class_kappa,
    polarisation,
    polarised_posts,
    post_class_kappa,
    post_kappa,
    systemic_disagreement,
)
from comoderate.agreement.raters import Rater, rater_view
from comoderate.agreement.scales import agreement_weights
from comoderate.agreement.simulate import simulated_counts
from comoderate.agreement.vote import ABSTAIN, majority_vote, soft_labels

__all__ = [
    "ABSTAIN",
    "DawidSkene",
    "GroupPair",
    "HierarchicalDawidSkene",
    "Majority",
    "OneCoinDawidSkene",
    "Pair",
    "Rater",
    "Verdict",
    "across_kappa",
    "agreement_weights",
    "brennan_prediger",
    "class_kappa",
    "cohen_kappa",
    "conger_kappa",
    "counts_from_annotations",
    "counts_from_ratings",
    "fleiss_kappa",
    "fleiss_kappa_by_answer",
    "flip_chance",
    "group_agreement",
    "gwet_ac1",
    "gwet_ac2",
    "intraclass_correlation",
    "krippendorff_alpha",
    "krippendorff_alpha_counts",
    "krippendorff_alpha_sets",
    "majority_vote",
    "masi_distance",
    "pack_ratings",
    "pairwise_cohen_kappa",
    "percent_agreement",
    "polarisation",
    "polarised_posts",
    "post_class_kappa",
    "post_kappa",
    "posterior_flip_chance",
    "rater_view",
    "ratings_from_annotations",
    "ratings_from_counts",
    "relabel_order",
    "simulated_counts",
    "soft_labels",
    "systemic_disagreement",
]
