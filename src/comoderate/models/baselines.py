"""The scorers that need no neural network."""

from __future__ import annotations

from comoderate.models.davidson_features import DavidsonFeatures
from comoderate.models.lexicon import Lexicon
from comoderate.models.naive_bayes import NaiveBayes
from comoderate.models.tfidf_logistic import TfidfLogistic

__all__ = ["DavidsonFeatures", "Lexicon", "NaiveBayes", "TfidfLogistic"]
