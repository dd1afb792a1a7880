"""Training data, checked: labels hard or soft, weights, and the rows that soft labels split into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.errors import ComoderateError


class SplitRows(NamedTuple):
    """Weighted rows with hard labels, of which a soft label makes two.

    Attributes:
        row: (m,) position of the text that each row stands for.
        label: (m,) 0 or 1.
        weight: (m,) positive weights.
    """

    row: NDArray[np.int64]
    label: NDArray[np.int64]
    weight: NDArray[np.float64]


def check_training(
    texts: Sequence[str], y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Labels and weights as arrays, the weights scaled to mean 1 over the rows that count.

    The scaling keeps the meaning of a model's regularisation and smoothing whatever the weights sum to: sampling
    weights often sum to a population that is a hundred times the sample.

    Args:
        texts: (n,) texts.
        y: (n,) labels in {0, 1}, or soft labels in [0, 1].
        sample_weight: (n,) weights >= 0; None for equal weights.

    Returns:
        (n,) labels and (n,) weights.

    Raises:
        ValueError: wrong shapes, NaN, labels outside [0, 1], negative or infinite weights.
        ComoderateError: nothing to learn from: no text, or labels of one class only.
    """
    labels = np.asarray(y, dtype=np.float64)
    weight = np.ones(len(texts)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    _check_shape("y", labels, len(texts))
    _check_shape("sample_weight", weight, len(texts))
    if not ((labels >= 0) & (labels <= 1)).all():
        raise ValueError("y must lie in [0, 1], without NaN")
    if not ((weight >= 0) & np.isfinite(weight)).all():
        raise ValueError("sample_weight must be finite and not negative")
    if not weight.any():
        raise ComoderateError("there is nothing to train on", do="label some posts first")
    positive, total = float(weight @ labels), float(weight.sum())
    if positive <= 0 or positive >= total:
        only = "negative" if positive <= 0 else "positive"
        raise ComoderateError(
            f"all {int((weight > 0).sum()):,} posts to train on are {only}",
            do="label posts of both classes, for example with a sample enriched by a lexicon",
        )
    return labels, weight * (np.count_nonzero(weight) / total)


def _check_shape(name: str, values: NDArray[np.float64], n: int) -> None:
    if values.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},) like the texts, not {values.shape}")


def split_soft(labels: NDArray[np.float64], weight: NDArray[np.float64]) -> SplitRows:
    """Rows with hard labels that weigh as the soft labels say: weight·y as positive, weight·(1 − y) as negative.

    Args:
        labels: (n,) in [0, 1].
        weight: (n,) not negative.

    Returns:
        The rows of positive weight, the positives first.
    """
    as_positive, as_negative = weight * labels, weight * (1.0 - labels)
    positive, negative = np.flatnonzero(as_positive > 0), np.flatnonzero(as_negative > 0)
    return SplitRows(
        row=np.concatenate([positive, negative]),
        label=np.repeat(np.array([1, 0], dtype=np.int64), [len(positive), len(negative)]),
        weight=np.concatenate([as_positive[positive], as_negative[negative]]),
    )
