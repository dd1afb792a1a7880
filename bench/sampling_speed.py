"""How long weighted estimates for 300,000 posts with 40 domains take, as ratios in the same run.

    python bench/sampling_speed.py [n]

Peers: the same estimator written with pandas' groupby, and samplics where it is installed. Standard errors of all
that ran are compared.
"""

from __future__ import annotations

import importlib.util
import sys
import time

import numpy as np
import pandas as pd

from comoderate.sampling import hajek_domains, replicate_weights, uniform


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


def with_samplics(y, w, domain, stratum):
    from samplics.estimation import TaylorEstimator

    estimator = TaylorEstimator("mean")
    estimator.estimate(y=y, samp_weight=w, stratum=stratum, domain=domain)
    keys = sorted(estimator.point_est)
    return np.array([(estimator.point_est[k], estimator.stderror[k]) for k in keys])


PEERS = {"pandas": with_pandas, "samplics": with_samplics}


def seconds(work, repeats):
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        taken.append(time.perf_counter() - start)
    return min(taken), result


def main(n=300_000):
    rng = np.random.default_rng(0)
    stratum, domain = rng.integers(0, 730, n), rng.integers(0, 40, n)
    y, w = (rng.random(n) < 0.07).astype(float), rng.uniform(1, 60, n)
    own, found = seconds(lambda: hajek_domains(y, w, domain, stratum=stratum), 5)
    values = np.array([(e.value, e.se) for _, e in found])
    print(f"hajek_domains, {n:,} posts, 40 domains, 730 strata: {own:.3f} s")
    for name, peer in PEERS.items():
        if name != "pandas" and importlib.util.find_spec(name) is None:
            print(f"{name}: not installed")
            continue
        taken, theirs = seconds(lambda peer=peer: peer(y, w, domain, stratum), 2)
        gap = np.abs(theirs / values - 1).max()
        print(f"{name}: {taken:.3f} s, {taken / own:.1f} times as long; largest relative difference {gap:.1e}")
    taken, _ = seconds(lambda: list(replicate_weights(w, stratum=stratum, n_replicates=20)), 1)
    print(f"replicate weights: {taken / 20 * 1000:.1f} ms each")
    taken, _ = seconds(lambda: uniform(1, "draw", map(str, range(n))), 1)
    print(f"uniform: {taken / n * 1e6:.2f} µs a post")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
