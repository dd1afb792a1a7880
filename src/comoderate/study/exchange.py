"""Annotations out of a study and into one: streamed, in four forms, with who answered and when."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pandas as pd

from comoderate.annotation import SOURCES, Row, Store
from comoderate.codebook import Codebook
from comoderate.corpus import atomic_path
from comoderate.errors import ComoderateError
from comoderate.study import exchange_reading
from comoderate.study.annotating import PREFIX as IMPORTED
from comoderate.study.decisions import PREFIX as DECIDED
from comoderate.study.exchange_forms import FORMS, Form, pieces
from comoderate.study.exchange_reading import Found
from comoderate.study.privacy import anonymise, hash_key, hash_people

if TYPE_CHECKING:
    from comoderate.study.study import Study

PREFIX = "exchange/"
"""How the ids of answers begin that came without a usable id of their own."""

LONGEST_ID, BATCH, TEXT_BATCH = 80, 2_000, 20_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")

Raters = Literal["hashed", "stored"]


class ExchangeCounts(NamedTuple):
    """What an import did: answers in the file, new ones stored, those that were there, those dropped by rule."""

    answers: int
    appended: int
    known: int
    dropped_unknown_posts: int
    dropped_other_codebooks: int


# ------------------------------------------------------------------ out


def exported(
    study: Study,
    form: Form,
    *,
    texts: bool | None = None,
    raters: Raters = "hashed",
    question: str | None = None,
) -> Iterator[str]:
    """All live annotations of a study as pieces of a file, in bounded memory; the review desk's decisions among them.

    Args:
        study: whose.
        form: ``long`` (CSV, a row an answer), ``wide`` (CSV, a row a judgement, a column a question), ``label-studio``
            (JSON) or ``crowd-kit`` (CSV with the columns task, worker, label).
        texts: whether posts' texts are in it, anonymised unless the study says not; by default for Label Studio only.
        raters: ``hashed``: keyed hashes in place of raters' ids; ``stored``: as they are stored.
        question: only the answers to this one.

    Raises:
        ComoderateError: no such form or question.
    """
    from comoderate.study import desk

    s = study.settings
    if form not in FORMS:
        raise ComoderateError(f"there is no form {form!r}", do=f"choose from {', '.join(FORMS)}")
    _known_question(study, question)
    wanted = form == "label-studio" if texts is None else texts
    desk.collect(study)
    return pieces(_rows(study, form, wanted, raters, question), form, s.codebook)


def _known_question(study: Study, question: str | None) -> None:
    known = study.settings.codebook.question
    if question is not None and question not in known:
        raise ComoderateError(f"there is no question {question!r}", do=f"choose from {', '.join(known)}")


def _rows(study: Study, form: Form, texts: bool, raters: Raters, question: str | None) -> Iterator[Row]:
    with study.store() as store:
        rows = store.stream(by_post=form in {"wide", "label-studio"})
        if question is not None:
            rows = (row for row in rows if row["question"] == question)
        if raters == "hashed":
            rows = _hashed(rows, hash_key(study.folder))
        yield from _with_texts(rows, study) if texts else rows


def _hashed(rows: Iterable[Row], key: bytes) -> Iterator[Row]:
    @cache
    def hashed(rater: str) -> str:
        return str(hash_people(pd.Series([rater]), key, "rater").iloc[0])

    for row in rows:
        yield {**row, "rater_id": None if row["rater_id"] is None else hashed(row["rater_id"])}


def _with_texts(rows: Iterator[Row], study: Study) -> Iterator[Row]:
    from comoderate.study.serving import gold_texts

    clean: Callable[[str], str] = anonymise if study.settings.privacy.anonymise else str
    gold = gold_texts(study.settings.codebook)
    while batch := list(islice(rows, TEXT_BATCH)):
        posts, text = study.posts(), dict(gold)
        if "text" in posts.columns:
            held = posts.frame(["post_id", "text"], post_ids={row["post_id"] for row in batch})
            text |= dict(zip(held["post_id"], held["text"].fillna(""), strict=True))
        for row in batch:
            yield {**row, "text": clean(text.get(row["post_id"], ""))}


def export_annotations(study: Study, path: Path, form: Form, **options: Any) -> int:
    """Write what :func:`exported` gives to a file, whole or not at all; gives the number of characters."""
    made = exported(study, form, **options)
    total = 0
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        for piece in made:
            total += file.write(piece)
    return total


# ------------------------------------------------------------------ in


class Rules(NamedTuple):
    """What to do with what a file lacks or has too much of.

    Attributes:
        cohort, source, question: for answers of which the file does not say; a file without cohorts needs one, and so
            does one without questions, as crowd-kit's are, unless the codebook has a single question.
        unknown_posts: ``refuse`` a file with answers on posts that were not imported, or ``drop`` those.
        other_codebooks: ``refuse`` a file with answers to another codebook or version, ``drop`` those, or ``keep``
            them, unchecked, under the codebook that they name.
    """

    cohort: str | None = None
    source: str = "import"
    question: str | None = None
    unknown_posts: Literal["refuse", "drop"] = "refuse"
    other_codebooks: Literal["refuse", "drop", "keep"] = "refuse"


def import_exchange(
    study: Study, path: Path, *, form: Form | None = None, rules: Rules | None = None
) -> ExchangeCounts:
    """Add the answers in a file to the study's; those that are there already are left alone.

    The file is checked first, so that a mistake in it changes nothing; then it is stored in short transactions, between
    which raters go on. A run that was interrupted is mended by running it again.

    Args:
        study: whose annotations.
        path: the file.
        form: its form; by default told by its columns.
        rules: see :class:`Rules`.

    Raises:
        ComoderateError: with the place, where the file breaks a rule.
    """
    given = rules or Rules()
    if given.cohort is not None and not _NAME.match(given.cohort):
        raise ComoderateError(f"{given.cohort!r} cannot be a cohort", do="use letters, digits, - and _")
    _known_question(study, given.question)
    chosen = form or exchange_reading.form_of(path)
    intake = _Intake(study.settings.codebook, set(study.posts().frame(["post_id"])["post_id"]), given)
    for _ in intake.rows(exchange_reading.read(path, chosen, study.settings.codebook)):
        pass
    final = _Intake(study.settings.codebook, intake.posts, given)
    kept = set(study.settings.annotations)
    with study.store() as store:
        appended = _append(store, final.rows(exchange_reading.read(path, chosen, study.settings.codebook)), kept)
    return ExchangeCounts(final.answers, appended, final.taken - appended, final.dropped_posts, final.dropped_codebooks)


def _append(store: Store, rows: Iterator[Row], imports: set[str]) -> int:
    total = 0
    while batch := list(islice(rows, BATCH)):
        original = {row["response_id"] for row in batch if row["response_id"] is not None}
        there = store.known(original)
        named = [_named(row, imports) for row in batch if row["response_id"] not in there]
        there = store.known([row["response_id"] for row in named])
        new = {row["response_id"]: row for row in named if row["response_id"] not in there}
        total += store.append(new.values())
    return total


def _named(row: Row, imports: set[str]) -> Row:
    """The row under an id that it may have here: an import's answers live and die with the import in study.toml, and
    decisions with the study's own desk."""
    name = row["response_id"]
    if name is None:
        place = row.pop("place") if row["rater_id"] is None else ""
        parts = [row[key] for key in sorted(row) if key not in {"response_id", "place"}]
        name = PREFIX + _digest([*parts, place])
    elif len(name) > LONGEST_ID or _elsewhere(name, imports):
        name = PREFIX + _digest([name])
    return {**row, "response_id": name}


