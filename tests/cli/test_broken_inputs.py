"""Broken input of every kind: one clear line, exit code 1, and a study that is as it was."""

import gzip
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from comoderate.annotation import Store


class Case(NamedTuple):
    """A way to break a study.

    ``breaks(folder, little)`` breaks it; ``command`` then fails, and its line holds all of ``says``. ``first`` are
    commands that still work on the broken study and come before.
    """

    breaks: Callable[[Path, object], None]
    command: tuple[str, ...]
    says: tuple[str, ...]
    first: tuple[str, ...] = ()


def line(folder: Path, file: str, number: int, change: Callable[[str], str]) -> None:
    """Change one line of a file; 0 is the header."""
    path = folder / file
    lines = path.read_text().splitlines()
    lines[number] = change(lines[number])
    path.write_text("\n".join(lines) + "\n")


def cell(folder: Path, file: str, row: int, column: str, value: object) -> None:
    """Change one cell of a CSV file; rows count from 1."""
    frame = pd.read_csv(folder / file, dtype=str, keep_default_na=False)
    frame.loc[row - 1, column] = str(value)
    frame.to_csv(folder / file, index=False)


def toml(old: str, new: str) -> Callable[[Path, object], None]:
    """Break study.toml."""
    return lambda folder, little: little.edit(folder, old, new)


def set_cell(file: str, row: int, column: str, value: object) -> Callable[[Path, object], None]:
    """Break one cell."""
    return lambda folder, little: cell(folder, file, row, column, value)


def header(file: str, old: str, new: str) -> Callable[[Path, object], None]:
    """Break a header."""
    return lambda folder, little: line(folder, file, 0, lambda text: text.replace(old, new))


def content(file: str, data: bytes) -> Callable[[Path, object], None]:
    """Break a whole file."""
    return lambda folder, little: (folder / file).write_bytes(data)


def wrong_encoding(folder: Path, little) -> None:
    path = folder / "posts.csv"
    path.write_bytes(path.read_bytes().replace(b"thanks", "dank schön".encode("latin-1"), 1))


def ragged(folder: Path, little) -> None:
    line(folder, "posts.csv", 3, lambda text: text + ",surplus")


def duplicate_id(folder: Path, little) -> None:
    cell(folder, "posts.csv", 8, "post_id", "p0002")


def header_only(folder: Path, little) -> None:
    path = folder / "posts.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")


def twice(folder: Path, little) -> None:
    line(folder, "experts.csv", 3, lambda text: text + "\n" + text)


def two_ticks(folder: Path, little) -> None:
    rows = pd.DataFrame({"post_id": ["p0000", "p0001"], "who": "x", "no": [1, 1], "yes": [0, 1]})
    rows.to_csv(folder / "ticks.csv", index=False)
    one_hot = '[annotations.ticks]\nform = "one-hot"\npath = "ticks.csv"\ncohort = "others"\nrater_id = "who"\n'
    one_hot += 'answers = { problem = { No = "no", Abusive = "yes" } }\n\n[codebook]'
    little.edit(folder, "[codebook]", one_hot)


def votes(value: object) -> Callable[[Path, object], None]:
    def breaks(folder: Path, little) -> None:
        rows = pd.DataFrame({"post_id": ["p0000", "p0001"], "no": [3, 2], "yes": [0, value]})
        rows.to_csv(folder / "votes.csv", index=False)
        counts = '[annotations.votes]\nform = "counts"\npath = "votes.csv"\ncohort = "others"\n'
        counts += 'answers = { problem = { No = "no", Abusive = "yes" } }\n\n[codebook]'
        little.edit(folder, "[codebook]", counts)

    return breaks


