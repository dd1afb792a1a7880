"""Which strategy moderators should follow, what that is worth, whom it leaves with mistakes: tables from one case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from comoderate import metrics, review
from comoderate.study.cases import Case, Floats, objective
from comoderate.study.estimating import FEW
from comoderate.study.evaluating import Evaluation
from comoderate.study.strategies import BASELINES

ADVICE = (
    "target", "sample", "truth", "scorer", "objective", "review_fraction", "best", "baseline", "used", "certain",
    "read_twice",
    "strategy", "metric", "value", "se", "low", "high", "level", "method", "n", "n_effective", "reason",
)  # fmt: skip
CROSSINGS = ("target", "scorer", "objective", "below", "above", "review_fraction")
GROUPS = ("target", "scorer", "strategy", "review_fraction", "domain", "group", "metric", "value", "low", "high", "few")
TRUST = (
    "target", "sample", "truth", "scorer", "calibrated", "metric", "value", "se", "low", "high", "level", "method", "n",
    "n_effective", "reason",
)  # fmt: skip
RELIABILITY = ("target", "sample", "truth", "scorer", "calibrated", "predicted", "observed", "weight", "low", "high")
BINS = 10


def advise(case: Case) -> review.Advice:
    """Compare all strategies that the study has enough for, at its capacity and objective, by cross-fitting."""
    return review.advise(
        case.y,
        case.proba,
        fold=case.fold,
        review_fraction=case.review_fraction,
        readings=case.readings,
        objective=objective(case.settings),
        strategies=case.strategies(),
        baselines=BASELINES,
        threshold=case.settings.threshold,
        sample_weight=case.weight,
        extras=case.extras(),
        replicates=case.found.replicates,
        level=case.found.level,
    )


def used(case: Case, advice: review.Advice) -> str:
    """The strategy that orders the queue: the one that the study names, or with ``auto`` the advised one."""
    return advice.best if case.settings.strategy == "auto" else case.settings.strategy


def advice_table(case: Case, advice: review.Advice) -> pd.DataFrame:
    """A row an estimate: the ``value`` and ``gain`` of each strategy, best first, and ``tenth_more`` of the best."""
    common = {
        **case.key,
        "objective": case.settings.objective,
        "review_fraction": advice.review_fraction,
        "best": advice.best,
        "baseline": advice.baseline,
        "used": used(case, advice),
        "certain": advice.certain,
        "read_twice": _read_twice(case, used(case, advice)),
    }
    rows: list[dict[str, Any]] = []
    for one in advice.compared:
        rows.append({**common, "strategy": one.name, "metric": "value", **one.value.as_dict()})
        rows.append({**common, "strategy": one.name, "metric": "gain", **one.gain.as_dict()})
    rows.append({**common, "strategy": advice.best, "metric": "tenth_more", **advice.tenth_more.as_dict()})
    return pd.DataFrame(rows, columns=list(ADVICE))


def _read_twice(case: Case, strategy: str) -> float:
    """Of the posts that the capacity reads, the share that two moderators read; NaN where all are read once."""
    if case.readings is None:
        return float("nan")
    score = case.scores([strategy])[strategy]
    read = metrics.reviewed_share(score, review_fraction=case.share_read(score), sample_weight=case.weight)
    held = case.weight * read
    return float(held @ (case.readings > 1) / held.sum()) if held.sum() > 0 else float("nan")


def crossings_table(case: Case, advice: review.Advice) -> pd.DataFrame:
    """Where the best strategy's curve crosses another's: ``below`` is better at smaller capacities."""
    common = {"target": case.target, "scorer": case.scorer, "objective": case.settings.objective}
    return pd.DataFrame([{**common, **vars(crossing)} for crossing in advice.crossings], columns=list(CROSSINGS))


def group_table(case: Case, strategy: str, by: tuple[str, ...]) -> pd.DataFrame:
    """Each group's share of the stream and of the readings, and what mistakes are left to it, with intervals."""
    score = case.scores([strategy])[strategy]
    read = case.share_read(score)
    rows: list[dict[str, Any]] = []
    for domain in by:
        group = case.group(domain)
        names, counts = np.unique(group, return_counts=True)
        found = case.found.estimate(
            review.group_review, case.y, case.proba, score, group,
            review_fraction=read, threshold=case.settings.threshold,
        )  # fmt: skip
        cells = [(metric, at) for metric in review.GroupReview._fields for at in range(len(names))]
        for (metric, at), estimate in zip(cells, found, strict=True):
            rows.append(
                {
                    "target": case.target, "scorer": case.scorer, "strategy": strategy,
                    "review_fraction": case.review_fraction, "domain": domain, "group": names[at], "metric": metric,
                    **estimate.as_dict(), "few": bool(counts[at] < FEW),
                }
            )  # fmt: skip
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(GROUPS))


def reliability_table(case: Case, probas: dict[str, Floats]) -> pd.DataFrame:
    """Observed share against predicted probability in tenths, with Wilson intervals at the effective size.

    Args:
        case: whose labels judge.
        probas: (n,) probabilities by scorer; those of the case's own scorer are shown calibrated as well.
    """
    frames = [
        _bins(found, proba).assign(**{**case.key, "scorer": name}, calibrated=own)
        for name, own, proba, found in _shown(case, probas)
    ]
    return pd.concat(frames, ignore_index=True)[list(RELIABILITY)]


def _shown(case: Case, probas: dict[str, Floats]) -> Iterator[tuple[str, bool, Floats, Evaluation]]:
    """Scorers, whether calibrated, their probabilities, and the posts that have one."""
    for name, proba in probas.items():
        known, scored = case.found.scored(proba)
        if len(np.unique(scored.y)) == 2:
            yield name, False, known, scored
    yield case.scorer, True, case.calibrated, case.found


def trust_table(case: Case, probas: dict[str, Floats]) -> pd.DataFrame:
    """How far probabilities are from what they claim, and how well uncertainty finds a scorer's mistakes.

    Args:
        case: whose labels judge.
        probas: as in :func:`reliability_table`.
    """
    rows: list[dict[str, Any]] = []
    for name, own, proba, found in _shown(case, probas):
        unsure, options = proba * (1.0 - proba), {"threshold": case.settings.threshold}
        made = {
            "brier_score": found.estimate(metrics.brier_score, found.y, proba),
            "calibration_error": found.estimate(
                metrics.expected_calibration_error, found.y, proba, n_bins=BINS, binning="mass"
            ),
        }
        if not own:
            for metric in (metrics.calibration_auroc, metrics.area_under_risk_coverage):
                made[metric.__name__] = found.estimate(metric, found.y, proba, unsure, **options)
        key = {**case.key, "scorer": name, "calibrated": own}
        rows += [{**key, "metric": metric, **estimate[0].as_dict()} for metric, estimate in made.items()]
    return pd.DataFrame(rows, columns=list(TRUST))


def _bins(evaluation: Evaluation, proba: Floats) -> pd.DataFrame:
    weight = evaluation.weight
    found = metrics.reliability_diagram(evaluation.y, proba, n_bins=BINS, sample_weight=weight)
    code = np.minimum((proba * BINS).astype(np.int64), BINS - 1)
    held = np.unique(code[weight > 0])
    sizes = [metrics.effective_size(weight[code == one]) for one in held]
    ends = [metrics.wilson(float(share), size, evaluation.level) for share, size in zip(found[1], sizes, strict=True)]
    low, high = np.array(ends).T
    share = np.asarray(found[2]) / weight.sum()
    return pd.DataFrame({"predicted": found[0], "observed": found[1], "weight": share, "low": low, "high": high})
