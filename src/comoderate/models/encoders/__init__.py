"""Transformer encoders as scorers: fine-tuned or frozen, with five ways to say how sure they are."""

from comoderate.models.encoders.encoder import Encoder
from comoderate.models.encoders.troll_patrol import TrollPatrol

__all__ = ["Encoder", "TrollPatrol"]
