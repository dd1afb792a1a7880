"""The two stages of review: ``advice`` on how to use moderators' time, and the curves and the queue that follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate import __version__
from comoderate.corpus import write_frame
from comoderate.sampling import uniform
from comoderate.study import advising, base_rate, cases, evaluating, moderating, operating, queueing, reviewing, tables
from comoderate.study.cases import Case, Floats
from comoderate.study.strategies import BASELINES, check_enough, strategy

if TYPE_CHECKING:
    from comoderate.review import Strategy
    from comoderate.study.study import Study

ADVICE = (
    "advice", "crossings", "review_groups", "reliability", "thresholds", "outcomes", "costs", "erring", "stream",
    "stream_days", "base_rate", "trust",
)  # fmt: skip
"""The tables of results that the stage ``advice`` makes."""

QUEUE = ("rank", "post_id", "target", "proba", "review_score", "reason", "pi", "source", "readings")


def advice(study: Study) -> dict[str, Any]:
    """Compare strategies for the reviewed target, and find the operating points of every target."""
    columns = (
        advising.ADVICE, advising.CROSSINGS, advising.GROUPS, advising.RELIABILITY, operating.THRESHOLDS,
        operating.OUTCOMES, operating.COSTS, moderating.ERRING, moderating.STREAM, moderating.DAYS,
        base_rate.BASE_RATE, advising.TRUST,
    )  # fmt: skip
    found: dict[str, list[pd.DataFrame]] = {name: [] for name in ADVICE}
    told: list[str] = []
    summary: dict[str, Any] = {}
    main = cases.target_of(study)
    for target in (main, *(other for other in study.settings.target if other != main)):
        case = cases.sample_case(study, target)
        if case is None:
            told += [f"{target}: no advice on review, for {_lack(study, target)}"]
            continue
        if case.failed:
            told += [f"{target}: {case.scorer} failed on {case.failed:,} labelled posts, which judge no review"]
        if study.settings.review.base_rate == "stream":
            case, rate = _shifted(study, case)
            found["base_rate"].append(rate)
        probas = _probas(study, case)
        found["reliability"].append(advising.reliability_table(case, probas))
        found["trust"].append(advising.trust_table(case, probas))
        name: str = study.settings.review.strategy
        if target == main:
            told += _paces(study)
            name = _advise(study, case, found)
            summary = {"strategy": name}
        elif name not in case.strategies():
            name = "expected_error"
        points = operating.operate(case, name, posts=len(study.posts()))
        for kind in ("thresholds", "outcomes", "costs"):
            found[kind].append(getattr(points, kind))
        told += points.warnings
    for (kind, frames), names in zip(found.items(), columns, strict=True):
        held = [frame for frame in frames if len(frame)]
        table = pd.concat(held, ignore_index=True) if held else pd.DataFrame(columns=list(names))
        write_frame(table, study.folder / "results" / f"{kind}.parquet", {"version": __version__})
    return {**summary, "warnings": told}


def _lack(study: Study, target: str) -> str:
    """Why a target has nothing to be judged on."""
    scored = any(study.target_of(name) == target for name in study.settings.scorer)
    return "no scorer has labelled posts of both classes" if scored else "no scorer gives its probability"


def _paces(study: Study) -> list[str]:
    """That capacity and per_day, both given, do not read the same share of the posts; nothing where they do."""
    s, daily, total = study.settings.review, cases.daily_readings(study), max(len(study.posts()), 1)
    given = s.capacity
    if given is None or daily is None or abs(given - daily) <= daily / 10:
        return []
    return [
        f"the advice is for a capacity of {given:,}, {given / total:.3g} of all posts, where {s.per_day:,} a day would "
        f"read {min(daily / total, 1.0):.3g} of them; leave capacity out to be advised for that"
    ]


def _shifted(study: Study, case: Case) -> tuple[Case, pd.DataFrame]:
    stream = cases.stream_of(study, case.target, case.scorer)
    return base_rate.shifted(case, stream["proba"].to_numpy(dtype=np.float64))


def _advise(study: Study, case: Case, found: dict[str, list[pd.DataFrame]]) -> str:
    """Fill in the tables that are made for the reviewed target only; gives the strategy that orders the queue."""
    check_enough(study, case, case.settings.strategy)
    advised = advising.advise(case)
    name = advising.used(case, advised)
    found["advice"].append(advising.advice_table(case, advised))
    found["crossings"].append(advising.crossings_table(case, advised))
    found["review_groups"].append(advising.group_table(case, name, case.attributes))
    moderators = moderating.moderators_of(study, case)
    if moderators is not None:
        both = tuple(dict.fromkeys((name, advised.baseline)))
        found["erring"].append(moderating.erring_table(case, moderators, both))
    s = study.settings.review
    if s.per_day is not None and "day" in study.posts().columns:
        stream = study.scores(case.scorer)
        stream = stream[~evaluating.failures(stream)].reset_index(drop=True)
        chosen, extras = _tuned(case, name), _extras(study, case, stream)
        day_table, summary = moderating.stream_tables(
            study.attributes(stream["post_id"])["day"],
            np.asarray(chosen.score(stream["proba"].to_numpy(dtype=np.float64), **extras), dtype=np.float64),
            strategy=name,
            per_day=s.per_day,
            max_wait=s.max_wait,
            readings=case.readings_of(extras.get("soft")),
        )
        found["stream_days"].append(day_table)
        found["stream"].append(summary)
    return name


def review_groups(study: Study, by: tuple[str, ...]) -> pd.DataFrame:
    """Load and residual error by attributes under the strategy that orders the queue; empty without labels."""
    case, told = cases.case_of(study, cases.target_of(study)), study.result("advice")
    if case is None or told.empty:
        return pd.DataFrame(columns=list(advising.GROUPS))
    return advising.group_table(case, str(told["used"].iloc[0]), by)


def _probas(study: Study, case: Case) -> dict[str, Floats]:
    """The probabilities of all compared scorers of a target on the posts of its case; NaN where one failed."""
    return {
        name: evaluating.scores_of(case.found.rows, study.scores(name), name) for name in study.comparable(case.target)
    }


def score_stream(study: Study, case: Case, name: str, stream: pd.DataFrame) -> Floats:
    """(n,) review scores of posts of the stream by a strategy of the study."""
    chosen, extras = _tuned(case, name), _extras(study, case, stream)
    return np.asarray(chosen.score(stream["proba"].to_numpy(dtype=np.float64), **extras), dtype=np.float64)


def _tuned(case: Case, name: str) -> Strategy:
    """The strategy with the study's costs, and with what it learns from all labelled posts."""
    chosen = strategy(name, case.settings)
    fit = getattr(chosen, "fit", None)
    if fit is None:
        return chosen
    tuned: Strategy = fit(
        case.y, case.proba, review_fraction=case.review_fraction, objective=cases.objective(case.settings),
        sample_weight=case.weight, threshold=case.settings.threshold,
    )  # fmt: skip
    return tuned


