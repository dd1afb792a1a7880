"""A new study: its folder and a ``study.toml`` to edit, with columns guessed from a file of posts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from comoderate.codebook.ready import READY, ready_toml
from comoderate.corpus import read_batches
from comoderate.errors import ComoderateError
from comoderate.study.loading import FILE
from comoderate.study.settings import FORMAT
from comoderate.study.values import ROW

IGNORED = """# What Comoderate makes; the texts and labels in it belong to people and should not be published.
/.comoderate/
/posts/
/samples/
/labels/
/models/
/scores/
/results/
/queue/
/surface/
/report/
/members.parquet
/mentions.parquet
/decisions.parquet
/annotations.db*
"""

_GUESSES: Mapping[str, tuple[str, ...]] = {
    "post_id": ("post_id", "id", "tweet_id", "comment_id", "entry_id", "rev_id", "uid"),
    "text": ("text", "tweet", "comment_text", "body", "content", "message", "comment"),
    "created_at": (
        "created_at",
        "timestamp",
        "date",
        "created_utc",
        "entry_utc",
        "time",
        "datetime",
        "published",
        "published_at",
        "posted",
        "posted_at",
        "sent",
        "sent_at",
        "created",
        "date_time",
    ),
    "author": ("author", "author_id", "user", "user_id", "screen_name", "username"),
    "thread": ("thread", "thread_id", "conversation_id", "conv_id"),
    "views": ("views", "view_count", "impressions"),
}


SHORT = """[codebook.question.problem]
text = "Does the post contain problematic or abusive content?"
kind = "ordinal"
answers = ["No", "Problematic", "Abusive"]
"""
"""The first question of Troll Patrol's codebook."""

CODEBOOK = "troll-patrol"
"""The codebook of a new study."""


def start(folder: Path, *, posts: Path | None = None, title: str | None = None, codebook: str = CODEBOOK) -> Path:
    """Make a folder with a ``study.toml`` to edit; gives the file's path.

    Args:
        folder: where; made if missing.
        posts: a file of posts, whose columns are guessed.
        title: of the study.
        codebook: one that comes with Comoderate: ``troll-patrol``, or ``short``, its first question alone.

    Raises:
        ComoderateError: there is a study already, the file cannot be read, or no codebook of that name comes along.
    """
    path = folder / FILE
    if path.exists():
        raise ComoderateError("there is a study already", where=path, do="edit it, or choose another folder")
    columns = guess_columns(posts) if posts else {"post_id": "post_id", "text": "text"}
    known = file_columns(posts) if posts else []
    asked = SHORT if codebook == "short" else _ready(codebook)
    text = _template(title or folder.resolve().name, posts, columns, known, asked)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text(IGNORED, encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return path


def guess_columns(posts: Path) -> dict[str, str]:
    """Columns of a file by what their names suggest: key under ``[posts]`` → column.

    Raises:
        ComoderateError: the file cannot be read.
    """
    first = next(iter(read_batches(posts, batch_rows=100))).frame
    names = {_plain(str(name)): str(name) for name in reversed(list(first.columns))}
    found = {key: next((names[g] for g in guesses if g in names), None) for key, guesses in _GUESSES.items()}
    found["post_id"] = found["post_id"] or _id_column(first)
    found["text"] = found["text"] or _longest(first)
    return {key: column for key, column in found.items() if column is not None}


def _plain(name: str) -> str:
    """A column's name as the guesses write it: small letters, one line between words."""
    return re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")


def _id_column(frame: pd.DataFrame) -> str:
    """The first column that is called an id and repeats nothing; the row's number where there is none."""
    named = (str(name) for name in frame.columns if str(name).lower().endswith("id"))
    return next((name for name in named if frame[name].is_unique), ROW)


def _longest(frame: pd.DataFrame) -> str | None:
    """The column with the longest texts on average."""
    lengths = {str(name): frame[name].dropna().map(lambda value: len(str(value))).mean() for name in frame.columns}
    return max(lengths, key=lambda name: lengths[name]) if lengths else None


def file_columns(posts: Path) -> list[str]:
    """The names of a file's columns.

    Raises:
        ComoderateError: the file cannot be read.
    """
    return [str(name) for name in next(iter(read_batches(posts, batch_rows=1))).frame.columns]


def _ready(name: str) -> str:
    if name not in READY:
        raise ComoderateError(
            f"no codebook {name!r} comes with Comoderate", do=f"choose from {', '.join(READY)}, short"
        )
    return ready_toml(name)


def _posts_lines(posts: Path | None, columns: Mapping[str, str], known: list[str]) -> list[str]:
    """The keys of ``[posts]``, and as comments those that a messy file needs."""
    shown = {"post_id": "", "text": "", **columns}
    lines = [f"{key} = {quoted(column or key)}" for key, column in shown.items()]
    if posts is not None:
        lines.insert(0, f"path = {quoted(str(posts.resolve()))}")
        others = [name for name in known if name not in columns.values()]
        lines.append(f"# guessed; the file's other columns: {', '.join(map(quoted, others)) or 'none'}")
        lines += [
            '# attributes = { platform = "platform" }   # what estimates can be broken down by: name = column',
            '# scores = { service = "probability" }     # what a classifier said of each post: name = column, 0 to 1',
            '# missing_text = "drop"                    # leave posts without text out; by default the file is refused',
        ]
        if "created_at" in columns:
            lines.append('# missing_time = "drop"                    # the same for posts without a time')
    else:
        lines.insert(0, '# path = "posts.csv"')
    return lines


def _template(title: str, posts: Path | None, columns: Mapping[str, str], known: list[str], codebook: str) -> str:
    lines = _posts_lines(posts, columns, known)
    design = 'design = "stratified"' if "created_at" in columns else 'design = "uniform"'
    return f"""# A study: everything that Comoderate is asked to do. Every key is explained in docs/study.md.

[study]
title = {quoted(title)}
question = "How many posts are abusive?"
seed = 2019
format = {FORMAT}

[posts]
{chr(10).join(lines)}

# Answers that exist already, in one of several forms; leave out until there are some.
# [annotations.volunteers]         # a row an answer
# form = "long"
# path = "volunteers.csv"
# cohort = "volunteers"
# rater_id = "rater_id"
# question = "question"
# answer = "answer"
#
# [annotations.labels]             # a column of the file of posts that holds one label a post
# form = "wide"
# cohort = "labels"
# rater = "whoever labelled"
# columns = {{ problem = "label" }}
# recode.problem = {{ "0" = "No", "1" = "Abusive" }}

{codebook.rstrip()}

[target.abusive]
question = "problem"
at_least = "Problematic"

[sample.main]
{design}
size = 1000

# What is labelled on the web, by `comoderate serve`; see docs/web.md.
# [campaign.volunteers]
# sample = "main"
# overlap = 3

[scorer.bayes]
kind = "naive_bayes"

[scorer.regression]
kind = "tfidf_logistic"

# [scorer.service]                 # compares the probabilities that [posts] scores names
# kind = "recorded"
"""


def quoted(text: str) -> str:
    """``text`` as a TOML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\u{ord(m[0]):04x}", escaped) + '"'
