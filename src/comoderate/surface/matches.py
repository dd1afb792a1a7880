"""Covariance of arms that share attribute values: main effects, pairs, triples and what is the arm's own."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from comoderate.surface.inputs import Codes, Floats

Matches = NDArray[np.uint16]

MOST_PATTERNS = 4096  # 12 bits: what is looked up stays small beside the matrices of arms


def group_sizes(n_attributes: int) -> NDArray[np.intp]:
    """Attributes by group: one each as far as there are few of them, else as few as patterns of matches allow.

    Attributes of one group share their scales, and only how many of them agree is kept.
    """
    for n_groups in range(min(n_attributes, MOST_PATTERNS.bit_length() - 1), 0, -1):  # each doubles the patterns
        sizes = np.array([len(part) for part in np.array_split(np.arange(n_attributes), n_groups)], dtype=np.intp)
        if np.log1p(sizes).sum() <= np.log(MOST_PATTERNS) + 1e-9:
            return sizes
    raise ValueError(f"an arm may have {MOST_PATTERNS - 1:,} attributes at most")


def match_patterns(left: Codes, right: Codes) -> Matches:
    """(A, B) in which attributes rows of ``left`` (A, K) and ``right`` (B, K) agree, as the number of a pattern.

    A pattern is the number of matches in each group of attributes, read as digits; the last is agreement in all.
    """
    sizes = group_sizes(left.shape[1])
    digit = np.repeat(np.cumprod(np.append(1, sizes[:-1] + 1)), sizes)
    total = np.zeros((len(left), len(right)), dtype=np.uint16)
    for one, other, value in zip(left.T, right.T, digit.astype(np.uint16)):
        total += (one[:, None] == other[None, :]) * value
    return total


def effect_kinds(sizes: NDArray[np.intp], order: int) -> NDArray[np.intp]:
    """(S, G) kinds of effects: how many attributes of each group they join, from none to ``order`` in all."""
    kinds = [k for k in product(*(range(min(size, order) + 1) for size in sizes)) if sum(k) <= order]
    return np.array(sorted(kinds, key=lambda k: (sum(k), k)), dtype=np.intp).reshape(len(kinds), len(sizes))


def effect_table(sizes: NDArray[np.intp], kinds: NDArray[np.intp]) -> Floats:
    """(S, P) how many effects of each kind two arms share, by the pattern of their matches: Π C(m_g, o_g).

    With independent effects u_S[a_S] ~ N(0, θ_S) for every set S of attributes and every combination of their values,
    two arms have the covariance Σ_S θ_S over the sets in which they agree: only the pattern of their matches counts,
    and no effect needs to be written out.
    """
    matches = np.array(list(product(*(range(size + 1) for size in sizes[::-1]))), dtype=np.intp)[:, ::-1]
    table = np.ones((len(kinds), len(matches)))
    for group in range(len(sizes)):
        table *= comb(matches[None, :, group], kinds[:, None, group])
    return table


def covariance(matches: Matches, theta: Floats, table: Floats) -> Floats:
    """Covariance of log-odds by effects of all kinds, of the shape of ``matches``; ``theta`` (S,)."""
    return np.asarray((theta @ table)[matches])
