"""How long weighted estimates for 300,000 posts with 40 domains take, as ratios in the same run.

    python bench/sampling_speed.py [n]

The peer here is the same estimator written with pandas' groupby; samplics and svy have ``sampling_peers.py``. Times are
wall time, and processor time in brackets. Standard errors are compared, and on a smaller sample with two that share no
code with us: the textbook's formula in plain Python loops (strata), and statsmodels' regression on an intercept
with cluster-robust errors (clusters), which is the linearised variance of a mean without strata.
"""

from __future__ import annotations

import collections
import math
import sys
import time

import numpy as np
import pandas as pd

from comoderate.sampling import hajek_domains, hajek_mean, replicate_weights, uniform


def with_pandas(y, w, domain, stratum):
    """A domain at a time, with groupby over strata."""
    result = []
    for value in np.unique(domain):
        inside = domain == value
        share = np.where(inside, w, 0) / w[inside].sum()
        mean = (share * y).sum()
        groups = pd.Series(share * np.where(inside, y - mean, 0)).groupby(stratum)
        size = groups.size()
        result.append((mean, float(np.sqrt((size * groups.var()).sum()))))
    return np.array(result)


def by_hand(y, w, domain, stratum):
    """Cochran's linearised stratified standard error of each domain's mean, a post at a time."""
    result = []
    for value in sorted(set(domain)):
        rows = [(a, b, h) for a, b, d, h in zip(y, w, domain, stratum) if d == value]
        total = math.fsum(b for _, b, _ in rows)
        mean = math.fsum(a * b for a, b, _ in rows) / total
        inside: dict[int, list[float]] = {}
        for a, b, h in rows:
            inside.setdefault(h, []).append(b * (a - mean) / total)
        variance = 0.0
        for h, size in collections.Counter(stratum).items():
            values = inside.get(h, []) + [0.0] * (size - len(inside.get(h, [])))
            middle = math.fsum(values) / size
            variance += size / (size - 1) * math.fsum((v - middle) ** 2 for v in values)
        result.append((mean, math.sqrt(variance)))
    return np.array(result)


def with_statsmodels(y, w, cluster):
    """A weighted regression on an intercept alone, its error robust to clusters."""
    import statsmodels.api as sm

    fitted = sm.WLS(y, np.ones_like(y), weights=w).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    return float(fitted.params[0]), float(fitted.bse[0])


def check_digits(n=6_000):
    """Largest relative differences of standard errors from two implementations that share no code with ours."""
    rng = np.random.default_rng(1)
    stratum, domain = rng.integers(0, 60, n), rng.integers(0, 8, n)
    y, w = (rng.random(n) < 0.1).astype(float), rng.uniform(1, 60, n)
    ours = np.array([(e.value, e.se) for _, e in hajek_domains(y, w, domain, stratum=stratum)])
    hand = by_hand(y.tolist(), w.tolist(), domain.tolist(), stratum.tolist())
    print(
        f"by hand, {n:,} posts, 8 domains, 60 strata: largest relative difference {np.abs(hand / ours - 1).max():.1e}"
    )
    cluster = rng.integers(0, 700, n)
    mean = hajek_mean(y, w, cluster=cluster)
    value, se = with_statsmodels(y, w, cluster)
    gap = max(abs(value / mean.value - 1), abs(se / mean.se - 1))
    print(f"statsmodels, 700 clusters: largest relative difference {gap:.1e}")


def seconds(work, repeats):
    """Best wall time, best processor time, and the result."""
    taken = []
    for _ in range(repeats):
        start, worked = time.perf_counter(), time.process_time()
        result = work()
        taken.append((time.perf_counter() - start, time.process_time() - worked))
    return *(min(times) for times in zip(*taken)), result


def main(n=300_000):
    rng = np.random.default_rng(0)
    stratum, domain = rng.integers(0, 730, n), rng.integers(0, 40, n)
    y, w = (rng.random(n) < 0.07).astype(float), rng.uniform(1, 60, n)
    own, worked, found = seconds(lambda: hajek_domains(y, w, domain, stratum=stratum), 5)
    values = np.array([(e.value, e.se) for _, e in found])
    print(f"hajek_domains, {n:,} posts, 40 domains, 730 strata: {own:.3f} s ({worked:.3f} s)")
    taken, theirs_worked, theirs = seconds(lambda: with_pandas(y, w, domain, stratum), 2)
    gap = np.abs(theirs / values - 1).max()
    longer = f"{taken / own:.1f} ({theirs_worked / worked:.1f}) times as long"
    print(f"pandas: {taken:.3f} s ({theirs_worked:.3f} s), {longer}; largest relative difference {gap:.1e}")
    check_digits()
    _, taken, _ = seconds(lambda: list(replicate_weights(w, stratum=stratum, n_replicates=20)), 1)
    print(f"replicate weights: {taken / 20 * 1000:.1f} ms of processor each")
    _, taken, _ = seconds(lambda: uniform(1, "draw", map(str, range(n))), 1)
    print(f"uniform: {taken / n * 1e6:.2f} µs of processor a post")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
