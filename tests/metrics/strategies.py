"""What hypothesis draws for tests of metrics: posts with ties, weights and extreme shares of a class."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

GRID = np.linspace(0.0, 1.0, 9)


@st.composite
def posts(draw, min_size=1, max_size=24, whole=None):
    n = draw(st.integers(min_value=min_size, max_value=max_size))
    rng = np.random.default_rng(draw(st.integers(min_value=0, max_value=2**32 - 1)))
    y = (rng.random(n) < draw(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))).astype(float)
    p = rng.choice(GRID, n) if draw(st.booleans()) else rng.random(n)
    u = rng.choice(GRID, n) if draw(st.booleans()) else p * (1 - p)
    whole = draw(st.booleans()) if whole is None else whole
    weight = rng.integers(0, 4, n).astype(float) if whole else rng.exponential(size=n) * (rng.random(n) > 0.1)
    return y, p, u, weight