def _extras(study: Study, case: Case, stream: pd.DataFrame) -> dict[str, Any]:
    posts = study.attributes(stream["post_id"]) if case.attributes else None
    u = uniform(study.settings.study.seed, "review:random", stream["post_id"])
    return {"threshold": case.settings.threshold, "u": u, **case.stream_extras(stream, posts)}


def review(study: Study) -> dict[str, Any]:
    """Measure what review buys for every scorer, and build the queue of the chosen one."""
    s = study.settings.review
    case = cases.case_of(study, cases.target_of(study))
    rows = []
    for target, truth, name, proba, found in tables.compared(study):
        if name in study.settings.scorer:
            key = {"target": target, "sample": study.sample_for(truth), "truth": truth, "scorer": name}
            same = case is not None and (case.target, case.truth, case.scorer) == (target, truth, name)
            scores = case.scores(_drawn(study, case)) if same and case is not None else None
            readings = case.readings if same and case is not None else None
            curves = reviewing.review_curves(
                found, proba, fractions=s.fractions, threshold=s.threshold, scores=scores, readings=readings
            )
            rows += [{**key, **row} for row in curves]
    columns = ["target", "sample", "truth", "scorer", "strategy", "review_fraction", "posts_read", "metric"]
    table = pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)
    queue, about = _queue(study, case)
    if queue.empty:
        about[queueing.EMPTY] = queueing.why_empty(study, about["scorer"] or None)
    write_frame(table, study.folder / "results" / "review.parquet", {"version": __version__})
    write_frame(queue, queueing.queue_path(study.folder), {**about, "version": __version__})
    warnings = [about[queueing.EMPTY]] if queue.empty else _short(study, queue)
    if about["scorer"]:
        lost = int(evaluating.failures(study.scores(about["scorer"])).sum())
        warnings += [f"{about['scorer']} failed on {lost:,} posts, which are in no queue"] if lost else []
    return {"rows": len(rows), "queue": len(queue), **about, "warnings": warnings}


