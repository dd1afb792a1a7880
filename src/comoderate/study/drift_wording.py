"""What changed on a surface, in words; no number is made here but rounded ones."""

from __future__ import annotations

import math

import pandas as pd

from comoderate.metrics import Estimate
from comoderate.study.surface_tables import measure_of
from comoderate.study.surface_wording import amount, change_with_interval, percent, posts_of


def drift_sentences(
    arms: pd.DataFrame, whole: Estimate, ends: tuple[float, float], covered: float, *,
    scorer: str, about: str, loss: str, level: float,
) -> list[str]:  # fmt: skip
    """What changed over all posts, and where it surely did.

    Args:
        arms: a row an arm, as :class:`comoderate.study.drifting.Drifted` has them.
        whole: the change over all posts; ``ends`` are what it was and what it is.
        covered: the share of posts that the change is over.
        scorer: whose; ``about``: since when, or compared with whom.
        loss: of the surface.
        level: of intervals and joint claims.
    """
    if math.isnan(whole.value):
        return [f"{about[0].upper()}{about[1:]}, nothing can be said of “{scorer}”: {whole.reason}."]
    some = (
        "" if covered > 0.995 else f", as far as combinations have labels on both sides ({percent(covered)} of posts)"
    )
    change = change_with_interval(whole.value, whole.low, whole.high, loss)
    luck = "" if whole.low > 0 or whole.high < 0 else ", which may be luck"
    before, after = (amount(value, loss) for value in ends)
    return [
        f"{about[0].upper()}{about[1:]}, the {measure_of(loss)} of “{scorer}” over all {posts_of(loss)} is {after}, "
        f"against {before}{some}: {change}{luck}.",
        _where(arms, loss, level),
    ]


def _where(arms: pd.DataFrame, loss: str, level: float) -> str:
    """How many arms are surely worse and better, and the surest."""
    told = []
    for word in ("worse", "better"):
        named = arms[arms["surely"] == word]
        if named.empty:
            told.append(f"none is surely {word}")
            continue
        first = (named.iloc[0] if word == "worse" else named.iloc[-1]).to_dict()
        change = change_with_interval(first["change"], first["low"], first["high"], loss)
        who = "1 is" if len(named) == 1 else f"{len(named)} are"
        ends = f"from {amount(first['before'], loss)} to {amount(first['after'], loss)}"
        told.append(f"{who} surely {word}, the surest {first['arm']}, {ends}: {change}")
    together = f"At {percent(level)}, when all combinations are looked at"
    return f"{together}, {told[0]}; {told[1]}."
