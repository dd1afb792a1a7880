"""The run: two campaigns on real posts, each a study of its own, and the design drawn many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from comoderate.agreement import fleiss_kappa
from comoderate.errors import ComoderateError
from comoderate.models import NaiveBayes
from comoderate.papers import results
from comoderate.papers.benchmark import Run
from comoderate.papers.troll_patrol import campaign, corrections, draws, pages, raters, sources
from comoderate.papers.troll_patrol.raters import Ratings
from comoderate.papers.troll_patrol.sources import World
from comoderate.study import Study

TITLE = "Troll Patrol (Delisle et al. 2019): published beside measured"

CORRECTIONS = {
    "exact-weights": "posts weigh one over their exact inclusion probability in the estimates of how much abuse there "
    "is; as published eq. 17 normalises p(k|d) over days instead of classes",
    "all-ratings": "agreement counts all ratings of a post; as published three are drawn at random from more",
    "cross-fitted": "the fine-tuned model scores every post without having seen its like; as published one model is "
    "trained on most posts and measured on the rest",
}
WORLDS = {"davidson": sources.davidson, "misogyny": sources.misogyny}
DATA = tuple(WORLDS)
IN_STUDY = {"all-ratings", "cross-fitted"}
"""The corrections on which a campaign's study depends; the rest are of what is computed from it."""


def seeds(small: bool) -> tuple[int, ...]:
    """One campaign of each world, or five."""
    return (2018,) if small else tuple(range(2018, 2023))


def sections(run: Run) -> Sequence[results.Section]:
    """Run what is not there yet, and arrange the results.

    Raises:
        ComoderateError: none of the corpora is there.
    """
    found: list[dict[str, Any]] = []
    confusions = {"volunteers": sources.crowd_confusion(run), "experts": sources.expert_confusion(run)}
    for name, make in ((name, make) for name, make in WORLDS.items() if run.wants(name)):
        for seed in run.seeds:
            world = make(run, seed)
            corpora = sources.other_corpora(run, name)
            if world is None or len(corpora) < 2 or any(one is None for one in confusions.values()):
                run.missing.setdefault(f"campaign on {name}", "a corpus that it needs is not here")
                continue
            run.data[name] = world.what
            known = {cohort: one for cohort, one in confusions.items() if one is not None}
            found.append(_campaign(run, world, known, corpora, seed))
    if not found:
        raise ComoderateError(
            "no campaign can be made", where=run.options.data,
            do=f"it needs {sources.DAVIDSON}, {sources.WIKI}, {sources.EDOS} and {sources.CONVABUSE}",
        )  # fmt: skip
    return pages.arrange(found, annotators=_annotators(run), off=sorted(CORRECTIONS.keys() - run.corrected))


def _annotators(run: Run) -> list[dict[str, Any]]:
    """How far the real annotators of ConvAbuse agree on presence and on each type."""

    def make() -> list[dict[str, Any]]:
        tables = sources.annotator_counts(run) or {}
        return [
            {"question": name, "statistic": "fleiss_kappa", "cohort": "annotators", "weighted": False,
             **fleiss_kappa(counts).as_dict()}
            for name, counts in tables.items()
        ]  # fmt: skip

    found: list[dict[str, Any]] = run.cells.get("raters/convabuse", {}, make)
    return found


