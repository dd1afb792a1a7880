"""The strategies by name."""

from __future__ import annotations

from comoderate.review.doubt import RaterDisagreement
from comoderate.review.expected import ExpectedCost, ExpectedError
from comoderate.review.groups import EvenErrors
from comoderate.review.hybrid import Hybrid
from comoderate.review.members import MemberVariance, MutualInformation
from comoderate.review.setwise import ExpectedAurocGain, ExpectedAveragePrecisionGain
from comoderate.review.strategy import Random, Strategy, Toxicity, Uncertainty
from comoderate.review.weak_arms import WeakArms


def strategies() -> dict[str, Strategy]:
    """Every strategy with its default settings, by name.

    The first eight need nothing but a probability (and do better with a calibrated one); the others need what their
    attribute ``needs`` names.
    """
    known: list[Strategy] = [
        Toxicity(),
        Uncertainty(),
        Random(),
        Hybrid(),
        ExpectedError(),
        ExpectedCost(),
        ExpectedAurocGain(),
        ExpectedAveragePrecisionGain(),
        MemberVariance(),
        MutualInformation(),
        RaterDisagreement(),
        WeakArms(),
        EvenErrors(),
    ]
    return {strategy.name: strategy for strategy in known}