def _elsewhere(name: str, imports: set[str]) -> bool:
    """Whether an id belongs to an import, or to decisions, of another study."""
    return name.startswith(DECIDED) or (name.startswith(IMPORTED) and name.split("/")[1] not in imports)


def _digest(parts: list[Any]) -> str:
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=16).hexdigest()


class _Intake:
    """Checks answers one by one, completes them by the rules, and counts."""

    def __init__(self, codebook: Codebook, posts: set[str], rules: Rules) -> None:
        self.codebook, self.posts, self.rules = codebook, posts, rules
        self.answers = self.taken = self.dropped_posts = self.dropped_codebooks = 0

    def rows(self, found: Iterator[Found]) -> Iterator[Row]:
        for one in found:
            self.answers += 1
            row = self._completed(one)
            if not self._wanted(row, one.where):
                continue
            self.taken += 1
            yield {**row, "place": one.where}

    def _completed(self, one: Found) -> Row:
        row = dict(one.row)
        row["cohort"] = row.get("cohort") or self.rules.cohort
        row["source"] = row.get("source") or self.rules.source
        row["question"] = row.get("question") or self.rules.question
        row["codebook"] = row.get("codebook") or self.codebook.label
        if row["cohort"] is None or not _NAME.match(row["cohort"]):
            raise ComoderateError(
                "it is not said which cohort answered" if row["cohort"] is None else "this cannot be a cohort",
                where=one.where, do="name it with --cohort, or in a column cohort",
            )  # fmt: skip
        if row["source"] not in SOURCES:
            raise ComoderateError(
                f"{str(row['source'])[:40]!r} is no source", where=one.where, do=f"choose from {', '.join(SOURCES)}"
            )
        return row

    def _wanted(self, row: Row, where: str) -> bool:
        if row["codebook"] != self.codebook.label:
            if self.rules.other_codebooks == "refuse":
                raise ComoderateError(
                    f"an answer to another codebook ({row['codebook'][:60]}; the study has {self.codebook.label})",
                    where=where, do="choose whether such answers are dropped or kept apart",
                )  # fmt: skip
            if self.rules.other_codebooks == "drop":
                self.dropped_codebooks += 1
                return False
        else:
            self._check_answer(row, where)
        if row["post_id"] is not None and (row["post_id"] in self.posts or row["source"] == "gold"):
            return True  # gold posts are the codebook's, not the study's
        if self.rules.unknown_posts == "refuse":
            raise ComoderateError(
                f"the post {str(row['post_id'])[:60]!r} was not imported", where=where,
                do="import it first, or drop answers on unknown posts",
            )  # fmt: skip
        self.dropped_posts += 1
        return False

    def _check_answer(self, row: Row, where: str) -> None:
        question = self.codebook.question.get(row["question"] or "")
        if question is None:
            listed = ", ".join(self.codebook.question)
            said = "it is not said which question was answered" if not row["question"] else (
                f"{row['question'][:60]!r} is no question of the codebook"
            )  # fmt: skip
            raise ComoderateError(said, where=where, do=f"it has: {listed}")
        if question.refuses(row["answer"]):
            raise ComoderateError(
                f"{row['answer'][:60]!r} is no answer to {row['question']!r}", where=where,
                do=f"the codebook has: {', '.join(question.answers)}; recode under [annotations] reads other spellings",
            )  # fmt: skip
