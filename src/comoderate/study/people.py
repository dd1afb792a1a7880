"""What a study says of its raters, and which posts they should see again; joins the snapshot, labels and samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from comoderate.errors import ComoderateError
from comoderate.study import rater_attributes
from comoderate.study.privacy import anonymise
from comoderate.study.rater_view import group_table, rater_table
from comoderate.study.relabelling import next_table, polarised_table

if TYPE_CHECKING:
    from comoderate.study.study import Study


def raters(study: Study, question: str | None) -> pd.DataFrame:
    """A row a question, cohort and rater; see :func:`comoderate.study.rater_view.rater_table`."""
    s = study.settings
    return rater_table(study.annotations(), s.codebook, questions=_questions(study, question), level=s.evaluate.level)


def groups(study: Study, attribute: str, question: str | None) -> pd.DataFrame:
    """A row a question, cohort and two groups; see :func:`comoderate.study.rater_view.group_table`."""
    s, known = study.settings, rater_attributes.attribute(study, attribute)
    asked = _questions(study, question)
    return group_table(study.annotations(), s.codebook, known, questions=asked, level=s.evaluate.level)


def _questions(study: Study, question: str | None) -> tuple[str, ...]:
    """The question named, or those that targets read."""
    s = study.settings
    if question is None:
        return tuple(dict.fromkeys(target.question for target in s.target.values()))
    if question not in s.codebook.question or s.codebook.question[question].kind == "text":
        listed = ", ".join(name for name, one in s.codebook.question.items() if one.kind != "text")
        raise ComoderateError(f"there is no question {question!r} with answers to compare", do=f"choose from {listed}")
    return (question,)


def next_posts(study: Study, n: int, target: str, cohort: str) -> pd.DataFrame:
    """The posts on which another rating is worth most; see :func:`comoderate.study.relabelling.next_table`."""
    s = study.settings
    labels = study.labels(target)
    drawn = study.sample(study.sample_for(cohort))
    weight = pd.Series(1.0 / drawn["pi"].to_numpy(), index=drawn["post_id"])
    table = next_table(
        study.annotations(), s.codebook, labels, name=target, target=s.target[target], cohort=cohort,
        weight=weight,
    )  # fmt: skip
    return table.head(n)


def require_repeats(study: Study, target: str, cohort: str) -> None:
    """Refuse to say what another rating would change where no post was rated twice.

    Raises:
        ComoderateError: no post has two ratings by the cohort.
    """
    labels = study.labels(target)
    if not (labels.loc[labels["cohort"] == cohort, "n_ratings"] >= 2).any():
        raise ComoderateError(
            f"no post has two ratings by {cohort}, so nobody knows how often another rating would differ",
            do="have some posts rated twice",
        )


def polarised(study: Study, n: int, target: str, cohort: str) -> pd.DataFrame:
    """The most polarised posts; see :func:`comoderate.study.relabelling.polarised_table`."""
    s = study.settings
    return polarised_table(study.annotations(), s.codebook, s.target[target], cohort).head(n)


def with_text(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    """The table with the texts of its posts, handles and links replaced unless the study says not."""
    posts = study.posts()
    if "text" not in posts.columns:
        return table.assign(text="")
    texts = posts.frame(["post_id", "text"], post_ids=table["post_id"])
    shown = table.merge(texts, on="post_id", how="left")
    shown["text"] = shown["text"].fillna("")
    if study.settings.privacy.anonymise:
        shown["text"] = shown["text"].map(anonymise)
    return shown


def texts(study: Study, post_ids: list[str]) -> dict[str, str]:
    """The texts of some posts by id, as :func:`with_text` shows them; of gold posts as the codebook has them."""
    from comoderate.study.serving import gold_texts

    if not post_ids:
        return {}
    shown = with_text(study, pd.DataFrame({"post_id": list(dict.fromkeys(post_ids))}))
    gold = gold_texts(study.settings.codebook)
    found = zip(shown["post_id"], shown["text"], strict=True)
    return {post_id: text or gold.get(post_id, "") for post_id, text in found}
