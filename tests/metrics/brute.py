"""Slow twins: every metric as its definition reads, by loops over posts or by simulation of the order."""

from __future__ import annotations

import numpy as np


def share_reviewed(u, fraction, weight):
    capacity = fraction * weight.sum()
    if all(float(w).is_integer() for w in weight):
        capacity = np.floor(capacity + 1e-9)
    share = np.zeros(len(u))
    for value in sorted(set(u.tolist()), reverse=True):
        tied = u == value
        total = weight[tied].sum()
        share[tied] = 0.0 if total == 0 else min(1.0, max(0.0, capacity / total))
        capacity -= min(total, max(capacity, 0.0))
    return share


def expanded(y, p, u, fraction, weight):
    """Posts after review: a reviewed and an unreviewed copy of each, with score -1 or 2 for the reviewed."""
    share = share_reviewed(u, fraction, weight)
    score = np.concatenate([np.where(y == 1, 2.0, -1.0), p])
    return np.concatenate([y, y]), score, np.concatenate([weight * share, weight * (1 - share)])


def auroc(y, score, weight):
    won = pairs = 0.0
    for yi, si, wi in zip(y, score, weight):
        for yj, sj, wj in zip(y, score, weight):
            if yi == 1 and yj == 0:
                pairs += wi * wj
                won += wi * wj * (1.0 if si > sj else 0.5 if si == sj else 0.0)
    return won / pairs if pairs > 0 else np.nan


def average_precision(y, score, weight):
    total = weight[y == 1].sum()
    if total <= 0:
        return np.nan
    area = recall = 0.0
    for t in sorted(set(score.tolist()), reverse=True):
        hits, all_ = weight[(score >= t) & (y == 1)].sum(), weight[score >= t].sum()
        if all_ > 0:
            area += (hits / total - recall) * hits / all_
            recall = hits / total
    return area


def interpolated(y, score, weight, steps=4000):
    """Davis–Goadrich by numeric integration."""
    total = weight[y == 1].sum()
    if total <= 0:
        return np.nan
    area = x0 = f0 = 0.0
    for t in sorted(set(score.tolist()), reverse=True):
        x1, f1 = weight[(score >= t) & (y == 1)].sum(), weight[(score >= t) & (y == 0)].sum()
        if x1 > x0:
            x = x0 + (np.arange(steps) + 0.5) / steps * (x1 - x0)
            area += (x1 - x0) * np.mean(x / (x + f0 + (f1 - f0) / (x1 - x0) * (x - x0)))
        x0, f0 = x1, f1
    return area / total


def reviewed_cells(y, p, u, fraction, weight, threshold):
    share = share_reviewed(u, fraction, weight)
    wrong = (p > threshold) != (y == 1)
    read, left = weight * share, weight * (1 - share)
    return read[wrong].sum(), read[~wrong].sum(), left[wrong].sum(), left[~wrong].sum()


def divide(top, bottom):
    return top / bottom if bottom > 0 else np.nan