def _campaign(
    run: Run, world: World, confusions: Mapping[str, sources.Floats], corpora: campaign.Corpora, seed: int
) -> dict[str, Any]:
    own = {"world": world.what, "seed": seed, "small": run.options.small, "corrected": sorted(run.corrected & IN_STUDY)}
    ratings = {cohort: raters.rate(world, one, cohort, seed=seed) for cohort, one in confusions.items()}
    shown = ratings if "all-ratings" in run.corrected else {c: one.three(seed) for c, one in ratings.items()}
    folder = run.options.out / "work" / f"{world.name}-{seed}"
    study = partial(_study, run, world, shown, corpora, folder, seed)
    again = partial(_repeat, world, ratings["volunteers"], corpora, seed, run.options.small)
    truth = _truth(ratings)
    changes = partial(_changes, run, world, ratings["volunteers"], truth, folder, seed, study)
    return {
        "world": world.name, "seed": seed, "again": len(run.seeds) > 1, "posts": len(world.posts),
        "confusion": {cohort: one.tolist() for cohort, one in confusions.items()},
        "truth": truth, "exact": "exact-weights" in run.corrected,
        "study": run.cells.get(f"campaign/{world.name}-{seed}", own, study),
        "draws": run.cells.get(f"draws/{world.name}-{seed}", own, again),
        "changed": run.cells.get(f"corrections/{world.name}-{seed}", own, changes),
    }  # fmt: skip


def _truth(ratings: Mapping[str, Ratings]) -> dict[str, float]:
    """What each cohort's majority says of every post of the world."""
    return {
        f"{target} {cohort}": float(np.nanmean(one.majority(level)))
        for cohort, one in ratings.items()
        for target, level in (("abusive", 1), ("severe", 2))
    }


def _study(
    run: Run, world: World, ratings: Mapping[str, Ratings], corpora: campaign.Corpora, folder: Path, seed: int
) -> dict[str, Any]:
    study = campaign.run(
        world, ratings, corpora, folder, seed=seed, small=run.options.small, corrected=run.corrected,
        listener=run.options.listener,
    )  # fmt: skip
    return {name: _records(study, name) for name in ("agreement", "evaluation", "curves", "prevalence")} | {
        "design": _design(study), "votes": _votes(study, ratings, world),
    }  # fmt: skip


def _changes(
    run: Run, world: World, volunteers: Ratings, truth: Mapping[str, float], folder: Path, seed: int,
    make: Callable[[], Any],
) -> list[dict[str, Any]]:  # fmt: skip
    """What the corrections change, from the campaign's study, which is made again where its folder is gone."""
    if not (folder / "results").is_dir():
        make()
    crossed = "cross-fitted" in run.corrected
    return list(corrections.rows(Study.open(folder), world, volunteers, truth, seed=seed, crossed=crossed))


def _records(study: Study, name: str) -> list[dict[str, Any]]:
    frame = study.result(name)
    if "domain" in frame:
        frame = frame[frame["domain"] == "all"]
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _design(study: Study) -> dict[str, int]:
    phases = study.sample("main")["phase"].value_counts()
    return {str(phase): int(count) for phase, count in phases.items()} | {"experts": len(study.sample("experts"))}


def _votes(study: Study, ratings: Mapping[str, Ratings], world: World) -> dict[str, list[list[int]]]:
    """The votes of each cohort on the posts that it read: n, then how many of each of the three answers."""
    place = {post: number for number, post in enumerate(world.posts["post_id"])}
    found = {}
    for sample, cohort in (("main", "volunteers"), ("experts", "experts")):
        rows = [place[post] for post in study.sample(sample)["post_id"]]
        kinds, counts = np.unique(ratings[cohort].counts[rows], axis=0, return_counts=True)
        found[cohort] = [[int(n), *map(int, kind)] for kind, n in zip(kinds, counts, strict=True)]
    return found


def _repeat(
    world: World, volunteers: Ratings, corpora: campaign.Corpora, seed: int, small: bool
) -> list[dict[str, Any]]:
    flagged = NaiveBayes().fit(*corpora["filter"]).predict_proba(world.posts["text"].tolist()) > 0.5
    day = campaign.days(world).astype("category").cat.codes.to_numpy().astype(np.int64)
    y = {"abusive": volunteers.majority(1), "severe": volunteers.majority(2)}
    table = draws.repeat(draws.Table(day, flagged, y), campaign.sizes(world), draws=200 if small else 1000, seed=seed)
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]
