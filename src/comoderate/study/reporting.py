"""Gathers everything that a report says: stored tables, notes in words, and the texts of a few posts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pandas as pd

from comoderate import __version__
from comoderate.corpus import read_frame
from comoderate.report import ReportContent
from comoderate.report.content import SampleNote, TargetNote
from comoderate.study import cases, queueing
from comoderate.study.posts import read_totals
from comoderate.study.privacy import anonymise
from comoderate.study.ratings import MEASURING
from comoderate.study.review_sections import main_curves
from comoderate.study.sections import extra_sections
from comoderate.study.service_sections import scorer_warnings
from comoderate.study.showing import largest
from comoderate.study.units import estimand_of
from comoderate.study.wording import sample_sentence, target_sentence

if TYPE_CHECKING:
    from comoderate.study.study import Study

SHOWN = 20
"""Posts of the queue that a report shows."""


def content(study: Study) -> ReportContent:
    """Everything that the report says; all numbers were made by earlier stages."""
    s = study.settings
    prevalence, many = largest(study.result("prevalence"))
    evaluation, more = largest(study.result("evaluation"))
    review = main_curves(study.result("review"), study.result("advice"))
    return ReportContent(
        title=s.study.title,
        question=s.study.question,
        description=s.study.description,
        generated=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        version=__version__,
        seed=s.study.seed,
        targets=[TargetNote(name=n, sentence=target_sentence(t, s.codebook)) for n, t in s.target.items()],
        samples=[_sample_note(study, name) for name in s.sample],
        design=pd.concat([_strata(study, name).assign(sample=name) for name in s.sample], ignore_index=True),
        totals=_totals(study),
        prevalence=prevalence,
        truths=_truths(study),
        comparisons=_comparisons(study, prevalence),
        agreement=_overall(study.result("agreement")),
        evaluation=evaluation,
        curves=study.result("curves"),
        review=review,
        review_fraction=_capacity_share(study),
        queue=_queue(study),
        queue_note=_sentence(queueing.emptiness(study) or "") or queueing.size_sentence(study),
        warnings=_warnings(study),
        trimmed=more | many,
        extras=extra_sections(study),
    )


def _overall(agreement: pd.DataFrame) -> pd.DataFrame:
    """Agreement on all posts, statistics named ``fleiss_kappa`` or, with weights, ``fleiss_kappa, weighted``."""
    if agreement.empty:
        return agreement
    overall = agreement[agreement["domain"] == "all"]
    suffix = overall["weighted"].map({True: ", weighted", False: ""})
    return overall.assign(statistic=overall["statistic"] + suffix)


def _strata(study: Study, name: str) -> pd.DataFrame:
    return read_frame(study.folder / "samples" / f"{name}.strata.parquet")


def _sample_note(study: Study, name: str) -> SampleNote:
    own, capped = study.settings.sample[name], study.settings.totals is not None
    drawn = study.sample(name)
    target = next(iter(study.settings.target))
    labels = study.labels(target)
    measuring = labels["y"].notna() & labels["source"].isin(MEASURING)
    labelled = drawn["post_id"].isin(labels.loc[measuring, "post_id"])
    record = study.artefacts.record(f"sample:{name}") or {"summary": {}}
    return SampleNote(
        name=name,
        description=sample_sentence(own, capped=capped, drawn=_first_drawn(study, name)),
        drawn=len(drawn),
        labelled=int(labelled.sum()),
        estimand=estimand_of(study, name),
        warnings=record["summary"].get("warnings", []),
    )


def _first_drawn(study: Study, name: str) -> int:
    """How many posts a sample drew, what was added by a scorer aside."""
    strata = _strata(study, name)
    return int(strata.loc[strata["phase"].isin(["base", "second", "poisson"]), "drawn"].sum())


def _totals(study: Study) -> pd.DataFrame | None:
    """day, N, in_hand, drawn for the first sample that is stratified by day."""
    s = study.settings
    name = next((n for n, own in s.sample.items() if own.design == "stratified" and own.of is None), None)
    if name is None:
        return None
    strata = _strata(study, name)
    base = strata[strata["phase"] == "base"].set_index("stratum")
    drawn = strata.groupby("stratum")["drawn"].sum()
    table = pd.DataFrame({"day": base.index, "N": base["N"].to_numpy(), "in_hand": base["in_hand"].to_numpy()})
    table["drawn"] = drawn.reindex(table["day"]).to_numpy()
    if s.totals is not None:
        totals = read_totals(study.folder / s.totals.path, s.totals.day, s.totals.total)
        empty = totals.index.difference(pd.Index(table["day"]))
        extra = pd.DataFrame({"day": empty, "N": totals.reindex(empty).to_numpy(), "in_hand": 0, "drawn": 0})
        table = pd.concat([table, extra]) if len(extra) else table
    return table.sort_values("day", ignore_index=True)


def _truths(study: Study) -> pd.DataFrame | None:
    """The known truth of a synthetic study, where there is one."""
    path = study.folder / "truth.csv"
    return pd.read_csv(path, dtype={"group": str}) if path.exists() else None


def _comparisons(study: Study, prevalence: pd.DataFrame) -> pd.DataFrame | None:
    """The shares in all posts, where a census stands beside a smaller sample."""
    census = [name for name, own in study.settings.sample.items() if own.design == "census"]
    if not census or study.main_sample in census:
        return None
    full = prevalence[(prevalence["sample"] == census[0])]
    return full[["target", "cohort", "domain", "group", "value"]].reset_index(drop=True)


def _capacity_share(study: Study) -> float:
    return cases.capacity_of(study) / max(len(study.posts()), 1)


def _queue(study: Study) -> pd.DataFrame:
    queue = study.queue().head(SHOWN)
    if queue.empty:
        return queue
    posts = study.posts()
    if "text" not in posts.columns:
        return queue.assign(text="")
    texts = posts.frame(["post_id", "text"], post_ids=queue["post_id"])
    shown = queue.merge(texts, on="post_id", how="left")
    if study.settings.privacy.anonymise:
        shown["text"] = shown["text"].fillna("").map(anonymise)
    return shown


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _warnings(study: Study) -> list[str]:
    """Whatever earlier stages had to say."""
    record = study.artefacts.record("review") or {"summary": {}}
    told = record["summary"].get("warnings", [])
    found = [_sentence(text) for text in told if text != queueing.emptiness(study)]
    for target in study.settings.target:
        found += scorer_warnings(study, target)
        for cohort in study.cohorts:
            sample = study.sample_for(cohort)
            table = study.labelled_with_warnings(target, sample, cohort)
            found += [f"Sample {sample}, target {target}, {cohort}: {text}." for text in table.warnings]
    return found