def broken_gzip(folder: Path, little) -> None:
    whole = gzip.compress((folder / "posts.csv").read_bytes(), mtime=0)
    (folder / "posts.csv.gz").write_bytes(whole[: len(whole) // 2])
    little.edit(folder, '"posts.csv"', '"posts.csv.gz"')


def broken_parquet(folder: Path, little) -> None:
    pd.read_csv(folder / "posts.csv").to_parquet(folder / "posts.parquet")
    whole = (folder / "posts.parquet").read_bytes()
    (folder / "posts.parquet").write_bytes(whole[: len(whole) // 2])
    little.edit(folder, '"posts.csv"', '"posts.parquet"')


def newer_database(folder: Path, little) -> None:
    with sqlite3.connect(folder / "annotations.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()


def one_class(folder: Path, little) -> None:
    frame = pd.read_csv(folder / "volunteers.csv")
    frame[frame["question"] == "problem"].assign(answer="No").to_csv(folder / "volunteers.csv", index=False)


def other_codebook(folder: Path, little) -> None:
    answer = {"post_id": "p0000", "cohort": "experts", "source": "sample", "question": "problem", "answer": "No"}
    with Store(f"sqlite:///{folder / 'annotations.db'}") as store:
        store.append([{**answer, "response_id": "web/1", "rater_id": "r", "codebook": "little@0"}])


IMPORT = ("import",)
CASES: dict[str, Case] = {
    # the file of posts
    "file-not-found": Case(
        lambda folder, little: (folder / "posts.csv").rename(folder / "elsewhere.csv"),
        ("import", "--posts", "nowhere/posts.csv"),
        ("nowhere/posts.csv: there is no such file", "Check the path"),
    ),
    "a-folder-for-a-file": Case(
        lambda *_: None, ("import", "--posts", "."), ("there is no such file", "Check the path")
    ),
    "missing-column": Case(header("posts.csv", "platform", "plattform"), IMPORT, ("posts.csv", "'platform'")),
    "duplicate-column": Case(
        header("posts.csv", "views", "text"), IMPORT, ("posts.csv", "several columns are named 'text'", "Rename")
    ),
    "missing-id": Case(
        set_cell("posts.csv", 5, "post_id", ""),
        IMPORT,
        ("posts.csv, column post_id, row 5: ", "the id is missing", "Give every post an id"),
    ),
    "duplicate-ids": Case(duplicate_id, IMPORT, ("posts.csv: ", "'p0002'", "rows 3, 8", "Set duplicates = ")),
    "empty-file": Case(content("posts.csv", b""), IMPORT, ("posts.csv: the file is empty",)),
    "header-only": Case(header_only, IMPORT, ("posts.csv: ", "no record")),
    "wrong-encoding": Case(
        wrong_encoding, IMPORT, ("posts.csv, line 3: ", "Save the file as UTF-8, or name its encoding")
    ),
    "missing-text": Case(
        set_cell("posts.csv", 7, "text", "  "),
        IMPORT,
        ("posts.csv, column text, row 7: ", "no text", "Set missing_text = 'drop'"),
    ),
    "ragged-row": Case(ragged, IMPORT, ("posts.csv, row 3, line 4: ", "9 fields", "Check the quotes")),
    "bad-date": Case(
        set_cell("posts.csv", 4, "created_at", "the other day"),
        IMPORT,
        ("posts.csv, column created_at, row 4: 'the other day' is not a time", "Write ISO 8601"),
    ),
    "missing-date": Case(
        set_cell("posts.csv", 4, "created_at", ""),
        IMPORT,
        ("posts.csv, column created_at, row 4: the time is missing", "Give every post a time", "missing_time = 'drop'"),
    ),
    "negative-views": Case(
        set_cell("posts.csv", 4, "views", -3), IMPORT, ("posts.csv, column views, row 4: '-3' is negative", "0 or more")
    ),
    "broken-gzip": Case(broken_gzip, IMPORT, ("posts.csv.gz: the gzip file is damaged or cut short",)),
    "broken-parquet": Case(broken_parquet, IMPORT, ("posts.parquet: ", "Parquet")),
    "no-file-of-posts": Case(
        lambda folder, little: [little.edit(folder, 'path = "posts.csv"\n', ""), clear_posts(folder)],
        IMPORT,
        ("study.toml: no file of posts is named", "Set path under [posts]"),
    ),
    # recorded probabilities
    "probability-above-one": Case(
        set_cell("posts.csv", 6, "service", 1.5),
        IMPORT,
        ("posts.csv, column service, row 6: '1.5' is no probability", "Probabilities lie in [0, 1]"),
    ),
    "probability-missing": Case(
        set_cell("posts.csv", 6, "service", ""),
        IMPORT,
        ("posts.csv, column service, row 6: the probability is missing", "Give every post a probability"),
    ),
    "probability-nan": Case(
        set_cell("posts.csv", 6, "service", "NaN"),
        IMPORT,
        ("posts.csv, column service, row 6: 'NaN' is not a number", "Write a number"),
    ),
    "probability-text": Case(
        set_cell("posts.csv", 6, "service", "high"),
        IMPORT,
        ("posts.csv, column service, row 6: 'high' is not a number", "Write a number"),
    ),
    # annotations
    "label-outside-codebook": Case(
        set_cell("volunteers.csv", 4, "answer", "Perhaps"),
        IMPORT,
        ("volunteers.csv, column answer, row 4: 'Perhaps' is no answer to 'problem'", "No, Problematic, Abusive"),
    ),
    "unknown-question": Case(
        set_cell("volunteers.csv", 4, "question", "mood"),
        IMPORT,
        ("volunteers.csv, column question, row 4: 'mood' is no question", "problem, type"),
    ),
    "missing-rater": Case(
        set_cell("volunteers.csv", 4, "rater", ""),
        IMPORT,
        ("volunteers.csv, column rater, row 4: the rater is missing", "Name every rater"),
    ),
    "rater-twice": Case(twice, IMPORT, ("experts.csv, row 4: ", "twice", "Set duplicates = 'first' or 'last'")),
    "annotation-of-unknown-post": Case(
        set_cell("experts.csv", 9, "post_id", "p9999"),
        IMPORT,
        ("experts.csv, row 9: the post 'p9999' was not imported", "Set unknown_posts = 'drop'"),
    ),
    "two-ticks": Case(two_ticks, IMPORT, ("ticks.csv, column no, row 2: ", "two answers to 'problem'", "Tick one")),
    "negative-votes": Case(
        votes(-1), IMPORT, ("votes.csv, column yes, row 2: '-1' is not a number of votes", "Write a whole")
    ),
    "half-a-vote": Case(
        votes(0.5), IMPORT, ("votes.csv, column yes, row 2: '0.5' is not a number of votes", "Write a whole")
    ),
    "unknown-import": Case(
        lambda *_: None,
        ("import", "--annotations", "jury=experts.csv"),
        ("no import of annotations 'jury'", "The study has: volunteers, experts"),
    ),
    "unknown-column-key": Case(
        lambda *_: None, ("import", "--column", "writer=author"), ("no column 'writer'", "Choose from post_id, text")
    ),
    "newer-database": Case(newer_database, ("agree",), ("annotations.db: ", "newer version", "Upgrade Comoderate")),
    "another-codebook": Case(
        other_codebook,
        ("agree",),
        ("study.toml: ", "another codebook (little@0; the study has little@1)", "name and version"),
    ),
    # totals
    "totals-below-counts": Case(
        set_cell("totals.csv", 3, "N", 39),
        ("sample",),
        ("totals.csv, column N: ", "the total of 2026-03-04 is 39, less than the 40 posts", "must count at least"),
    ),
    "totals-missing-a-day": Case(
        lambda folder, little: line(folder, "totals.csv", 3, lambda text: "2026-04-30,60"),
        ("sample",),
        ("totals.csv, column N: ", "posts of 2026-03-04 but no total", "Add a row for every day"),
    ),
    "totals-a-day-twice": Case(
        set_cell("totals.csv", 4, "day", "2026-03-04"),
        ("sample",),
        ("totals.csv, column day: the day 2026-03-04 occurs twice", "Keep one row a day"),
    ),
    "totals-not-found": Case(
        lambda folder, little: (folder / "totals.csv").unlink(),
        ("sample",),
        ("totals.csv: there is no such file", "Check the path"),
    ),
    # study.toml
    "no-study": Case(
        lambda folder, little: (folder / "study.toml").unlink(),
        ("run",),
        ("study.toml: there is no study here", "comoderate init"),
    ),
    "invalid-toml": Case(
        toml("seed = 11", "seed = = 11"), ("run",), ("study.toml: this is not TOML", "line 4", "Mend")
    ),
    "toml-not-utf8": Case(
        lambda folder, little: (folder / "study.toml").write_bytes(b'[study]\ntitle = "\xe4"\n'),
        ("run",),
        ("study.toml: the file is not UTF-8", "Save it as UTF-8"),
    ),
    "unknown-key": Case(
        toml("[evaluate]", "[evaluate]\nreplicate = 100"),
        ("run",),
        ("study.toml, evaluate.replicate: unknown key 'replicate'", "Did you mean 'replicates'?"),
    ),
    "unknown-table": Case(
        toml("[evaluate]", "[evaluation]"), ("run",), ("unknown key 'evaluation'", "Did you mean 'evaluate'?")
    ),
    "unknown-key-of-a-question": Case(
        toml('kind = "ordinal"', 'kinds = "ordinal"'),
        ("run",),
        ("codebook.question.problem.kinds: unknown key 'kinds'", "Did you mean 'kind'?"),
    ),
    "missing-key": Case(
        toml('cohort = "volunteers"\n', ""), ("run",), ("volunteers.cohort: this key is missing", "Add it")
    ),
    "wrong-type": Case(
        toml("replicates = 40", 'replicates = "many"'), ("run",), ("study.toml, evaluate.replicates: ", "'many'")
    ),
    "out-of-range": Case(toml("folds = 3", "folds = 1"), ("run",), ("study.toml, evaluate.folds: ", "(found 1)")),
    "newer-study": Case(
        toml("format = 1", "format = 2"), ("run",), ("study.toml: ", "newer version", "Upgrade Comoderate")
    ),
    "unknown-target": Case(
        toml('kind = "naive_bayes"', 'kind = "naive_bayes"\ntarget = "abusiv"'),
        ("run",),
        ("study.toml, scorer.bayes.target: there is no target 'abusiv'", "Did you mean 'abusive'?"),
    ),
    "unknown-cohort": Case(
        toml("[evaluate]", '[evaluate]\ntruth = ["expert"]'),
        ("run",),
        ("study.toml, evaluate.truth: there is no cohort 'expert'", "Did you mean 'experts'?"),
    ),
    "unknown-attribute": Case(
        toml('by = ["platform"]', 'by = ["dialect"]'),
        ("run",),
        ("study.toml, evaluate.by: there is no attribute 'dialect'", "The study has: day, week, platform"),
    ),
    "answer-of-no-question": Case(
        toml('at_least = "Problematic"', 'at_least = "Awful"'),
        ("run",),
        ("study.toml, target.abusive: 'Awful' is no answer to 'problem', which has No, Problematic, Abusive",),
    ),
    "circular-samples": Case(
        toml('scorer = "words"', 'scorer = "bayes"'),
        ("run",),
        ("study.toml, sample.main: samples need each other in a circle (main → main)", "another sample"),
    ),
    # names on the command line
    "unknown-sample": Case(lambda *_: None, ("sample", "--name", "mane"), ("no sample 'mane'", "main, experts")),
    "unknown-scorer": Case(
        lambda *_: None, ("train", "--scorer", "bays"), ("no scorer 'bays'", "words, bayes, service")
    ),
    "score-of-an-unknown-scorer": Case(
        lambda *_: None, ("score", "--scorer", "bays"), ("no scorer 'bays'", "words, bayes, service")
    ),
    "training-a-recorded-scorer": Case(lambda *_: None, ("train", "--scorer", "service"), ("'service'", "not trained")),
    "unknown-domain": Case(
        lambda *_: None, ("evaluate", "--by", "dialect"), ("no attribute 'dialect'", "day, week, platform, length")
    ),
    "agreement-by-unknown-domain": Case(
        lambda *_: None, ("agree", "--by", "plattform"), ("no attribute 'plattform'", "day, week, platform, length")
    ),
    "a-study-already": Case(lambda *_: None, ("init",), ("study.toml: there is a study already", "another folder")),
    "a-study-where-a-demo-should-be": Case(lambda *_: None, ("demo",), ("holds another study", "empty folder")),
    # what cannot be done with the labels there are
    "one-class": Case(
        one_class, ("train",), ("scorer 'bayes'", "labels of one class only", "Label more posts"), first=("agree",)
    ),
    "stratified-without-dates": Case(
        toml('created_at = "created_at"\nauthor', "author"),
        ("sample",),
        ("study.toml: a sample stratified by day needs dates", "created_at"),
        first=("import", "score --scorer words"),
    ),
    "clusters-without-authors": Case(
        lambda folder, little: [
            little.edit(folder, 'author = "author"\n', ""),
            little.edit(folder, "size = 150", 'size = 150\ncluster = "author"'),
        ],
        ("sample",),
        ("study.toml: the posts have no author", "[posts] author"),
        first=("import", "score --scorer words"),
    ),
}


def clear_posts(folder: Path) -> None:
    """Forget that posts were imported."""
    (folder / "posts" / "manifest.json").unlink()


@pytest.mark.parametrize("name", CASES)
def test_broken_input_is_refused_in_one_line(name, changing, little, cli, monkeypatch):
    case = CASES[name]
    case.breaks(changing, little)
    monkeypatch.chdir(changing)
    for command in case.first:
        assert cli("--quiet", *command.split(), "--json").code == 0
    before = little.files(changing)
    ran = cli("--quiet", *case.command[:1], changing, *case.command[1:])
    print(ran.err)
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert ran.err.endswith("\n")
    for part in case.says:
        assert part in ran.err
    assert (ran.code, ran.out) == (1, "")
    after = little.files(changing)
    assert sorted(after) == sorted(before)
    assert [path for path in before if after[path] != before[path]] == []


def test_there_are_enough_cases():
    assert len(CASES) >= 50
