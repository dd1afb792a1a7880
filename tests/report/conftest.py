"""A made-up study with everything that a report can show; its 'abusive' words are vegetables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from comoderate.report import ReportContent, render

N = 14_500
SCORERS = ("naive_bayes@1f0c2a77be", "tfidf_logistic@9b31d0e4c5")
FRACTIONS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2)


def estimate(value: float, half: float, n: int = 900, **more: Any) -> dict[str, Any]:
    """The columns of an estimate with a symmetric interval."""
    return {
        "value": value, "se": half / 1.96, "low": value - half, "high": value + half, "level": 0.95,
        "method": "Hájek mean, stratified linearised, logit interval", "n": n, "n_effective": n / 1.2, "reason": None,
        **more,
    }  # fmt: skip


def undefined(reason: str, n: int = 0) -> dict[str, Any]:
    """The columns of an estimate without a value."""
    return estimate(np.nan, np.nan, n) | {"reason": reason}


def prevalence() -> pd.DataFrame:
    key = {"target": "abusive", "sample": "main", "cohort": "volunteers", "unit": "posts"}
    rows = [{**key, "domain": "all", "group": "all", **estimate(0.071, 0.005, 4100), "few": False}]
    rows.append(
        {**key, "cohort": "experts", "domain": "all", "group": "all", **estimate(0.062, 0.011, 980), "few": False}
    )
    groups = [("women", 0.094, 0.014, 880), ("migrants", 0.081, 0.019, 420), ("religion", 0.066, 0.02, 300)]
    for name, value, half, n in [*groups, ("gardeners", 0.12, 0.09, 21), ("no group", 0.051, 0.006, 2479)]:
        rows.append({**key, "domain": "target_group", "group": name, **estimate(value, half, n), "few": n < 30})
    rows.append(
        {**key, "domain": "target_group", "group": "other", **undefined("no labels in this group"), "few": True}
    )
    for day in pd.date_range("2026-01-01", periods=60):
        level = 0.07 + 0.03 * np.sin(day.dayofyear / 9)
        rows.append({**key, "domain": "day", "group": f"{day:%Y-%m-%d}", **estimate(level, 0.03, 68), "few": False})
    rows.append(
        {**key, "target": "severe", "domain": "all", "group": "all", **estimate(0.0042, 0.0011, 4100), "few": False}
    )
    return pd.DataFrame(rows)


def agreement() -> pd.DataFrame:
    rows = []
    for question, values in {
        "Abusive?": (0.31, 0.62),
        "Type: sexism": (0.18, 0.44),
        "Type: other": (0.02, -0.07),
    }.items():
        for cohort, value, n in zip(("volunteers", "experts"), values, (4100, 980)):
            counts = {"n_items": n, "n_annotations": 3 * n, "n_raters": np.nan if cohort == "experts" else 412}
            half = 0.03 if n > 1000 else 0.05
            for statistic, shift in (("fleiss_kappa", 0.0), ("intraclass_correlation", 0.04)):
                key = {"question": question, "cohort": cohort, "statistic": statistic}
                rows.append({**key, **counts, **estimate(value + shift, half, n, method="Fleiss, delta method")})
    key = {"question": "Medium", "cohort": "experts", "statistic": "fleiss_kappa"}
    counts = {"n_items": 0, "n_annotations": 0, "n_raters": np.nan}
    rows.append({**key, **counts, **undefined("no post has two answers")})
    return pd.DataFrame(rows)


def evaluation() -> pd.DataFrame:
    values = {
        SCORERS[0]: (0.52, 0.61, 0.56, 0.31, 0.55, 0.88, 0.93),
        SCORERS[1]: (0.66, 0.64, 0.65, 0.27, 0.68, 0.93, 0.95),
        "volunteers": (0.71, 0.78, 0.74, 0.5, 0.60, 0.87, 0.96),
    }
    metrics = ("precision", "recall", "f1", "threshold", "average_precision", "auroc", "accuracy")
    rows = []
    for truth in ("volunteers", "experts"):
        for scorer, numbers in values.items():
            if scorer == truth:
                continue
            for domain, group, n in [("all", "all", 980), ("platform", "short", 950), ("platform", "long", 24)]:
                key = {"target": "abusive", "sample": "main", "truth": truth, "scorer": scorer}
                for metric, value in zip(metrics, numbers):
                    half = 0.04 if group != "long" else 0.2
                    row = {**key, "domain": domain, "group": group, "metric": metric}
                    rows.append({**row, **estimate(value, half, n, method="bootstrap, 200 replicates"), "few": n < 30})
            row = {**key, "domain": "all", "group": "all", "metric": "prevalence", **estimate(0.071, 0.01)}
            rows.append({**row, "few": False})
    return pd.DataFrame(rows)


def curves() -> pd.DataFrame:
    parts, grid = [], np.linspace(0, 1, 400)
    for truth in ("volunteers", "experts"):
        for scorer, power in zip(SCORERS, (1.2, 2.2)):
            key = {"target": "abusive", "sample": "main", "truth": truth, "scorer": scorer, "threshold": 1 - grid}
            precision = 0.07 + 0.9 * (1 - grid**power)
            parts.append(pd.DataFrame({**key, "kind": "precision-recall", "x": grid, "y": precision}))
            parts.append(pd.DataFrame({**key, "kind": "roc", "x": grid, "y": grid ** (0.35 / power)}))
    crowd = {"target": "abusive", "sample": "main", "truth": "experts", "scorer": "volunteers"}
    for kind, x, y in (("precision-recall", [1.0, 0.78, 0.0], [0.07, 0.71, 1.0]), ("roc", [0, 0.024, 1], [0, 0.78, 1])):
        parts.append(pd.DataFrame({**crowd, "threshold": [0.0, 0.5, 1.0], "kind": kind, "x": x, "y": y}))
    return pd.concat(parts, ignore_index=True)


def review() -> pd.DataFrame:
    rows = []
    for scorer, start in zip(SCORERS, (0.93, 0.95)):
        for strategy, gain in (("uncertainty", 0.62), ("toxicity", 0.4)):
            for fraction in FRACTIONS:
                key = {
                    "target": "abusive",
                    "sample": "main",
                    "truth": "experts",
                    "scorer": scorer,
                    "strategy": strategy,
                }
                key |= {"review_fraction": fraction}
                efficiency = gain / (1 + 8 * fraction)
                values = {
                    "oracle_collaborative_accuracy": (start + fraction * efficiency * (1 - start) / 0.07, 0.006),
                    "oracle_collaborative_auroc": (start - 0.02 + 0.2 * fraction * gain, 0.008),
                    "review_efficiency": (efficiency, 0.12 if fraction < 0.02 else 0.05),
                }
                rows += [{**key, "metric": m, **estimate(*v, method="bootstrap, 200")} for m, v in values.items()]
    return pd.DataFrame(rows)


def queue() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    words = [
        "turnip",
        "you utter parsnip",
        "go back to the compost",
        "lovely weather",
        "cabbage-headed fool",
        "radish!",
    ]
    proba = np.sort(rng.uniform(0.3, 0.7, 40))[::-1]
    return pd.DataFrame(
        {
            "rank": np.arange(1, 41),
            "post_id": [f"p{100_000 + i * 37}" for i in range(40)],
            "target": "abusive",
            "text": [" ".join(rng.choice(words, 1 + i % 4)) for i in range(40)],
            "proba": proba,
            "review_score": proba * (1 - proba),
            "reason": "the model is not sure",
            "pi": np.where(np.arange(40) % 7 == 6, 0.002, np.nan),
            "source": np.where(np.arange(40) % 7 == 6, "audit", "queue"),
        }
    )


def totals() -> pd.DataFrame:
    days = pd.date_range("2026-01-01", periods=60)
    volume = (240 + 90 * np.sin(np.arange(60) / 5)).astype(int)
    volume[[20, 21, 41]] *= 4
    in_hand = np.minimum(volume, 600)
    return pd.DataFrame({"day": days, "N": volume, "in_hand": in_hand, "drawn": np.maximum(volume // 12, 3)})


def design() -> pd.DataFrame:
    by_day = totals()
    base = pd.DataFrame(
        {"sample": "main", "phase": "base", "stratum": by_day["day"].astype(str), "N": by_day["N"],
         "in_hand": by_day["in_hand"], "drawn": by_day["drawn"]}
    )  # fmt: skip
    more = base.assign(phase="enriched", stratum=base["stratum"] + ", suspected", drawn=base["drawn"] // 4)
    return pd.concat([base, more], ignore_index=True)


def content(**changes: Any) -> ReportContent:
    """A full report's content, with some fields changed."""
    fields: dict[str, Any] = {
        "title": "Abuse in the allotment forum, winter 2026",
        "question": "How much of what is said to gardeners on the forum is abusive, and who gets it?",
        "description": "Sixty days of posts, three volunteers a post and five experts on a part of them.",
        "generated": "2026-11-30 09:00 UTC", "version": "0.1.0", "seed": 7,
        "targets": [
            {"name": "abusive", "sentence": "positive where the majority answers problematic or abusive"},
            {"name": "severe", "sentence": "positive where the majority answers abusive"},
        ],
        "samples": [
            {"name": "main", "description": "Days in proportion to their posts, and every fourth suspected post more.",
             "drawn": 4530, "labelled": 4100, "estimand": "posts that survive in hand",
             "warnings": ["Three days had no labels and were joined to the day before"]},
        ],
        "design": design(), "totals": totals(), "prevalence": prevalence(), "agreement": agreement(),
        "evaluation": evaluation(), "curves": curves(), "review": review(), "queue": queue(), "review_fraction": 0.05,
        "truths": pd.DataFrame({"target": ["abusive"], "domain": ["all"], "group": ["all"], "truth": [0.0698]}),
        "warnings": ["The forum deletes some posts before they can be collected."],
    }  # fmt: skip
    return ReportContent(**fields | changes)


@pytest.fixture(scope="session")
def make() -> Callable[..., ReportContent]:
    """A full report's content; keywords change its fields."""
    return content


@pytest.fixture(scope="session")
def page() -> str:
    """The page of the full report."""
    return render(content())
