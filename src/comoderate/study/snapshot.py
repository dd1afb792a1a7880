"""What the coordinator's dashboard shows, computed by a process of its own and kept in a file, so that no page waits.

    python -m comoderate.study.snapshot FOLDER

takes the snapshot of labels anew where annotations came, and writes ``.comoderate/dashboard.json``.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate.corpus import atomic_path
from comoderate.errors import ComoderateError
from comoderate.report.sentences import can_be_said, unsaid
from comoderate.study import agreeing, people, queueing
from comoderate.study.estimating import FEW
from comoderate.study.progress import progress_table
from comoderate.study.rater_view import CAUTION

if TYPE_CHECKING:
    from comoderate.study.study import Study

FILE, PROBLEM = ".comoderate/dashboard.json", ".comoderate/dashboard.error"
MOST_RATERS = 200
FORMAT = 2
"""Raised when a page needs something that older files lack: those are computed anew."""
NOTHING_YET = "Nobody had answered by then. Numbers appear here once people have labelled, or on request."
Content = dict[str, Any]


def make(study: Study) -> Content:
    """All numbers of the dashboard.

    Returns:
        format, made_at (ISO 8601, UTC), took (seconds), annotations (answers to single questions), judgements (all that
        one rater said of one post), progress, prevalence and raters (lists of rows; what is undefined is None),
        agreement (a row a question and cohort: question, cohort, n_items, few, statistics by name), unsaid (sentences
        on the agreement that is undefined), few (below how many labels a number is a hint), caution (what must stand
        beside raters), queue (posts and readings; None where none was made), queue_empty (why it is, a sentence; None
        where it is not), problems (what could not be computed, and why).
    """
    began = time.monotonic()
    made_at = pd.Timestamp.now(tz="UTC").isoformat(timespec="seconds")
    content: Content = {"format": FORMAT, "made_at": made_at, "caution": CAUTION, "few": FEW}
    content |= {"queue": queueing.queued(study), "queue_empty": queueing.emptiness(study)}
    if not study.has_annotations():
        nothing: Content = {name: [] for name in PARTS} | {"annotations": 0, "judgements": 0}
        return content | nothing | {"problems": [NOTHING_YET], "took": round(time.monotonic() - began, 1)}
    problems: list[str] = []
    for name, part in PARTS.items():
        try:
            content[name] = part(study)
        except ComoderateError as error:
            content[name] = []
            problems.append(f"{name}: {error}")
    content |= {"problems": list(dict.fromkeys(problems)), "took": round(time.monotonic() - began, 1)}
    return content


def _annotations(study: Study) -> int:
    study.take_snapshot()
    return len(study.annotations())


def _judgements(study: Study) -> int:
    """Raters and the posts that they judged; of raters without a name, the answers to a post's first question."""
    notes = study.annotations()
    named = notes[notes["rater_id"].notna()].drop_duplicates(["post_id", "cohort", "rater_id"])
    unnamed = notes[notes["rater_id"].isna() & (notes["question"] == next(iter(study.settings.codebook.question)))]
    return len(named) + len(unnamed)


def _progress(study: Study) -> list[Content]:
    return rows(progress_table(study))


def _prevalence(study: Study) -> list[Content]:
    return rows(study.estimate())


def _shown(study: Study) -> pd.DataFrame:
    table = study.agreement()
    return table[table["statistic"].isin([*agreeing.MAIN, "krippendorff_alpha", "percent_agreement"])]


def _agreement(study: Study) -> list[Content]:
    table = _shown(study)
    found = []
    for (question, cohort), part in table[can_be_said(table)].groupby(["question", "cohort"], sort=False):
        plain = rows(part)
        about = {"question": question, "cohort": cohort, "n_items": plain[0]["n_items"], "few": plain[0]["few"]}
        found.append({**about, "statistics": {row["statistic"]: row for row in plain}})
    return found


def _unsaid(study: Study) -> list[str]:
    return unsaid(_shown(study))


def _raters(study: Study) -> list[Content]:
    return rows(people.raters(study, None).head(MOST_RATERS))


PARTS: dict[str, Callable[[Study], Any]] = {
    "annotations": _annotations, "judgements": _judgements, "progress": _progress, "prevalence": _prevalence,
    "agreement": _agreement, "unsaid": _unsaid, "raters": _raters,
}  # fmt: skip


def rows(table: pd.DataFrame) -> list[Content]:
    """A frame as a list of plain dictionaries: NaN becomes None, numpy's numbers Python's."""
    plain = table.astype(object).where(table.notna(), None)
    return [{str(name): _plain(value) for name, value in row.items()} for row in plain.to_dict("records")]


def _plain(value: Any) -> Any:
    found = value.item() if hasattr(value, "item") else value
    if isinstance(found, float) and not math.isfinite(found):
        return None
    return found if found is None or isinstance(found, bool | int | float | str) else str(found)


def write(study: Study) -> Content:
    """Compute and store."""
    content = make(study)
    with atomic_path(study.folder / FILE) as temporary:
        temporary.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    (study.folder / PROBLEM).unlink(missing_ok=True)
    return content


def read(folder: Path) -> Content | None:
    """What was stored last; None where nothing was yet, or by an older version."""
    try:
        found: Content = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return found if found.get("format") == FORMAT else None


class Refresher:
    """Computes a study's snapshot in another process, one at a time.

    Args:
        folder: the study's.
        at_most_every: seconds between two computations that nobody asked for, and before the first.
    """

    def __init__(self, folder: Path, *, at_most_every: float = 120.0) -> None:
        self.folder, self.at_most_every = folder, at_most_every
        self._process: subprocess.Popen[bytes] | None = None
        self._everything = False
        self._began = time.monotonic()
        self._lock = threading.Lock()

    @property
    def running(self) -> bool:
        """Whether a computation is under way."""
        with self._lock:
            return self._process is not None and self._process.poll() is None

    @property
    def queueing(self) -> bool:
        """Whether the queue is being made anew."""
        return self.running and self._everything

    def start(self, *, now: bool = False, everything: bool = False) -> bool:
        """Begin a computation, unless one is under way or, but for ``now``, was begun a short while ago.

        Args:
            now: whether somebody asked for it.
            everything: take in pushed posts, score them, and make the queue anew first. It takes the place of a
                computation of numbers alone that is under way.

        Returns:
            Whether one was begun.
        """
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                if self._everything or not everything:
                    return False
                self._end(self._process)
            if not now and time.monotonic() - self._began < self.at_most_every:
                return False
            command = [sys.executable, "-m", "comoderate.study.snapshot", str(self.folder)]
            self._process = subprocess.Popen(
                [*command, *(["--everything"] if everything else [])], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            self._began, self._everything = time.monotonic(), everything
            return True

    def problem(self) -> str | None:
        """Why the last computation failed; None where it did not."""
        try:
            return (self.folder / PROBLEM).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def stop(self) -> None:
        """End a computation that is under way."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._end(self._process)

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        process.wait(10)


def main(arguments: list[str]) -> int:
    """Refresh the snapshot of the study in the folder named; what goes wrong is kept for the page to show."""
    from comoderate.study.study import Study

    os.nice(10)
    folder = Path(arguments[0])
    try:
        study = Study.open(folder)
        if "--everything" in arguments:
            study.review()
        write(study)
    except Exception as error:
        with atomic_path(folder / PROBLEM) as temporary:
            temporary.write_text(str(error) or type(error).__name__, encoding="utf-8")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
