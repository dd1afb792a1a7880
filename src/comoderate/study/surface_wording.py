"""What a surface says in words, from its tables; no number is made here but rounded ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from comoderate.study.arms import surface_settings
from comoderate.study.surface_tables import LEAST_EFFECT, About, is_rate, is_share, measure_of

if TYPE_CHECKING:
    from comoderate.study.study import Study

MOST = 3
"""Effects of each kind that are told."""

LEAST_POWER = 0.1
"""Where a scorer's own probabilities tell less of where it is right, their estimates are not told."""


CONCERNED = {"false_positive": "negative posts", "false_negative": "positive posts"}
"""What posts a loss can concern, where not all."""


def posts_of(loss: str) -> str:
    """The posts that a measure is over, in words."""
    return CONCERNED.get(loss, "posts")


def percent(value: float) -> str:
    """A share as a percentage; a digit after the point below ten."""
    return f"{100 * value:.1f} %" if abs(value) < 0.0995 else f"{100 * value:.0f} %"


def interval(low: float, high: float) -> str:
    """An interval of a share, with as many digits as :func:`percent`."""
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def amount(value: float, loss: str) -> str:
    """A value of a surface: a percentage, or a number where that is no share."""
    return percent(value) if is_share(loss) else f"{value:.3f}"


def plain(value: float, loss: str) -> str:
    """A value of a surface for a narrow table: a whole percentage, or a number where that is no share."""
    return f"{100 * value:.0f} %" if is_share(loss) else f"{value:.2f}"


def change_with_interval(difference: float, low: float, high: float, loss: str) -> str:
    """A difference with the ends of its interval, in points where values are shares."""
    if not is_share(loss):
        return f"{difference:+.3f} ({low:+.3f} to {high:+.3f})"
    digits = max(_digits(low, high), int(any(0 < abs(end) < 0.005 for end in (low, high))))
    return f"{100 * difference:+z.{digits}f} points ({100 * low:+z.{digits}f} to {100 * high:+z.{digits}f})"


def loss_of(study: Study) -> str:
    """The loss that the study's surfaces are of."""
    return surface_settings(study).loss


def change(difference: float, reach: float, loss: str) -> str:
    """A difference of values of a surface and how far its interval reaches, in points where they are shares."""
    if not is_share(loss):
        return f"{difference:+.3f} (± {reach:.3f})"
    digits = _digits(0.0, reach)
    return f"{100 * difference:+z.{digits}f} points (± {100 * reach:.{digits}f})"


def value_with_interval(value: float, low: float, high: float, loss: str) -> str:
    """A value of a surface with the ends of its interval, for a table."""
    if not is_share(loss):
        return f"{value:.3f} ({low:.3f} to {high:.3f})"
    digits = _digits(low, high)
    return f"{100 * value:.{digits}f} % ({100 * low:.{digits}f} to {100 * high:.{digits}f})"


def _digits(low: float, high: float) -> int:
    """Digits after the point of a percentage that tell the ends of an interval apart, as far as two can; else none."""
    apart = (d for d in range(3) if f"{100 * low:.{d}f}" != f"{100 * high:.{d}f}")
    return next(apart, 0)


def over_all(about: About) -> str:
    """The measure over all posts with its interval."""
    return f"{amount(about.value, about.loss)} ({_between(about.low, about.high, about.loss)})"


def _between(low: float, high: float, loss: str) -> str:
    return interval(low, high) if is_share(loss) else f"{low:.3f} to {high:.3f}"


def _width(half: float, loss: str) -> str:
    return f"{100 * half:.2g} points" if is_share(loss) else f"{half:.3f}"


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
        *_uncertain(about),
        *_powered(arms, about),
        *_effects(effects, order=1),
        *_effects(effects, order=2),
    ]


