"""Review scores and strategies: which posts moderators read, and what that buys."""

from comoderate.review.queue import Queue, rank, with_audit
from comoderate.review.registry import strategies
from comoderate.review.strategy import Random, Strategy, Toxicity, Uncertainty

__all__ = ["Queue", "Random", "Strategy", "Toxicity", "Uncertainty", "rank", "strategies", "with_audit"]
