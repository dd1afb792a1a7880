"""What the advice on review says in words, from its tables; no number is made here but rounded ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

OBJECTIVES = {
    "accuracy": "right decisions",
    "auroc": "AUROC of the pair",
    "average_precision": "average precision of the pair",
    "review_efficiency": "review efficiency",
    "cost": "money saved a post",
}
STRATEGIES = {
    "toxicity": "the most probably positive posts first",
    "uncertainty": "the posts on which the scorer is least sure first",
    "random": "posts at random",
    "hybrid": "a share of each of the paper's two",
    "expected_error": "the posts that are most likely decided wrongly first",
    "expected_auroc_gain": "the posts whose reading mends the ranking most (AUROC)",
    "expected_average_precision_gain": "the posts whose reading mends the top of the ranking most",
    "expected_cost": "the posts whose mistakes would cost most",
    "rater_disagreement": "the posts on which people are likely to differ",
    "even_errors": "posts that keep mistakes from gathering in one group",
    "member_variance": "the posts on which the members of the scorer disagree most",
    "mutual_information": "the posts whose labels would tell most about the scorer",
    "weak_arms": "likely mistakes, more of them where the scorer is weak on posts of their kind",
}


def spoken(strategy: str) -> str:
    """A strategy's name in a sentence."""
    return strategy.replace("_", " ")


def percent(value: float) -> str:
    """A share as a percentage with sensible digits."""
    return f"{100 * value:.3g} %"


def amount(value: float, objective: str) -> str:
    """A value of an objective: a percentage where it is a share, else a number."""
    return percent(value) if objective in {"accuracy", "review_efficiency"} else f"{value:.3g}"


def difference(value: float, objective: str) -> str:
    """A difference of two values of an objective: in percentage points where it is a share, else a number."""
    rounded = round(value, 9) + 0.0
    return f"{100 * rounded:.2g} points" if objective in {"accuracy", "review_efficiency"} else f"{rounded:.2g}"


def ends(row: Any, objective: str, write: Callable[[float, str], str] = amount) -> str:
    """An interval in brackets; nothing where there is none."""
    if math.isnan(row.low):
        return ""
    low, high = write(row.low, objective), write(row.high, objective)
    return f" ({low.removesuffix(' %').removesuffix(' points')} to {high})"


def advice_sentences(advice: pd.DataFrame, crossings: pd.DataFrame) -> list[str]:
    """Which strategy to use and by how much it is better, what a tenth more buys, where curves cross."""
    if advice.empty:
        return ["No advice on review: no scorer has labelled posts of both classes to compare strategies on."]
    first = advice.iloc[0]
    told = [_use(advice, first), _tenth(advice, first), _crossings(crossings, first)]
    if first["used"] != first["best"]:
        told.append(
            f'The queue follows {spoken(first["used"])}, as study.toml says; strategy = "auto" under [review] follows '
            "the advice."
        )
    return [text for text in told if text]


def _capacity(first: pd.Series[Any]) -> str:
    """The capacity in words: a share of posts, or readings a hundred posts where some posts are read twice."""
    share = float(first["review_fraction"])
    if math.isnan(first["read_twice"]):
        return f"{percent(share)} of posts read"
    twice = percent(first["read_twice"])
    return f"{100 * share:.3g} readings for every hundred posts, {twice} of the posts that are read going to two people"


def base_rate_sentences(table: pd.DataFrame) -> list[str]:
    """What the stream's base rate was found to be, without labels, and what that changed."""
    told = []
    row: Any
    for row in table.itertuples():
        start = f"Of the labelled posts {percent(row.labelled)} are “{row.target}”; "
        if not row.used:
            told.append(f"{start}the scores of the queue's posts tell no other share, and that of the labels is kept.")
            continue
        told.append(
            f"{start}of the queue's posts, by the scores of {row.scorer} and without their labels, {percent(row.value)}"
            f"{ends(row, 'accuracy')}. Calibration, advice, thresholds and costs suppose this. This is right only "
            "if the stream differs from the labelled posts in nothing but this share."
        )
    return told


def _row(advice: pd.DataFrame, strategy: str, metric: str) -> Any:
    rows = advice[(advice["strategy"] == strategy) & (advice["metric"] == metric)]
    return next(rows.itertuples(), None)


def _use(advice: pd.DataFrame, first: pd.Series[Any]) -> str:
    objective, best, base = str(first["objective"]), str(first["best"]), str(first["baseline"])
    what = OBJECTIVES[objective]
    value, gain = _row(advice, best, "value"), _row(advice, best, "gain")
    start = f"With {_capacity(first)}, "
    result = f"{what} {amount(value.value, objective)}{ends(value, objective)}"
    use = f"{start}use {spoken(best)} ({STRATEGIES[best]}): {result}"
    if best == base:
        return f"{use}. No other strategy does better on these labels."
    more = (
        f"{difference(gain.value, objective)}{ends(gain, objective, difference)} more than {spoken(base)}, the better "
        "of the paper's two"
    )
    if bool(first["certain"]):
        return f"{use}, {more}."
    follows = " The queue follows it." if first["used"] == best else ""
    return (
        f"{start}{spoken(base)} ({STRATEGIES[base]}) does as well as any that these labels can tell. First comes "
        f"{spoken(best)} with {result}, {more}, and that may be chance.{follows}"
    )


def _tenth(advice: pd.DataFrame, first: pd.Series[Any]) -> str:
    objective, found = str(first["objective"]), _row(advice, str(first["best"]), "tenth_more")
    if found is None or math.isnan(found.value):
        return ""
    return (
        f"A tenth more readings would add {difference(found.value, objective)}{ends(found, objective, difference)} to "
        f"{OBJECTIVES[objective]}."
    )


def _crossings(crossings: pd.DataFrame, first: pd.Series[Any]) -> str:
    best = first["best"]
    against = crossings[(crossings["below"] == best) | (crossings["above"] == best)]
    other = against.assign(other=against["below"].where(against["below"] != best, against["above"]))
    away = (np.log(other["review_fraction"].astype(float)) - np.log(float(first["review_fraction"]))).abs()
    nearest = other.assign(away=away).sort_values("away").drop_duplicates("other")
    shown = nearest[nearest["other"].isin(["toxicity", "uncertainty", "expected_error"])]
    if shown.empty:
        return ""
    parts = [
        f"at {percent(row.review_fraction)} ({spoken(row.below)} is better below, {spoken(row.above)} above)"
        for row in shown.itertuples()
    ]
    return f"Nearest to that capacity, its curve crosses others {'; '.join(parts)}."
