"""What a model's card says of the combinations of attributes on which an assessed surface finds it weak."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from comoderate.corpus import atomic_path
from comoderate.models.card import README, with_weak
from comoderate.study.surface_tables import About, is_rate, measure_of
from comoderate.study.surface_wording import over_all, percent, value_with_interval

MOST = 20
"""Combinations that a card lists."""


def weak_lines(arms: pd.DataFrame, about: About) -> list[str]:
    """What the surface was, then the combinations that are jointly worse than the mean, a line each.

    Args:
        arms: the table of arms, the surest weak ones first.
        about: what the surface is of.
    """
    counted, named = arms[arms["counts"]], arms[arms["named"]]
    worse = "above" if is_rate(about.loss) else "below"
    result = f"{len(named):,} {'is' if len(named) == 1 else 'are'}" if len(named) else "none can be named as"
    listed = ", ".join(name.replace("_", " ") for name in about.attributes)
    jointly = " jointly" if len(named) > 1 else ""
    lines = [
        f"Assessed: the {measure_of(about.loss)} by {listed}, {over_all(about)} over all posts, from "
        f"{about.labels:,} labels. Of the {len(counted):,} combinations with {about.min_posts} posts or more "
        f"{result}{jointly} {worse} that mean, at {percent(about.level)}."
    ]
    for _, row in named.head(MOST).iterrows():
        value = value_with_interval(float(row["value"]), float(row["low"]), float(row["high"]), about.loss)
        lines.append(f"{row['arm']}: {value}; {int(row['posts']):,} posts, {int(row['labels']):,} labels")
    if len(named) > MOST:
        lines.append(f"… and {len(named) - MOST:,} more, in surface/{about.scorer}/arms.csv")
    return lines


def tell(folder: Path, arms: pd.DataFrame, about: About) -> None:
    """Write the weak combinations into the card of the version that was assessed, where there is such a card.

    Args:
        folder: of the study.
        arms, about: as :func:`weak_lines`.
    """
    path = folder / "models" / about.scorer / README
    if not path.is_file():
        return
    page = path.read_text(encoding="utf-8")
    changed = with_weak(page, weak_lines(arms, about))
    if f"`{about.version}`" in page and changed != page:
        with atomic_path(path) as temporary:
            temporary.write_text(changed, encoding="utf-8")
