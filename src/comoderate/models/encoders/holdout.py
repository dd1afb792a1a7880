"""Which texts are held out to decide when to stop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from comoderate.models.encoders.inputs import Rows
from comoderate.models.encoders.seeds import seed_of


class Split(NamedTuple):
    """Positions of texts: those that train, and those that are held out."""

    train: Rows
    held: Rows


def split(
    y: NDArray[np.float64], *, share: float, seed: int, groups: ArrayLike | None, chosen: ArrayLike | None
) -> Split:
    """Hold out a share of the groups at random, or the texts that the caller chose.

    Nothing is held out where the rest would have labels of one class only.

    Args:
        y: (n,) labels in [0, 1].
        share: of the texts, about.
        seed: of the choice.
        groups: (n,) what stays together, such as the author; None where every text stands alone.
        chosen: (n,) true for the texts to hold out; then share and groups do not matter.

    Raises:
        ValueError: arrays of another length.
    """
    n = len(y)
    if chosen is None:
        out = _at_random(n, share, seed, groups)
    else:
        out = np.asarray(chosen, dtype=bool)
    if out.shape != (n,):
        raise ValueError(f"groups and validation must have shape ({n},) like y")
    rest = y[~out]
    if not len(rest) or rest.min() == rest.max():
        out = np.zeros(n, dtype=bool)
    return Split(np.flatnonzero(~out), np.flatnonzero(out))


def _at_random(n: int, share: float, seed: int, groups: ArrayLike | None) -> NDArray[np.bool_]:
    names = np.arange(n) if groups is None else np.asarray(groups, dtype=object)
    codes, unique = pd.factorize(names, use_na_sentinel=False)
    order = np.random.default_rng(seed_of(seed, "validation")).permutation(len(unique))
    sizes = np.bincount(codes, minlength=len(unique))[order]
    held = np.zeros(len(unique), dtype=bool)
    held[order[np.cumsum(sizes) <= share * n]] = True
    return held[codes]