def _whole(arms: pd.DataFrame, about: About) -> str:
    counted = arms[arms["counts"]]
    low, high = counted["value"].min(), counted["value"].max()
    names = [name.replace("_", " ") for name in about.attributes]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    kinds = f"values of {listed}" if len(names) == 1 else f"combinations of {listed}"
    ends = _between(low, high, about.loss)
    whole = f"about {over_all(about)} over all {posts_of(about.loss)}"
    alike = len(counted) > 1 and amount(low, about.loss) == amount(high, about.loss)
    how = "and, as far as these labels tell, the same in each of the" if alike else f"but from {ends} over the"
    return (
        f"The {measure_of(about.loss)} of “{about.scorer}” is {whole}, {how} "
        f"{len(counted):,} {kinds} that have {about.min_posts} {posts_of(about.loss)} or more."
    )


def _worst(arms: pd.DataFrame, about: About) -> str:
    named, level = arms[arms["named"]], percent(about.level)
    worse, mean = "above" if is_rate(about.loss) else "below", amount(about.value, about.loss)
    if named.empty:
        return f"At {level}, none can be named as {worse} the mean of {mean}, when all are looked at."
    first, posts = named.iloc[0], int(named["posts"].sum())
    who = "One is" if len(named) == 1 else f"{len(named)} of them are, jointly,"
    return (
        f"{who} {worse} the mean with a probability of {level}; {percent(named['share'].sum())} of all posts "
        f"({posts:,}) are of that kind. The surest: {first['arm']}: {amount(first['value'], about.loss)} "
        f"({_between(first['low'], first['high'], about.loss)})."
    )


def _known(arms: pd.DataFrame, about: About) -> str:
    counted = arms[arms["counts"]]
    bare = int((counted["labels"] == 0).sum())
    half = _width(float((counted["high"] - counted["low"]).mean()) / 2, about.loss)
    some = f"; {bare:,} of the {len(counted):,} have none and are judged by those like them" if bare else ""
    return f"This rests on {about.labels:,} labels{some}. Intervals reach {half} to each side on average."


def _uncertain(about: About) -> list[str]:
    """That attributes are predicted, how well, and for what a post counts."""
    if not about.predicted:
        return []
    names = " and ".join(name.replace("_", " ") for name in about.predicted)
    known = f", and known for {about.known:,} of the {about.posts:,} posts" if about.known else ""
    text = [f"The {names} of a post is predicted{known}."]
    if about.hit is not None:
        text.append(f"There, the predictions alone name {percent(about.hit)} of the combinations rightly.")
    elif about.assignment:
        text.append("No true value is known, so the predictions are believed as they are.")
    counts = {
        "em": "A post counts for every combination that it may belong to, as far as that is probable, its outcome "
        "taken into account.",
        "fractional": "A post counts for every combination that it may belong to, as far as that is probable.",
        "": "A post counts for the likeliest combination.",
    }
    return [" ".join([*text, counts[about.assignment]])]


def _powered(arms: pd.DataFrame, about: About) -> list[str]:
    """What the scorer's own probabilities add."""
    if about.power is None or about.labels >= about.posts:
        return []
    if about.power < LEAST_POWER:
        return [f"The probabilities that “{about.scorer}” gives hardly tell where it is right."]
    counted = arms[arms["counts"]]
    wide, narrow = (float((counted[f"{n}_high"] - counted[f"{n}_low"]).mean()) / 2 for n in ("here", "powered"))
    better = "corrected by the labels, leave only" if narrow < wide else "corrected by the labels, would leave"
    return [
        f"For the posts in hand, this leaves {_width(wide, about.loss)} to each side; the probabilities that "
        f"“{about.scorer}” gives, {better} {_width(narrow, about.loss)} (“here” and “powered” in arms.csv)."
    ]


def _effects(effects: pd.DataFrame, *, order: int) -> list[str]:
    mine = effects[(effects["order"] == order) & effects["sure"] & (effects["difference"].abs() >= LEAST_EFFECT)]
    if mine.empty:
        return []
    strength = (mine["difference"] ** 2 * mine["share"]).sort_values(ascending=False)
    return [str(mine.loc[at, "words"]) for at in strength.index[:MOST]]
