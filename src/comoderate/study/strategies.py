"""Which review strategies a study has enough for, and what is said of one that it has too little for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from comoderate import review
from comoderate.errors import ComoderateError
from comoderate.study.evaluating import scored_parts
from comoderate.study.loading import FILE
from comoderate.study.settings import ReviewSettings

if TYPE_CHECKING:
    from comoderate.study.cases import Case
    from comoderate.study.study import Study

ALWAYS = (
    "toxicity", "uncertainty", "random", "hybrid", "expected_error", "expected_auroc_gain",
    "expected_average_precision_gain",
)  # fmt: skip
"""Strategies for which every study has enough."""

BASELINES = ("toxicity", "uncertainty")
OF_MEMBERS = ("member_variance", "mutual_information")


def strategy(name: str, settings: ReviewSettings) -> review.Strategy:
    """A strategy by name, with the costs of the study."""
    if name == "expected_cost" and settings.cost is not None:
        cost = settings.cost
        return review.ExpectedCost(cost.missed, cost.wrongly_removed, cost.minute * cost.minutes_per_post)
    return review.strategies()[name]


def enough_for(case: Case) -> tuple[str, ...]:
    """The names of the strategies that a case has enough for."""
    more = {
        ("expected_cost",): case.settings.cost is not None,
        ("rater_disagreement",): case.soft is not None,
        ("even_errors",): bool(case.attributes),
        OF_MEMBERS: "epistemic" in case.parts,
        ("weak_arms",): case.surface is not None,
    }
    return (*ALWAYS, *(name for names, there in more.items() if there for name in names))


def check_enough(study: Study, case: Case, name: str) -> None:
    """Refuse a strategy that the study names and has too little for.

    Raises:
        ComoderateError: with what the strategy needs, and where the study has it.
    """
    if name == "auto" or name in enough_for(case):
        return
    what, do = _lacking(study, case, name)
    raise ComoderateError(f"strategy {name!r} needs {what}", where=study.folder / FILE, do=do)


def _lacking(study: Study, case: Case, name: str) -> tuple[str, str]:
    if name in OF_MEMBERS:
        able = [one for one in study.comparable(case.target) if "epistemic" in scored_parts(study.scores(one))]
        return (
            f"a scorer with members that can differ, and {case.scorer!r} has none",
            f"set scorer under [review] to {_either(able)}"
            if able
            else "add a scorer that gives an epistemic variance: an ensemble, dropout passes or a Gaussian process",
        )
    return {
        "rater_disagreement": ("posts on which several raters differ", "have posts read by more raters"),
        "even_errors": ("groups of posts", "name an attribute under by of [evaluate]"),
        "weak_arms": ("attributes whose combinations can be weak", "name attributes under [posts] or [surface]"),
        "expected_cost": ("prices", "add the table [review.cost]"),
    }[name]


def _either(names: Iterable[str]) -> str:
    return " or ".join(map(repr, names))
