"""Scoring tables a batch at a time: a function that travels to other processes and loads its model once in each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.models.scorer import Scorer
from comoderate.models.uncertainty import Uncertainty, of_single

SCHEMA = {
    "post_id": "string", "target": "string", "proba": "double", "total": "double", "aleatoric": "double",
    "epistemic": "double", "error": "string", "seen": "bool", "scored_at": "timestamp",
}  # fmt: skip
"""Columns and types of a table of scores, as :func:`comoderate.corpus.map_batches` takes them."""

NO_TEXT = "the post has no text"


class BatchScorer:
    """Scores frames of posts by the model in a folder.

    It holds only the folder's path and can be pickled: ``corpus.map_batches`` runs it on DuckDB in this process and
    on Spark in others, where the first batch loads the model and all further ones find it loaded. A post without a
    text gets an error and no probability.

    Args:
        path: a folder that :meth:`~comoderate.models.Scorer.save` wrote, reachable from all processes.
        target: what the probabilities are for.
    """

    def __init__(self, path: str | Path, *, target: str = "") -> None:
        self.path, self.target = str(Path(path).resolve()), target

    def __call__(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The scores of a frame with ``post_id`` and ``text``: the columns of :data:`SCHEMA`.

        Raises:
            ComoderateError: there is no model in the folder.
        """
        has_text = frame["text"].notna().to_numpy()
        found = doubt_of(_loaded(self.path), frame.loc[has_text, "text"].tolist())
        return score_table(frame["post_id"], self.target, *spread(found, has_text))


@lru_cache(maxsize=2)
def _loaded(path: str) -> Scorer:
    """The model of a folder, once a process."""
    from comoderate.models import load

    return load(path)


def doubt_of(scorer: Scorer, texts: Sequence[str]) -> Uncertainty:
    """A scorer's probabilities with what it says of its doubt, or the total alone."""
    tell = getattr(scorer, "predict_uncertainty", None)
    found: Uncertainty = of_single(scorer.predict_proba(texts)) if tell is None else tell(texts)
    return found


def spread(found: Uncertainty, known: NDArray[np.bool_]) -> tuple[Uncertainty, NDArray[np.object_]]:
    """Values for those of n posts that have a text, in the places of all n, and the errors of the others.

    Args:
        found: of the posts marked in ``known``.
        known: (n,) which posts have a text.
    """
    parts = []
    for values in found[:6]:
        part = np.full(len(known), np.nan)
        part[known] = values
        parts.append(part)
    return Uncertainty(*parts), errors_where(~known, NO_TEXT)


def errors_where(failed: NDArray[np.bool_], problem: str) -> NDArray[np.object_]:
    """(n,) the problem where marked, else None."""
    error = np.full(len(failed), None, dtype=object)
    error[failed] = problem
    return error


def score_table(
    post_ids: pd.Series, target: str, found: Uncertainty, error: NDArray[np.object_], seen: Any = False
) -> pd.DataFrame:
    """A table of scores.

    Args:
        post_ids: (n,) posts.
        target: what the probabilities are for.
        found: (n,) probabilities, NaN where there is none, and what is known of their uncertainty.
        error: (n,) why there is no probability; None where there is one.
        seen: (n,) whether the scorer was trained on the post, or one value for all.
    """
    columns = {
        "post_id": post_ids.to_numpy(), "target": target, "proba": found.proba, "total": found.total,
        "aleatoric": found.aleatoric, "epistemic": found.epistemic, "error": error, "seen": seen,
        "scored_at": pd.Timestamp(datetime.now(UTC)).floor("s"),
    }  # fmt: skip
    return pd.DataFrame(columns)
