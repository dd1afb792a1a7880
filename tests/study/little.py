"""A little study that tests make: about 400 invented posts, volunteers and experts, days, totals, three scorers.

The fixtures of ``tests/study`` and ``tests/cli`` give it to tests; it is not imported by name.
"""

from __future__ import annotations

import atexit
import fcntl
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

DAYS, A_DAY, WORLD_A_DAY = 10, 40, 60
PLATFORMS = ("river", "square")
AUTHORS = tuple(f"Zebedee Quackenbush {n:02d}" for n in range(70))
INSULTS = ("numpty", "windbag", "weasel", "dunce")
WORDS = ["garden", "bridge", "market", "holiday", "recipe", "queue", "traffic", "parcel", "kettle", "bicycle", "museum"]
WORDS += ["neighbour", "library", "lunch", "ferry", "picture", "ticket", "window", "river", "street", "weather", "lamp"]
WORDS += ["coffee", "train", "orchard", "cellar", "bakery", "harbour", "meadow", "saddle"]
UNLABELLED_EVERY = 10

TOML = """
[study]
title = "A little study"
question = "How much abuse is there?"
seed = 11
format = 1

[posts]
path = "posts.csv"
created_at = "created_at"
author = "author"
thread = "thread"
views = "views"
attributes = { platform = "platform" }
scores = { service = "service" }

[totals]
path = "totals.csv"

[annotations.volunteers]
form = "long"
path = "volunteers.csv"
cohort = "volunteers"
rater_id = "rater"
question = "question"
answer = "answer"
created_at = "at"
seconds = "seconds"

[annotations.experts]
form = "wide"
path = "experts.csv"
cohort = "experts"
rater_id = "expert"
columns = { problem = "verdict" }
recode = { problem = { none = "No" } }

[codebook]
name = "little"

[codebook.question.problem]
text = "Is there a problem?"
kind = "ordinal"
answers = ["No", "Problematic", "Abusive"]

[codebook.question.type]
text = "Which kinds?"
kind = "multiple"
answers = ["insult", "threat"]
when = { problem = ["Problematic", "Abusive"] }

[target.abusive]
question = "problem"
at_least = "Problematic"

[target.threat]
question = "type"
positive = ["threat"]

[sample.main]
design = "stratified"
size = 150
enrich = { scorer = "words", size = 40 }

[sample.experts]
design = "uniform"
of = "main"
size = 120

[scorer.words]
kind = "lexicon"
words = ["numpty", "windbag"]

[scorer.bayes]
kind = "naive_bayes"

[scorer.service]
kind = "recorded"

[evaluate]
samples = { experts = "experts" }
by = ["platform"]
folds = 3
replicates = 40

[review]
fractions = [0.05, 0.2]
capacity = 20
audit_share = 0.25
"""


