"""The datasheet of a release: what it is, how it was drawn, how far raters agree, and what it must not be used for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from comoderate import __version__
from comoderate.corpus import read_frame
from comoderate.plots import statistic_name
from comoderate.study import population, showing
from comoderate.study.forgetting import is_tombstone
from comoderate.study.units import estimand_of
from comoderate.study.wording import sample_sentence, target_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comoderate.study.study import Study

COLUMNS = """\
| file | what is in it |
|---|---|
| `posts.csv` | a row a drawn post, labelled or not: its id or address, phase, stratum, `pi` (its chance of being \
drawn), day and attributes; for each target and cohort the label (`0`, `1`, empty), `_soft` (share of raters or their \
model's probability), `_ratings` and `_weight` |
| `answers.csv` | how many raters gave each answer to each question on each post, by coarse attributes of raters where \
the study has them |
| `design.csv` | posts in the world (`N`), in hand and drawn, by phase and stratum |
| `estimates.csv` | shares with intervals, each with its unit and what it is an estimate of |
| `codebook.json` | the questions that raters were asked |
"""

WEIGHTS = """\
Labels without weights do not show how much there is: posts were drawn with unequal chances, and not all got a label. \
Use the column `_weight` of the label, which is `1 / pi` rebuilt for the posts really labelled, and `stratum` (and \
`cluster`) for standard errors. Where a scorer's positives were added, or a day's posts were not all in hand, these \
are a little too large: those of `estimates.csv` take posts of one stratum and one `pi` together, and know from \
`design.csv` how the first phase was drawn. A model trained on this sample without weights will predict too many \
positives.
"""

ABSENT = """\
No text, no author, no handle, no rater and no date of an answer. Texts must be fetched anew by id, so that what their \
authors deleted stays deleted. Ids are the platform's own: whoever has a post can find it here. Do not use this to \
find or judge single people, neither those who wrote, nor those who were written about, nor those who rated.
"""


def datasheet(
    study: Study, sample: str, *, posts: pd.DataFrame, answers: pd.DataFrame, k: int, warnings: Sequence[str]
) -> str:
    """The datasheet as Markdown.

    Args:
        study: with results.
        sample: the sample that is released.
        posts, answers: the tables of the release.
        k: raters that share each combination of attributes.
        warnings: what to think of before publishing.
    """
    s = study.settings
    about = [s.study.question, s.study.description.strip()]
    parts = [
        f"# {s.study.title}",
        "\n\n".join(text for text in about if text),
        f"Made with Comoderate {__version__}, seed {s.study.seed}. {len(posts):,} posts, {answers['raters'].sum():,} "
        "answers.",
        "## Files\n\n" + COLUMNS,
        "## How posts were drawn\n\n" + _drawn(study, sample),
        "## What raters were asked\n\n" + "\n".join(
            f"- **{name}**: {target_sentence(target, s.codebook)}" for name, target in s.target.items()
        ),
        "## How far they agree\n\n" + _agreement(study),
        "## How much there is\n\n" + _shares(study, sample),
        "## Weights\n\n" + WEIGHTS,
        "## What is not in it\n\n" + ABSENT + f"\nAttributes of raters are coarse: at least {k} raters of a cohort "
        "share each combination.",
        "## Limits\n\n" + "\n".join(f"- {text}" for text in _limits(study, sample, warnings)),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def _drawn(study: Study, sample: str) -> str:
    s, own = study.settings, study.sample_settings(sample)
    told = [sample_sentence(own, capped=s.totals is not None), f"Its numbers are about {estimand_of(study, sample)}."]
    if s.population is not None:
        members = read_frame(study.folder / population.MEMBERS)
        table = population.exclusions(members, s.population.include)
        told.append(
            f"Only posts that mention at least one of {int(members['excluded'].isna().sum()):,} people of a list were "
            "drawn from. Who was left out of the list:"
        )
        rows = [f"| {row.reason} | {row.people:,} | {row.left:,} |" for row in table.itertuples()]
        return " ".join(told) + "\n\n| reason | people | remain |\n|---|---|---|\n" + "\n".join(rows)
    return " ".join(told)


def _agreement(study: Study) -> str:
    table = study.result("agreement")
    table = table[(table["domain"] == "all") & ~table["weighted"].astype(bool)] if len(table) else table
    if table.empty:
        return "No post has two answers, so agreement was not measured."
    rows = [
        f"| {row.question} | {row.cohort} | {statistic_name(str(row.statistic))} | {showing.ratio(row)} |"
        for row in table.itertuples()
    ]
    return "| question | raters | statistic | value, with interval |\n|---|---|---|---|\n" + "\n".join(rows)


def _shares(study: Study, sample: str) -> str:
    table = study.result("units")
    table = table[(table["domain"] == "all") & (table["sample"] == sample)]
    rows = [
        f"| {row.target} | {row.cohort} | {row.unit} | {showing.share(row)} | {row.estimand} |"
        for row in table.itertuples()
    ]
    head = "| target | labels of | unit | share, with interval | an estimate of |\n|---|---|---|---|---|\n"
    return head + "\n".join(rows)


def _limits(study: Study, sample: str, warnings: Sequence[str]) -> list[str]:
    found = [f"{text[0].upper()}{text[1:]}." for text in warnings]
    gone = int(is_tombstone(study.sample(sample)["post_id"]).sum())
    if gone:
        found.append(
            f"{gone} drawn posts were forgotten on request and are not in the files; weights make up for them."
        )
    for target in study.settings.target:
        for cohort in study.cohorts:
            said = study.labelled_with_warnings(target, sample, cohort).warnings
            found += [f"“{target}”, {cohort}: {text}." for text in said]
    found.append(
        "Intervals show the luck of the draw. They don't show errors that all raters share, or posts that were never "
        "collected."
    )
    return list(dict.fromkeys(found))
