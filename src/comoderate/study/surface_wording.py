"""What a surface says in words, from its tables; no number is made here but rounded ones."""

from __future__ import annotations

import pandas as pd

from comoderate.study.surface_tables import LEAST_EFFECT, About, is_rate, measure_of

MOST = 3
"""Effects of each kind that are told."""


def percent(value: float) -> str:
    """A share as a percentage; a digit after the point below ten."""
    return f"{100 * value:.1f} %" if abs(value) < 0.0995 else f"{100 * value:.0f} %"


def interval(low: float, high: float) -> str:
    """An interval of a share, with as many digits as :func:`percent`."""
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def surface_sentences(arms: pd.DataFrame, effects: pd.DataFrame, about: About) -> list[str]:
    """What the surface says: over all, where it is worst, on what it rests, and the largest effects."""
    if not about.labels:
        return [
            f"No post has a label yet, so nothing is known of “{about.scorer}”. `comoderate assess` proposes posts to "
            "label."
        ]
    return [
        _whole(arms, about),
        _worst(arms, about),
        _known(arms, about),
        *_effects(effects, order=1),
        *_effects(effects, order=2),
    ]


def _whole(arms: pd.DataFrame, about: About) -> str:
    counted = arms[arms["counts"]]
    low, high = counted["value"].min(), counted["value"].max()
    names = [name.replace("_", " ") for name in about.attributes]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    kinds = f"values of {listed}" if len(names) == 1 else f"combinations of {listed}"
    return (
        f"The {measure_of(about.loss)} of “{about.scorer}” is about {percent(about.value)} over all posts, but from "
        f"{percent(low)} to {percent(high)} over the {len(counted):,} {kinds} that have {about.min_posts} posts or "
        "more."
    )


def _worst(arms: pd.DataFrame, about: About) -> str:
    named, level = arms[arms["named"]], percent(about.level)
    worse, mean = "above" if is_rate(about.loss) else "below", percent(about.value)
    if named.empty:
        return f"At {level}, none can be named as {worse} the mean of {mean}, when all are looked at."
    first, posts = named.iloc[0], int(named["posts"].sum())
    who = "One is" if len(named) == 1 else f"{len(named)} of them are, jointly,"
    return (
        f"{who} {worse} the mean with a probability of {level}; {percent(named['share'].sum())} of all posts "
        f"({posts:,}) are of that kind. The surest: {first['arm']}: {percent(first['value'])} "
        f"({interval(first['low'], first['high'])})."
    )


def _known(arms: pd.DataFrame, about: About) -> str:
    counted = arms[arms["counts"]]
    bare = int((counted["labels"] == 0).sum())
    half = 50 * (counted["high"] - counted["low"]).mean()
    some = f"; {bare:,} of the {len(counted):,} have none and are judged by those like them" if bare else ""
    return f"This rests on {about.labels:,} labels{some}. Intervals reach {half:.2g} points to each side on average."


def _effects(effects: pd.DataFrame, *, order: int) -> list[str]:
    mine = effects[(effects["order"] == order) & effects["sure"] & (effects["difference"].abs() >= LEAST_EFFECT)]
    if mine.empty:
        return []
    strength = (mine["difference"] ** 2 * mine["share"]).sort_values(ascending=False)
    return [str(mine.loc[at, "words"]) for at in strength.index[:MOST]]
