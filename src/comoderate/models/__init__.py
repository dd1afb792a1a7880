"""Scorers for text: baselines, folds that keep together what belongs together, and models on disk."""

from __future__ import annotations

from pathlib import Path

from comoderate.errors import ComoderateError
from comoderate.models import store
from comoderate.models.baselines import DavidsonFeatures, Lexicon, NaiveBayes, TfidfLogistic
from comoderate.models.batch import BatchScorer
from comoderate.models.encoders import Encoder, TrollPatrol
from comoderate.models.functions import FunctionScorer, PipelineScorer
from comoderate.models.options import check_options
from comoderate.models.scorer import Scorer
from comoderate.models.services import Answers, Service, ServiceScorer
from comoderate.models.store import digest, read_card, read_manifest
from comoderate.models.uncertainty import Uncertainty

__all__ = [
    "KINDS",
    "Answers",
    "BatchScorer",
    "DavidsonFeatures",
    "Encoder",
    "FunctionScorer",
    "Lexicon",
    "NaiveBayes",
    "PipelineScorer",
    "Scorer",
    "Service",
    "ServiceScorer",
    "TfidfLogistic",
    "TrollPatrol",
    "Uncertainty",
    "check_options",
    "digest",
    "load",
    "read_card",
    "read_manifest",
]

KINDS: dict[str, type[Scorer]] = {
    "naive_bayes": NaiveBayes,
    "tfidf_logistic": TfidfLogistic,
    "lexicon": Lexicon,
    "davidson_features": DavidsonFeatures,
    "encoder": Encoder,
    "troll_patrol": TrollPatrol,
}
"""Every kind of scorer by the name that ``study.toml`` and a model's folder give it."""


def load(folder: str | Path) -> Scorer:
    """The model that :meth:`Scorer.save` wrote to a folder; nothing in the folder is executed.

    Raises:
        ComoderateError: no model there, an unknown kind, a newer format, or files that are missing, changed or hold
            more than numbers and text.
    """
    path = Path(folder)
    manifest = read_manifest(path)
    where = path / store.MANIFEST
    if manifest.kind not in KINDS:
        raise ComoderateError(
            f"the model is of an unknown kind, {manifest.kind!r}", where=where, do=f"known kinds: {', '.join(KINDS)}"
        )
    store.check_files(path, manifest)
    try:
        scorer = KINDS[manifest.kind](**manifest.settings)
        scorer._read(path)
    except (TypeError, KeyError, AttributeError) as problem:
        raise ComoderateError(f"the model does not fit its kind: {problem}", where=where, do="train it again") from None
    return scorer
