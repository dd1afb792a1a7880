"""Covariance of arms that share attribute values: main effects, pairs, triples and what is the arm's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from comoderate.surface.inputs import Codes, Floats

Matches = NDArray[np.int8]


def match_counts(left: Codes, right: Codes) -> Matches:
    """(A, B) number of attributes in which rows of ``left`` (A, K) and ``right`` (B, K) agree."""
    total = np.zeros((len(left), len(right)), dtype=np.int8)
    for one, other in zip(left.T, right.T):
        total += one[:, None] == other[None, :]
    return total


def order_table(n_attributes: int, order: int) -> Floats:
    """(order + 1, K + 1): how many subsets of o attributes agree between arms that agree in m attributes, C(m, o).

    With independent effects u_S[a_S] ~ N(0, θ_o) for every set S of o attributes and every combination of their
    values, two arms have the covariance Σ_o θ_o C(m, o): only the number m of attributes in which they agree counts,
    and no effect needs to be written out.
    """
    m = np.arange(n_attributes + 1)
    return np.array([comb(m, o) for o in range(order + 1)], dtype=np.float64)


def covariance(matches: Matches, theta: Floats, table: Floats) -> Floats:
    """Covariance of log-odds by effects of all orders, of the shape of ``matches``; ``theta`` (order + 1,)."""
    return np.asarray((theta @ table)[matches])
