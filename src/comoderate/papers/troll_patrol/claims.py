"""The paper's claims about raters, classifiers and sampling, from what each campaign gave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from comoderate.metrics import Estimate
from comoderate.papers.claims import Verdict

Campaign = dict[str, Any]
STATISTICS = {"fleiss_kappa": "Fleiss' κ", "icc": "ICC(1,1)"}


def frame_of(campaign: Campaign, name: str) -> pd.DataFrame:
    """A table of a campaign's study."""
    return pd.DataFrame(campaign["study"][name])


def where(campaign: Campaign) -> str:
    """The campaign, in a word or two; the seed where it is not the first."""
    return str(campaign["world"]) + (f", seed {campaign['seed']}" if campaign["again"] else "")


def first(frame: pd.DataFrame, **wanted: Any) -> dict[str, Any] | None:
    """The first row with these values; None where there is none."""
    for key, value in wanted.items():
        frame = frame[frame[key] == value]
    return None if frame.empty else {str(k): v for k, v in frame.iloc[0].items()}


def agreement_row(table: pd.DataFrame, question: str, statistic: str, cohort: str) -> dict[str, Any] | None:
    """A statistic of agreement, weighted to the real stream where it is there; of the type the mean over types."""
    if question == "type":
        return _type_kappa(table, cohort)
    weighted = first(table, question=question, statistic=statistic, cohort=cohort, weighted=True)
    return weighted or first(table, question=question, statistic=statistic, cohort=cohort)


def _type_kappa(table: pd.DataFrame, cohort: str) -> dict[str, Any] | None:
    """The mean of the types' kappas, with the standard error of a mean of independent ones."""
    rows = table[
        (table["cohort"] == cohort) & (table["statistic"] == "fleiss_kappa") & table["question"].str.startswith("type:")
    ]
    rows = rows[rows["weighted"] == rows["weighted"].max()].dropna(subset=["value", "se"])
    if rows.empty:
        return None
    value, se = float(rows["value"].mean()), float(np.sqrt((rows["se"] ** 2).sum()) / len(rows))
    return {"value": value, "se": se, "low": value - 1.96 * se, "high": value + 1.96 * se, "n": int(rows["n"].max())}


def verdicts(campaign: Campaign) -> list[Verdict]:
    """What a campaign says of the paper's claims."""
    table, place = frame_of(campaign, "agreement"), where(campaign)
    found = []
    for statistic, paper in (("fleiss_kappa", ".54 against .26"), ("icc", ".70 against .35")):
        pair = [agreement_row(table, "problem", statistic, cohort) for cohort in ("experts", "volunteers")]
        name = STATISTICS[statistic]
        found.append(Verdict("experts agree more than volunteers", place, name, _difference(*pair), paper))
    for cohort, paper in (("volunteers", ".26 against .16"), ("experts", ".54 against .74: the reverse")):
        pair = [agreement_row(table, one, "fleiss_kappa", cohort) for one in ("problem", "type")]
        claim = f"{cohort} agree more on presence than on type"
        found.append(Verdict(claim, place, STATISTICS["fleiss_kappa"], _difference(*pair), paper))
    scorers = frame_of(campaign, "evaluation")
    for cohort, paper in (("volunteers", ".40 against .34"), ("experts", ".36 against .25")):
        best = [
            first(scorers, target="abusive", truth=cohort, scorer=name, metric="average_precision")
            for name in ("bert", "service")
        ]
        claim = "the campaign's own model beats a service"
        found.append(Verdict(claim, place, f"average precision against {cohort}", _difference(*best), paper))
    return [*found, *_enrichment(campaign)]


def of_annotators(rows: Sequence[dict[str, Any]]) -> list[Verdict]:
    """What real annotators, not drawn ones, say of presence and type.

    Args:
        rows: of their agreement, of the same columns as a study's.
    """
    if not rows:
        return []
    table = pd.DataFrame(rows)
    pair = [agreement_row(table, one, "fleiss_kappa", "annotators") for one in ("problem", "type")]
    claim, paper = "experts agree more on presence than on type", ".54 against .74: the reverse"
    return [Verdict(claim, "ConvAbuse's annotators", STATISTICS["fleiss_kappa"], _difference(*pair), paper)]


def _difference(one: dict[str, Any] | None, other: dict[str, Any] | None) -> Estimate:
    """The difference of two estimates as if they were independent, which is cautious where they share posts."""
    if one is None or other is None:
        return Estimate.undefined("one of them was not measured")
    value, se = one["value"] - other["value"], math.hypot(one["se"], other["se"])
    return Estimate(value, se, value - 1.96 * se, value + 1.96 * se, 0.95, "two estimates", int(one["n"]))


def _enrichment(campaign: Campaign) -> list[Verdict]:
    """What the filter's posts buy: in spread as drawn and label for label, and in positive posts to learn from."""
    table, place = pd.DataFrame(campaign["draws"]), where(campaign)
    found = []
    for quantity, what in (("abusive", "the overall share"), ("severe", "the share of severe abuse")):
        base, both = (first(table, quantity=quantity, way=way) for way in ("B", "B + F"))
        if base is None or both is None:
            continue
        ratio, n = base["spread"] / both["spread"], int(base["draws"])
        labels = math.sqrt(base["n"] / both["n"])
        claim, measure = f"enrichment helps {what}", "growth of the standard error if"
        for end, growth in ((f"{measure} the filter's posts are left out", ratio),
                            (f"{measure} unbiased posts take their place", ratio * labels)):  # fmt: skip
            found.append(Verdict(claim, place, end, _growth(growth, n), share=True))
    plain = first(table, quantity="severe", way="B + F, unweighted")
    if plain is not None:
        more = plain["bias"] / plain["truth"]
        se = plain["spread"] / plain["truth"] / math.sqrt(plain["draws"])
        gain = Estimate(more, se, more - 1.96 * se, more + 1.96 * se, 0.95, "simulated draws", int(plain["draws"]))
        measure = "more severe posts among as many labels"
        found.append(Verdict("enrichment helps training", place, measure, gain, share=True))
    return found


def _growth(ratio: float, n: int) -> Estimate:
    """A ratio of two spreads over n draws each, less one."""
    se = ratio / math.sqrt(n)
    return Estimate(ratio - 1, se, ratio - 1 - 1.96 * se, ratio - 1 + 1.96 * se, 0.95, "simulated draws", n)
