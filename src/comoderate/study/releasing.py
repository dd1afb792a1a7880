"""The dataset that may be published: ids, grades, weights and design, without a text and without a rater."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from comoderate.corpus import atomic_folder, read_frame
from comoderate.errors import ComoderateError
from comoderate.study import rater_attributes
from comoderate.study.coarsening import coarsen
from comoderate.study.datasheet import datasheet
from comoderate.study.forgetting import is_tombstone
from comoderate.study.ratings import MEASURING

if TYPE_CHECKING:
    from comoderate.study.study import Study

SHEET = "datasheet.md"
PLACE = "{post_id}"


class Released(NamedTuple):
    """What was written.

    Attributes:
        folder: where.
        posts: rows of ``posts.csv``.
        answers: rows of ``answers.csv``.
        warnings: what to think of before it is published.
    """

    folder: Path
    posts: int
    answers: int
    warnings: list[str]


def release(study: Study, folder: Path, sample: str, k: int, address: str | None) -> Released:
    """Write the dataset to ``folder``, whole or not at all; see :meth:`comoderate.study.Study.release`."""
    if address is not None and PLACE not in address:
        raise ComoderateError(f"the address has no {PLACE}", do=f"write it as https://example.org/{PLACE}")
    if k < 1:
        raise ComoderateError("the number of raters must be 1 or more", do="5 is usual")
    if folder.exists() and any(folder.iterdir()) and not (folder / SHEET).exists():
        raise ComoderateError(
            "this folder holds other things", where=folder, do="name an empty or a new folder for the release"
        )
    posts = posts_table(study, sample)
    answers, warnings = answers_table(study, posts["post_id"], k)
    named = (
        posts.assign(post_id=_addresses(posts["post_id"], address)),
        answers.assign(post_id=_addresses(answers["post_id"], address)),
    )
    column = "post_id" if address is None else "url"
    with atomic_folder(folder) as temporary:
        for name, table in zip(("posts", "answers"), named, strict=True):
            table.rename(columns={"post_id": column}).to_csv(temporary / f"{name}.csv", index=False)
        design = read_frame(study.folder / "samples" / f"{sample}.strata.parquet")
        design.to_csv(temporary / "design.csv", index=False)
        _estimates(study, sample).to_csv(temporary / "estimates.csv", index=False)
        book = json.dumps(study.settings.codebook.model_dump(), indent=1, ensure_ascii=False)
        (temporary / "codebook.json").write_text(book + "\n", encoding="utf-8")
        text = datasheet(study, sample, posts=posts, answers=answers, k=k, warnings=warnings)
        (temporary / SHEET).write_text(text, encoding="utf-8")
    return Released(folder, len(posts), len(answers), warnings)


def _addresses(post_ids: pd.Series, address: str | None) -> pd.Series:
    return post_ids if address is None else post_ids.map(lambda post_id: address.replace(PLACE, str(post_id)))


def posts_table(study: Study, sample: str) -> pd.DataFrame:
    """A row a drawn post: id, day and attributes, its place in the design, and for each target and cohort its label.

    Authors and threads become numbers of this release, drawn at random, and posts without a label are kept: they carry
    the design. Posts that were forgotten on request are not in it.
    """
    s = study.settings
    drawn = study.sample(sample)
    drawn = drawn[~is_tombstone(drawn["post_id"])].reset_index(drop=True)
    table = drawn.drop(columns="cluster")
    attributes = study.attributes(table["post_id"])
    for name in attributes.columns.drop("post_id"):
        table[name] = attributes[name].to_numpy()
    if drawn["cluster"].notna().any():
        codes, values = pd.factorize(drawn["cluster"])
        shuffled = np.random.default_rng(s.study.seed).permutation(len(values)) + 1
        table["cluster"] = pd.Series(np.where(codes >= 0, shuffled[codes], 0)).where(codes >= 0).astype("Int64")
    for target in s.target:
        for cohort in study.cohorts:
            labelled = study.labelled_with_warnings(target, sample, cohort).frame
            mine = labelled.set_index("post_id").reindex(table["post_id"])
            if not mine["y"].notna().any():
                continue
            for column, name in (("y", ""), ("y_soft", "_soft"), ("n_ratings", "_ratings"), ("weight", "_weight")):
                table[f"{target}_{cohort}{name}"] = mine[column].to_numpy()
    return table


def answers_table(study: Study, post_ids: pd.Series, k: int) -> tuple[pd.DataFrame, list[str]]:
    """How many raters gave each answer: post_id, cohort, question, answer, attributes of raters made coarse, raters.

    Free texts are left out. What a rater said on two posts cannot be joined.
    """
    notes = study.annotations()
    free = [name for name, question in study.settings.codebook.question.items() if question.kind == "text"]
    kept = notes["post_id"].isin(post_ids) & notes["source"].isin(MEASURING) & ~notes["question"].isin(free)
    notes = notes[kept]
    keys = ["post_id", "cohort", "question", "answer"]
    names: list[str] = []
    if study.settings.raters is not None and study.settings.raters.attributes:
        notes, names = _with_attributes(study, notes, k)
    counts = notes.groupby([*keys, *names], sort=False, dropna=False).size().rename("raters").reset_index()
    order = pd.Series(range(len(post_ids)), index=post_ids.to_numpy())
    counts = counts.assign(place=counts["post_id"].map(order)).sort_values(
        ["place", "cohort", "question", "answer", *names], kind="stable"
    )  # fmt: skip
    few = notes.dropna(subset="rater_id").groupby("cohort")["rater_id"].nunique()
    warnings = [
        f"cohort {cohort!r} has {number} raters, fewer than {k}: what they said can be traced to a few people"
        for cohort, number in few[few < k].items()
    ]
    return counts.drop(columns="place").reset_index(drop=True), warnings


def _with_attributes(study: Study, notes: pd.DataFrame, k: int) -> tuple[pd.DataFrame, list[str]]:
    """Annotations with their raters' attributes, made coarse among the raters of each cohort."""
    assert study.settings.raters is not None
    names = list(study.settings.raters.attributes)
    known = read_frame(study.folder / rater_attributes.FILE).set_index("rater_id")[names]
    pairs = notes[["cohort", "rater_id"]].drop_duplicates()
    parts = []
    for _, part in pairs.groupby("cohort", sort=False):
        people = known.reindex(part["rater_id"]).reset_index(drop=True)
        parts.append(part.reset_index(drop=True).join(coarsen(people, k)))
    return notes.merge(pd.concat(parts), on=["cohort", "rater_id"], how="left"), names


def _estimates(study: Study, sample: str) -> pd.DataFrame:
    """All estimates from the sample, with what each is an estimate of."""
    tables = [study.result("prevalence").drop(columns="forgotten"), study.result("units")]
    table = pd.concat([t for t in tables if len(t)], ignore_index=True)
    table = table[table["sample"] == sample]
    return table.drop_duplicates(["target", "cohort", "unit", "domain", "group"]).reset_index(drop=True)
