"""The strategies by name."""

from __future__ import annotations

from comoderate.review.strategy import Random, Strategy, Toxicity, Uncertainty


def strategies() -> dict[str, Strategy]:
    """Every strategy that needs no settings of its own, by name."""
    known: list[Strategy] = [Toxicity(), Uncertainty(), Random()]
    return {strategy.name: strategy for strategy in known}