def _short(study: Study, queue: pd.DataFrame) -> list[str]:
    """That the queue holds less than was asked for, because most posts have a label."""
    wanted, readings = cases.capacity_of(study), int(queue["readings"].sum())
    if study.settings.review.stream == "all" or readings >= min(wanted, len(study.posts())) * 0.9:
        return []
    return [
        f"the queue holds {readings:,} where {wanted:,} were asked for, for other posts have a label already; "
        "stream = 'all' under [review] queues them too"
    ]


CURVES = (*BASELINES, "expected_error", "expected_auroc_gain", "expected_average_precision_gain")
"""Strategies whose curves are always measured for the reviewed scorer."""


def _drawn(study: Study, case: Case) -> list[str]:
    """Those, and the strategies that are advised and used; the advice compares all at one capacity."""
    told = study.result("advice")
    mine = {*CURVES, *told["best"].unique(), *told["used"].unique()}
    return [name for name in case.strategies() if name in mine]


def _queue(study: Study, case: Case | None) -> tuple[pd.DataFrame, dict[str, str]]:
    s, target = study.settings.review, cases.target_of(study)
    scorer = cases.scorer_of(study, target)
    if scorer is None:
        return pd.DataFrame(columns=list(QUEUE)), {"scorer": "", "strategy": ""}
    stream = cases.stream_of(study, target, scorer)
    if stream.empty:
        return pd.DataFrame(columns=list(QUEUE)), {"scorer": scorer, "strategy": ""}
    u = uniform(study.settings.study.seed, "audit:review", stream["post_id"])
    name: str = s.strategy
    extras: dict[str, Any] = {}
    if case is None:
        # Nothing to calibrate on: the paper's two strategies need no labels, all others would pretend to have some.
        name = s.strategy if s.strategy in {*BASELINES, "random"} else "uncertainty"
        chosen = strategy(name, s)
    else:
        told = study.result("advice")
        name = str(told["used"].iloc[0]) if len(told) else s.strategy
        chosen, extras = _tuned(case, name), _extras(study, case, stream)
    shared: dict[str, Any] = {"capacity": cases.capacity_of(study), "audit_share": s.audit_share, "target": target}
    if s.experiment is None or s.experiment.against == name:
        readings = None if case is None else case.readings_of(extras.get("soft"))
        queue = reviewing.build_queue(stream, u, strategy=chosen, extras=extras, readings=readings, **shared)
        return queue, {"scorer": scorer, "strategy": name}
    against = s.experiment.against
    if case is None and against not in {*BASELINES, "random"}:
        return reviewing.build_queue(stream, u, strategy=chosen, **shared), {"scorer": scorer, "strategy": name}
    extras = extras or {"u": uniform(study.settings.study.seed, "review:random", stream["post_id"])}
    queue = reviewing.build_experiment(
        stream, u, uniform(study.settings.study.seed, "experiment", stream["post_id"]),
        strategies=(chosen, strategy(against, s) if case is None else _tuned(case, against)),
        extras=extras, share=s.experiment.share, **shared,
    )  # fmt: skip
    return queue, {"scorer": scorer, "strategy": name, "against": against}
