"""What the corrections of the paper change: estimates, agreement and a model's score, from one campaign both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from comoderate import metrics
from comoderate.agreement import fleiss_kappa, intraclass_correlation, ratings_from_counts
from comoderate.metrics import Estimate
from comoderate.papers.results import Section
from comoderate.papers.troll_patrol.draws import printed_weights
from comoderate.papers.troll_patrol.raters import Ratings
from comoderate.papers.troll_patrol.sources import World
from comoderate.sampling import hajek_mean
from comoderate.study import Study

Row = dict[str, Any]
PAIRS = (("volunteers", "main"), ("experts", "experts"))
LAST = 4
"""The fold on which one model, trained on the others, is measured as published."""
REPLICATES = 200


def rows(
    study: Study, world: World, volunteers: Ratings, truth: Mapping[str, float], *, seed: int, crossed: bool
) -> Iterator[Row]:
    """The same quantity corrected and as published: correction, quantity, way, value, low, high, truth.

    Args:
        study: the campaign, run.
        world: its posts.
        volunteers: all their ratings on all posts.
        truth: what each cohort's majority says of the world.
        seed: which three of a post's ratings are drawn.
        crossed: whether the campaign's model scored every post without having seen its like.
    """
    yield from _estimates(study, world, truth)
    yield from _agreement(study, world, volunteers, seed)
    if crossed:
        yield from _model(study, seed)


def _estimates(study: Study, world: World, truth: Mapping[str, float]) -> Iterator[Row]:
    factor = _factor(study, world)
    for cohort, sample in PAIRS:
        for target in ("abusive", "severe"):
            frame = study.labelled_with_warnings(target, sample, cohort).frame.dropna(subset=["y", "weight"])
            y, weight = frame["y"].to_numpy(dtype=np.float64), frame["weight"].to_numpy(dtype=np.float64)
            stratum = pd.factorize(frame["stratum"].astype(str) + frame["phase"].astype(str))[0]
            printed = weight * factor.reindex(frame["post_id"]).to_numpy(dtype=np.float64)
            for way, own in (("corrected", weight), ("as published", printed)):
                found = hajek_mean(y, own, stratum=stratum)
                key = {"correction": "exact-weights", "quantity": f"share {target}, {cohort}", "way": way}
                yield {**key, **_ends(found), "truth": truth[f"{target} {cohort}"]}


def _factor(study: Study, world: World) -> pd.Series:
    """By which eqns 17 and 18 as printed weigh each drawn post more than its exact probability, by post."""
    drawn = study.sample("main").set_index("post_id")
    place = pd.Index(world.posts["post_id"]).get_indexer(drawn.index)
    day = pd.Categorical(world.posts["created_at"].str[:10]).codes.astype(np.int64)
    scores = pd.read_csv(study.folder / "posts.csv").set_index("post_id")["bayes"]
    positive = (scores.reindex(world.posts["post_id"]).fillna(0.0) > 0.5).to_numpy()
    held = pd.Index(world.posts["post_id"]).isin(scores.index)
    weight = printed_weights(day, positive, held, np.asarray(place, dtype=np.intp), np.bincount(day))
    return pd.Series(weight[place] * drawn["pi"].to_numpy(dtype=np.float64), index=drawn.index)


def _agreement(study: Study, world: World, volunteers: Ratings, seed: int) -> Iterator[Row]:
    drawn = study.sample("main")
    place = pd.Index(world.posts["post_id"]).get_indexer(pd.Index(drawn["post_id"]))
    weight = 1 / drawn["pi"].to_numpy(dtype=np.float64)
    for way, ratings in (("corrected", volunteers), ("as published", volunteers.three(seed))):
        counts = ratings.counts[place]
        kappa = fleiss_kappa(counts, sample_weight=weight)
        icc = intraclass_correlation(ratings_from_counts(counts), sample_weight=weight)
        for name, found in (("Fleiss' κ", kappa), ("ICC(1,1)", icc)):
            yield {"correction": "all-ratings", "quantity": f"{name} of volunteers", "way": way, **_ends(found)}


def _model(study: Study, seed: int) -> Iterator[Row]:
    """Average precision of the campaign's model: every post by a model that has not seen it, or the last fold alone.

    The model that left the last fold out is the very one that is trained on most posts and measured on the rest.
    """
    scores = study.scores("bert").query("target == 'abusive'").set_index("post_id")["proba"]
    for cohort, sample in PAIRS:
        frame = study.labelled_with_warnings("abusive", sample, cohort).frame.dropna(subset=["y", "weight"])
        frame = frame.assign(proba=scores.reindex(frame["post_id"]).to_numpy()).dropna(subset=["proba"])
        for way, part in (("corrected", frame), ("as published", frame[frame["fold"] == LAST])):
            y, proba, weight = (part[name].to_numpy(dtype=np.float64) for name in ("y", "proba", "weight"))
            found = metrics.estimate(
                metrics.average_precision, y.astype(np.int64), proba, sample_weight=weight,
                replicates=list(metrics.poisson_replicates(weight, REPLICATES, random_state=seed)),
            )  # fmt: skip
            only = found[0] if isinstance(found, list) else found
            key = {"correction": "cross-fitted", "quantity": f"average precision against {cohort}", "way": way}
            yield {**key, **_ends(only)}


def _ends(found: Estimate) -> Row:
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def section(campaigns: Sequence[tuple[str, Sequence[Row]]]) -> Section:
    """The part of the page.

    Args:
        campaigns: name and rows of each.
    """
    full = pd.DataFrame([{"campaign": name, **row} for name, found in campaigns for row in found])
    keys = ["campaign", "correction", "quantity"]
    shown = []
    for key, part in full.groupby(keys, sort=False):
        by_way = part.set_index("way")
        truth = by_way["truth"].iloc[0] if "truth" in by_way else np.nan
        share = np.isfinite(truth)
        line = dict(zip(keys, key, strict=True)) | {way: _text(by_way.loc[way], share) for way in by_way.index}
        shown.append({**line, "truth": f"{100 * truth:.1f} %" if share else None})
    sentences = [
        "The same campaign and the same answers, computed both ways, with 95 % intervals. `exact-weights`: posts "
        "weigh one over their inclusion probability, or what eqns 17 and 18 say as printed. `all-ratings`: all "
        "ratings of a post, or three at random. `cross-fitted`: every post scored by a model that has not seen it, or "
        "only the fifth of the posts that one model was not trained on.",
        _covered(full),
    ]
    return Section("What the corrections change", sentences, "corrections", full, pd.DataFrame(shown))


def _text(row: Any, share: bool) -> str:
    value, low, high = ((100 if share else 1) * float(row[name]) for name in ("value", "low", "high"))
    return f"{value:.1f} % ({low:.1f} to {high:.1f})" if share else f"{value:.2f} ({low:.2f} to {high:.2f})"


def _covered(full: pd.DataFrame) -> str:
    """How many intervals hold the truth, either way."""
    known = full.dropna(subset=["truth"])
    inside = known.assign(inside=(known["low"] <= known["truth"]) & (known["truth"] <= known["high"]))
    counts = inside.groupby("way", sort=False)["inside"].agg(["sum", "size"])
    told = [f"{way}, {int(row['sum'])} of {int(row['size'])}" for way, row in counts.iterrows()]
    return f"Intervals of the shares that hold the truth: {'; '.join(told)}."
