"""Making attributes of people coarser until nobody stands out: k-anonymity by suppression (Sweeney 2002)."""

from __future__ import annotations

import pandas as pd

OTHER = "(other)"
UNKNOWN = "(unknown)"


def coarsen(people: pd.DataFrame, k: int) -> pd.DataFrame:
    """Attributes in which every combination of values is shared by at least ``k`` people.

    The attribute with most values first, values that stand out become :data:`OTHER`: those of people in combinations
    of fewer than ``k``, and, where these are still too few to hide among, the rarest values of people who are otherwise
    like them. Who stands out even without any attribute is joined by the smallest combinations that are left.

    Args:
        people: a row a person, a column an attribute.
        k: fewest people of one combination, 1 or more.

    Returns:
        A frame of the same shape, its values text; with fewer than ``k`` people nothing but :data:`OTHER`.

    Raises:
        ValueError: ``k`` below 1.
    """
    if k < 1:
        raise ValueError("k must be 1 or more")
    table = people.astype(object).where(people.notna(), UNKNOWN).astype(str)
    for column in sorted(table.columns, key=lambda name: (-table[name].nunique(), str(name))):
        rest = [name for name in table.columns if name != column]
        alike = table.groupby(rest, sort=False).ngroup() if rest else pd.Series(0, index=table.index)
        table.loc[_small(table, k), column] = OTHER
        for group in alike.unique():
            _hide(table, alike == group, column, k)
    while (small := _small(table, k)).any() and not (table == OTHER).all(axis=None):
        sizes = table.groupby(list(table.columns), sort=False)[table.columns[0]].transform("size")
        hidden = (table == OTHER).all(axis=1)
        table[small | (~hidden & (sizes == sizes[~hidden].min()))] = OTHER
    return table


def _hide(table: pd.DataFrame, alike: pd.Series, column: str, k: int) -> None:
    """Among people alike in all else, give up the rarest values until those without one are ``k``."""
    while True:
        counts = table.loc[alike, column].value_counts(sort=True, ascending=True)
        hidden = int(counts.get(OTHER, 0))
        shown = counts.drop(OTHER, errors="ignore")
        if not 0 < hidden < k or shown.empty:
            return
        table.loc[alike & (table[column] == shown.index[0]), column] = OTHER


def _small(table: pd.DataFrame, k: int) -> pd.Series:
    """Who is in a combination of fewer than ``k``."""
    if table.empty or not len(table.columns):
        return pd.Series(False, index=table.index)
    return table.groupby(list(table.columns), sort=False)[table.columns[0]].transform("size") < k