@cache
def posts() -> pd.DataFrame:
    """The posts as their file has them, with a column ``positive`` that the file lacks."""
    rng = np.random.default_rng(5)
    n = DAYS * A_DAY
    positive = rng.random(n) < 0.25
    texts = [_text(rng, bad, number) for number, bad in enumerate(positive)]
    days = pd.Timestamp("2026-03-02") + pd.to_timedelta(np.arange(n) // A_DAY, unit="D")
    return pd.DataFrame(
        {
            "post_id": [f"p{number:04d}" for number in range(n)],
            "text": texts,
            "created_at": [f"{day:%Y-%m-%d}T{8 + number % 12:02d}:15:00Z" for number, day in enumerate(days)],
            "author": np.asarray(AUTHORS)[rng.integers(0, len(AUTHORS), n)],
            "thread": [f"thread-of-{number // 4}" if number % 8 < 2 else "" for number in range(n)],
            "views": rng.integers(0, 5000, n),
            "platform": np.asarray(PLATFORMS)[(rng.random(n) < 0.9).astype(int)],
            "service": np.round(np.clip(0.2 + 0.5 * positive + rng.normal(0, 0.15, n), 0, 1), 4),
            "positive": positive,
        }
    )


def _text(rng: np.random.Generator, bad: bool, number: int) -> str:
    words = list(rng.choice(WORDS, 9))
    if rng.random() < (0.8 if bad else 0.05):
        words.insert(int(rng.integers(0, 9)), str(rng.choice(INSULTS)))
    return " ".join([*words, f"no{number}", "@someone" if number % 50 == 0 else "thanks"])


@cache
def volunteers() -> pd.DataFrame:
    """Three volunteers' answers on nine posts in ten, in long form."""
    rng = np.random.default_rng(6)
    rows = []
    for number, post in enumerate(posts().itertuples()):
        if number % UNLABELLED_EVERY == 3:
            continue
        for rater in rng.choice(8, 3, replace=False):
            said = rng.random() < (0.85 if post.positive else 0.06)
            at, took = f"2026-04-{1 + number % 28:02d}T10:00:00Z", int(rng.integers(4, 60))
            base = {"post_id": post.post_id, "rater": f"vol{rater}", "at": at, "seconds": took}
            answer = ("Abusive" if rng.random() < 0.4 else "Problematic") if said else "No"
            rows.append({**base, "question": "problem", "answer": answer})
            if said:
                rows.append({**base, "question": "type", "answer": "threat" if rng.random() < 0.3 else "insult"})
    return pd.DataFrame(rows)


@cache
def experts() -> pd.DataFrame:
    """Two experts' answers on the same nine posts in ten, in wide form; they write ``none`` for No."""
    rng = np.random.default_rng(7)
    rows = []
    for number, post in enumerate(posts().itertuples()):
        if number % UNLABELLED_EVERY == 3:
            continue
        for name in ("judge-a", "judge-b"):
            said = rng.random() < (0.95 if post.positive else 0.02)
            rows.append({"post_id": post.post_id, "expert": name, "verdict": "Abusive" if said else "none"})
    return pd.DataFrame(rows)


def totals() -> pd.DataFrame:
    """Half as many posts again in the world as are in hand."""
    days = pd.Timestamp("2026-03-02") + pd.to_timedelta(np.arange(DAYS), unit="D")
    return pd.DataFrame({"day": days.strftime("%Y-%m-%d"), "N": WORLD_A_DAY})


def write(folder: Path) -> Path:
    """Write the study's files; gives its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    posts().drop(columns="positive").to_csv(folder / "posts.csv", index=False)
    volunteers().to_csv(folder / "volunteers.csv", index=False)
    experts().to_csv(folder / "experts.csv", index=False)
    totals().to_csv(folder / "totals.csv", index=False)
    (folder / "study.toml").write_text(TOML.lstrip())
    return folder


def edit(folder: Path, old: str, new: str, file: str = "study.toml") -> None:
    """Replace the first ``old`` in a file, which must hold it."""
    text = (folder / file).read_text()
    assert old in text, old
    (folder / file).write_text(text.replace(old, new, 1))


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a study but its locks, and the side files of a database in use: path within it → content."""
    assert not any(path.stat().st_size for path in folder.glob("*.db-wal"))
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in {".lock", ".db-wal", ".db-shm"}
    }


class Heard:
    """A listener that notes what was made and what was skipped."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.up_to_date: list[str] = []
        self.counted: dict[str, int] = {}
        self.notes: list[tuple[str, str]] = []

    def started(self, stage):
        self.made.append(stage)

    def progress(self, stage, done):
        self.counted[stage] = done

    def note(self, stage, text):
        self.notes.append((stage, text))

    def finished(self, stage, summary):
        assert self.made[-1] == stage
        assert isinstance(summary, dict)

    def skipped(self, stage):
        self.up_to_date.append(stage)


def kept(name: str) -> Path:
    """A folder for what several tests begin with; removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix=f"comoderate-{name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def imported(*, annotations: bool = True) -> Path:
    """The folder of the little study with its posts and its annotations imported, and no more; only to be read."""
    from comoderate.study import Study

    study = Study.open(write(kept("imported") / "little"))
    study.import_posts()
    if annotations:
        study.import_annotations()
    else:
        study.store().close()
    return study.folder


_RAN: list[Path] = []


def ran(make_folder, shared: Path | None = None) -> Path:
    """The folder of the little study after a whole run; made once, and only to be read.

    Args:
        make_folder: gives an empty folder.
        shared: a folder that other processes have too: the first of them makes the study there, each has a copy.
    """
    if not _RAN:
        folder = make_folder() / "little"
        if shared is None:
            _run(folder)
        else:
            copy(_run_once(shared), folder)
        _RAN.append(folder)
    return _RAN[0]


def _run_once(shared: Path) -> Path:
    """The study that the first of several processes ran; the others wait for it."""
    made, done = shared / "little-ran", shared / "little-ran.done"
    with (shared / "little-ran.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(made, ignore_errors=True)  # of a process that was killed
            _run(made)
            done.touch()
    return made


def _run(folder: Path) -> None:
    from comoderate.study import Study

    Study.open(write(folder)).run()


def copy(source: Path, folder: Path) -> Path:
    """A copy of a study to change."""
    shutil.copytree(source, folder)
    return folder
