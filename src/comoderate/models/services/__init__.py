"""Prediction services: somebody else's classifier as a scorer, over HTTP, with a cache, a budget and patience."""

from comoderate.models.services.presets import PRESETS, with_preset
from comoderate.models.services.rules import Rule, apply_rules
from comoderate.models.services.scorer import Answers, Counts, ServiceScorer
from comoderate.models.services.spec import CANARIES, Service

__all__ = [
    "CANARIES",
    "PRESETS",
    "Answers",
    "Counts",
    "Rule",
    "Service",
    "ServiceScorer",
    "apply_rules",
    "with_preset",
]
