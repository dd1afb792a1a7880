"""Transformer encoders as scorers: fine-tuned or frozen, with five ways to say how sure they are."""

from comoderate.models.encoders.encoder import Encoder

__all__ = ["Encoder"]
