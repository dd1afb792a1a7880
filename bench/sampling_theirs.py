"""What samplics and svy say of the same arrays: runs in their interpreter, imports nothing of ours.

    python -c "import sampling_theirs; sampling_theirs.answer('svy', 'folder', 3)"

For each ``*.npz`` in the folder the answer goes to ``<name>.<peer>.json``: for each way of asking, wall and processor
seconds of each repetition, and values, errors, limits and degrees of freedom in the order of the domains. Only the
estimation is timed: reading, the import, and svy's Sample object are not. The smallest file is answered twice, first as
a warm-up.
"""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path

import numpy as np


def clocked(work):
    start, worked = time.perf_counter(), time.process_time()
    result = work()
    return (time.perf_counter() - start, time.process_time() - worked), result


def with_samplics(data, _):
    """Taylor's linearisation of means by domain; single-post strata combined into the first of them."""
    from samplics.estimation import TaylorEstimator
    from samplics.utils.types import PopParam, SinglePSUEst

    options = {"stratum": data["stratum"]} | ({"psu": data["cluster"]} if "cluster" in data else {})
    options |= {"domain": data["domain"]} if "domain" in data else {}
    strata, first, count = np.unique(data["stratum"], return_index=True, return_counts=True)
    if "population" in data:
        options["fpc"] = {h: 1 - n / data["population"][at] for h, n, at in zip(strata, count, first)}
    single = strata[count == 1]
    if len(single):  # which it finds only where units are given
        options.setdefault("psu", np.arange(len(data["y"])))
        options |= {"single_psu": SinglePSUEst.combine, "strata_comb": dict.fromkeys(single, single[0])}
    found = TaylorEstimator(PopParam.mean)
    seconds, _ = clocked(lambda: found.estimate(y=data["y"], samp_weight=data["weight"], **options))
    parts = (found.point_est, found.stderror, found.lower_ci, found.upper_ci)
    parts = parts if "domain" in data else [{0: part} for part in parts]
    rows = [[float(part[k]) for k in sorted(part)] for part in parts]
    return seconds, [*rows, [float(found.degree_of_freedom)] * len(rows[0])]


def with_svy(data, way):
    """``mean`` has symmetric intervals, ``prop`` those on the log-odds; single-post strata are pooled."""
    import polars as pl
    import svy

    columns = {"stratum": "stratum", "wgt": "weight", "psu": "cluster", "pop_size": "population"}
    design = svy.Design(**{role: name for role, name in columns.items() if name in data}, singleton="pool")
    sample = svy.Sample(pl.DataFrame(dict(data)), design)
    by = "domain" if "domain" in data else None
    seconds, found = clocked(lambda: getattr(sample.estimation, way)("y", by=by))
    rows = [e for e in found.estimates if way == "mean" or e.y_level == 1]
    rows.sort(key=lambda e: e.by_level or ())
    return seconds, [[getattr(e, name) for e in rows] for name in ("est", "se", "lci", "uci", "df")]


PEERS = {"samplics": (with_samplics, ("mean",)), "svy": (with_svy, ("mean", "prop"))}


def answer(peer, folder, repeats):
    """Answer for every file of the folder."""
    warnings.simplefilter("ignore")
    work, ways = PEERS[peer]
    paths = sorted(Path(folder).glob("*.npz"), key=lambda path: path.stat().st_size)
    for way in ways:
        work(dict(np.load(paths[0])), way)
    for path in paths:
        data, result = dict(np.load(path)), {}
        for way in ways:
            try:
                runs = [work(data, way) for _ in range(repeats)]
            except ZeroDivisionError as error:  # samplics, where a domain holds no positive
                result[way] = {"failed": f"{type(error).__name__}: {error}"}
                continue
            result[way] = {"seconds": [seconds for seconds, _ in runs], "found": runs[-1][1]}
        Path(folder, f"{path.stem}.{peer}.json").write_text(json.dumps(result))
