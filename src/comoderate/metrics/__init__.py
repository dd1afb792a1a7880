"""Metrics of classifiers and of the pair of classifier and moderator, and the estimates that carry them."""

from comoderate.metrics.estimate import Estimate

__all__ = ["Estimate"]
