"""What the study's samples will cost and how sharp they will be, before anything is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from comoderate.corpus import iter_dataset
from comoderate.errors import ComoderateError
from comoderate.sampling import (
    Assumptions,
    Plan,
    advise,
    allocate,
    campaign_size,
    plan_enriched,
    plan_poisson,
    plan_second_phase,
    plan_stratified,
    plan_uniform,
    pps_rule,
    size_for,
)
from comoderate.sampling.intervals import quantile
from comoderate.study import drawing, phases
from comoderate.study.posts import FIRST_PHASE

if TYPE_CHECKING:
    from comoderate.study.settings import SampleSettings
    from comoderate.study.study import Study


class SamplePlans(NamedTuple):
    """The plans of a study.

    Attributes:
        table: a row a sample: sample, design, posts, labels, share, se, rare, rare_se, rare_posts, design_effect.
        sentences: what to make of it: what a campaign can afford, whether enrichment pays, what was guessed. Standard
            errors are those that the estimates will have: with weights 1/pi and days as strata.
    """

    table: pd.DataFrame
    sentences: list[str]


def plans(study: Study) -> SamplePlans:
    """A plan for every sample that draws anything, in the order of ``study.toml``."""
    rows: list[dict[str, Any]] = []
    sentences: list[str] = []
    known: dict[str, Plan] = {}
    for name, own in study.settings.sample.items():
        if own.design == "census":
            continue
        if own.of is not None:
            if own.of not in known:
                continue
            plan, doubts = _second(study, name, own, known[own.of])
            sentences += doubts
        else:
            assumed = assumptions(study, own)
            sentences += _guesses(study, name, own)
            plan = _poisson(study, own) if own.design == "poisson" else _first(own, assumed)
            if own.enrich is not None:
                added = plan.posts - (own.size or 0)
                share = min(0.9, max(0.01, added / max(plan.posts, 1.0)))
                sentences.append(f"{name}: {advise(assumed, round(plan.posts), share=share).sentence}")
            sentences += _needed(study, name, own, assumed)
        known[name] = plan
        counts = {"posts": round(plan.posts), "labels": round(plan.labels)}
        rows.append({"sample": name, **plan._asdict(), **counts})
    sentences += _campaign(study, sum(row["labels"] for row in rows))
    return SamplePlans(pd.DataFrame(rows).rename(columns={"prevalence": "share"}), sentences)


def assumptions(study: Study, own: SampleSettings) -> Assumptions:
    """Daily totals and counts of the study, and the guesses of ``[plan]``."""
    s = study.settings
    with phases.candidates(study, own, FIRST_PHASE) as found:
        counts = found.counts()
    table, _ = drawing.strata_totals(counts, phases.daily_totals(study))
    guess, total, in_hand = s.plan, table["N"].to_numpy(), table["in_hand"].to_numpy()
    flagged = _flagged(study, own) if own.enrich is not None else 0.0
    return Assumptions(
        total,
        in_hand,
        flagged,
        guess.prevalence,
        guess.rare,
        guess.overlap,
        finite=own.finite or (own.cluster is None and bool(np.any(in_hand < total))),
        post_stratified=own.cluster is None,
    )


def _guesses(study: Study, name: str, own: SampleSettings) -> list[str]:
    """What a plan takes for granted because a scorer has not scored the posts yet."""
    scorer = own.enrich.scorer if own.enrich is not None else own.proportional_to
    if scorer in (None, "views") or study.artefacts.record(f"scores:{scorer}") is not None:
        return []
    guess = (
        "each post is taken to have the same chance" if own.enrich is None else "a tenth of them is taken to be flagged"
    )
    return [f"{name}: scorer {scorer!r} has not scored the posts yet; {guess}. Plan again after `comoderate score`."]


def _flagged(study: Study, own: SampleSettings) -> float:
    """The share of posts that the enriching scorer flags; a tenth where it has not scored them yet."""
    assert own.enrich is not None
    if study.artefacts.record(f"scores:{own.enrich.scorer}") is None:
        return 0.1
    flags = (
        part["proba"] > own.enrich.threshold for part in iter_dataset(study.scores_folder(own.enrich.scorer), ["proba"])
    )
    called, every = np.sum([(part.sum(), len(part)) for part in flags], axis=0)
    return float(called / every)


def _first(own: SampleSettings, assumed: Assumptions) -> Plan:
    size = own.size or 0
    if own.design == "uniform" and own.enrich is None:
        return plan_uniform(assumed, size)
    if own.enrich is None:
        return plan_stratified(assumed, size)
    total, hand = np.asarray(assumed.total, dtype=np.float64), np.asarray(assumed.in_hand, dtype=np.float64)
    left = float((np.maximum(hand - size * total / total.sum(), 0) * np.asarray(assumed.flagged)).sum())
    wanted = left if own.enrich.size == "all" else own.enrich.size
    return plan_enriched(assumed, size, min(1.0, wanted / left) if left > 0 else 0.0)


def _poisson(study: Study, own: SampleSettings) -> Plan:
    """By the real chances of every post; a score stands for its own guess of how likely a post is positive."""
    guess, by_views = study.settings.plan, own.proportional_to == "views"
    if not by_views and study.artefacts.record(f"scores:{own.proportional_to}") is None:
        return _first(own, assumptions(study, own))._replace(design="Poisson, chances not known yet")
    with phases.candidates(study, own, FIRST_PHASE) as found:
        amounts = phases.sized(study, own, found).amounts()
    expected = min(own.size or 0, len(amounts))
    chance = pps_rule(amounts, expected, least=own.least * expected / len(amounts))(amounts)
    common = guess.prevalence[0]
    proba = np.full(len(amounts), common) if by_views else np.clip(amounts, 0.0, 1.0)
    rare = np.minimum(proba * (guess.rare[0] / common if common > 0 else 0.0), 1.0)
    return plan_poisson(chance, proba, rare=rare, ratings=guess.overlap, finite=own.finite)


def _second(study: Study, name: str, own: SampleSettings, first: Plan) -> tuple[Plan, list[str]]:
    """From the posts that may be drawn where the first sample is there, else as if all of it might be."""
    ratings, size = study.settings.plan.overlap, min(own.size or 0, int(first.posts))
    try:
        if study.artefacts.record(f"sample:{own.of}") is None:
            raise ComoderateError(f"sample {own.of!r} is not drawn yet")
        there = phases.eligible(study, name, own).assign(weight=lambda posts: 1 / posts["pi"])
    except ComoderateError as error:
        plan = plan_second_phase(first, [1.0], [size], [first.prevalence], ratings=ratings)
        doubt = f"{name}: {error.what}; it is planned as if it could take any post of {own.of}."
        return plan, [doubt] if own.rated or own.flagged_by else []
    strata = there.groupby("stratum")["weight"].agg(["size", "sum"])
    guess = dict(zip(("not flagged", "flagged"), study.settings.plan.prevalence, strict=True))
    prevalence = [guess.get(str(stratum), first.prevalence) for stratum in strata.index]
    quota = allocate(np.ones(len(strata)), min(size, len(there)), caps=strata["size"])
    share = strata["sum"] / strata["sum"].sum()
    return plan_second_phase(first, share, quota, prevalence, eligible=strata["size"], ratings=ratings), []


def _needed(study: Study, name: str, own: SampleSettings, assumed: Assumptions) -> list[str]:
    """How many posts the wanted margin takes, by day or uniformly and without enrichment."""
    margin, level = study.settings.plan.margin, study.settings.evaluate.level
    if margin is None or own.design == "poisson":
        return []
    wanted = margin / quantile(level, np.inf)
    size, plain = size_for(assumed, se=wanted), " without enrichment" if own.enrich is not None else ""
    told = f"for overall prevalence within {100 * margin:g} points either way ({100 * level:g} %)"
    if plan_stratified(assumed, size).se > wanted:
        return [f"{name}: not even all {size:,} posts in hand are enough {told}."]
    return [f"{name}: {told} {size:,} posts are needed{plain}."]


def _campaign(study: Study, labels: int) -> list[str]:
    """What the campaign can label, and whether the samples of which ``labels`` ratings are wanted fit into it."""
    guess = study.settings.plan
    seconds = guess.seconds or _median_seconds(study)
    if guess.raters is None or guess.hours is None or seconds is None:
        return ["Give raters, hours and seconds under [plan] to see how many posts a campaign can label."]
    posts = campaign_size(raters=guess.raters, hours=guess.hours, seconds=seconds, overlap=guess.overlap)
    return [
        f"{guess.raters:,} raters who give {guess.hours:g} hours each, at {seconds:.0f} seconds a rating and "
        f"{guess.overlap} ratings a post, can label {posts:,} posts. The samples above take "
        f"{labels * seconds / 3600:,.0f} of their {guess.raters * guess.hours:,.0f} hours."
    ]


def _median_seconds(study: Study) -> float | None:
    """The median of the recorded seconds a rating, where there are any."""
    path = study.folder / "labels" / "annotations.parquet"
    if not path.exists():
        return None
    seconds = study.annotations()["seconds"].dropna()
    return float(seconds.median()) if len(seconds) else None
