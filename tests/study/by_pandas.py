"""Drawing the plain way, from one pandas frame that holds every post: the twin of the lazy drawing."""

import numpy as np
import pandas as pd

from comoderate.sampling import allocate, poisson_pps, union_inclusion

SAMPLE = ["post_id", "phase", "stratum", "cluster", "pi"]


def smallest(posts, quota):
    """The ``quota`` posts with the smallest u of every stratum."""
    ranked = posts.sort_values(["u", "post_id"])
    return ranked[ranked.groupby("stratum").cumcount() < ranked["stratum"].map(quota).fillna(0)]


def base(posts, size, totals=None, enrich=None, earlier=None):
    """Base sample and enrichment; ``posts`` has post_id, stratum, cluster, u, positive; ``enrich`` -1 is all."""
    table = posts.groupby("stratum").size().rename("in_hand").to_frame()
    table["N"] = table["in_hand"] if totals is None else totals.reindex(table.index)
    floors = np.minimum(table["in_hand"], 1) if size >= len(table) else None
    if earlier is not None and floors is not None:
        floors = np.maximum(floors, np.minimum(earlier.reindex(table.index).fillna(0), table["in_hand"]))
    table["base"] = allocate(table["N"], size, caps=table["in_hand"], floors=floors)
    first = smallest(posts, table["base"]).assign(phase="base")
    rate, phases = pd.Series(0.0, table.index), [first]
    if enrich is not None:
        left = posts[posts["positive"] & ~posts["post_id"].isin(first["post_id"])]
        there = left.groupby("stratum").size().reindex(table.index, fill_value=0)
        wanted = len(left) if enrich < 0 else min(enrich, len(left))
        quota = pd.Series(allocate(there, wanted, caps=there), table.index)
        rate = (quota / there.where(there > 0)).fillna(0.0)
        phases.append(smallest(left, quota).assign(phase="enrich"))
    negative, positive = union_inclusion(table["N"], table["in_hand"], table["base"], rate)
    drawn = pd.concat(phases)
    at = table.index.get_indexer(pd.Index(drawn["stratum"]))
    flagged = drawn["positive"].to_numpy(dtype=bool) & (enrich is not None)
    drawn["pi"] = np.where(flagged, positive[at], negative[at])
    return drawn.sort_values(["u", "post_id"], ignore_index=True)[SAMPLE]


def poisson(posts, size, least):
    """Each post by itself; ``posts`` has an ``amount`` too."""
    chance = poisson_pps(posts["amount"], size, least=least * size / len(posts))
    drawn = posts.assign(pi=chance, phase="poisson")[posts["u"] < chance]
    return drawn.sort_values(["u", "post_id"], ignore_index=True)[SAMPLE]
