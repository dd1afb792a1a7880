"""Simulated raters, and strategies for tables of ratings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


class Crowd(NamedTuple):
    """Simulated annotations with the truth and the raters' chance to know it."""

    item: np.ndarray
    rater: np.ndarray
    answer: np.ndarray
    truth: np.ndarray
    knows: np.ndarray


def simulate_crowd(
    *,
    n_items: int = 400,
    n_raters: int = 20,
    per_item: int = 3,
    shares: tuple[float, ...] = (0.6, 0.4),
    low: float = 0.3,
    high: float = 0.95,
    seed: int = 0,
) -> Crowd:
    """Raters, different ones on an item, that know the truth with a chance of their own and else guess alike."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(shares), size=n_items, p=shares)
    knows = rng.uniform(low, high, n_raters)
    item = np.repeat(np.arange(n_items), per_item)
    rater = rng.random((n_items, n_raters)).argsort(axis=1)[:, :per_item].ravel()
    guess = rng.integers(0, len(shares), item.size)
    answer = np.where(rng.random(item.size) < knows[rater], truth[item], guess)
    return Crowd(item, rater, answer, truth, knows)


def simulate_ratings(
    rng: np.random.Generator,
    n: int,
    *,
    shares: tuple[float, ...] = (0.72, 0.2, 0.08),
    knows: float = 0.7,
    raters: int = 3,
    missing: float = 0.0,
) -> np.ndarray:
    """(n, raters): a rater knows the truth or answers at random by the shares; NaN where missing."""
    truth = rng.choice(len(shares), size=n, p=shares)
    guess = rng.choice(len(shares), size=(n, raters), p=shares)
    ratings = np.where(rng.random((n, raters)) < knows, truth[:, None], guess).astype(float)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings


@st.composite
def rating_tables(draw: st.DrawFn, *, missing: bool = True, min_items: int = 3) -> np.ndarray:
    """Small tables of whole ratings, with gaps where ``missing``."""
    shape = (draw(st.integers(min_items, 12)), draw(st.integers(2, 5)))
    values = st.sampled_from([0.0, 1.0, 2.0, np.nan] if missing else [0.0, 1.0, 2.0])
    return draw(hnp.arrays(np.float64, shape, elements=values))


def whole_weights(n: int) -> st.SearchStrategy[np.ndarray]:
    """Whole weights from 0 to 4, not all 0."""
    return hnp.arrays(np.int64, n, elements=st.integers(0, 4)).filter(lambda w: w.sum() > 0)
