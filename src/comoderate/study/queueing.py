"""Why a study's queue is empty, and what to do about it; what the desk and the dashboard say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comoderate.corpus import read_frame, read_metadata
from comoderate.study import cases

if TYPE_CHECKING:
    from pathlib import Path

    from comoderate.study.study import Study

ALL_LABELLED = (
    "the queue is empty, for every post has a label already; stream = 'all' under [review] queues labelled posts too"
)
EMPTY = "empty"
"""The key under which the file of an empty queue says why it is so."""


def queue_path(folder: Path) -> Path:
    """Where a study's queue is."""
    return folder / "queue" / "review.parquet"


def lacking(study: Study) -> str | None:
    """What no queue can be made without, as far as ``study.toml`` tells; None where it has all."""
    target = cases.target_of(study)
    if any(study.target_of(name) == target for name in study.settings.scorer):
        return None
    return (
        f"the queue is empty, for the study has no scorer of “{target}” to order posts by; write one into study.toml, "
        'for instance [scorer.bayes] with kind = "naive_bayes", and make the queue anew'
    )


def why_empty(study: Study, scorer: str | None) -> str:
    """Why a queue that has just been made is empty, and what to do.

    Args:
        study: the study.
        scorer: whose posts were to be queued; None where none has scored them.
    """
    if scorer is not None:
        return ALL_LABELLED
    target = cases.target_of(study)
    named = lacking(study)
    if named is not None:
        return named
    left_out = [
        f"“{name}” was left out ({why})"
        for name in study.settings.scorer
        if study.target_of(name) == target and (why := study.pipeline.missing.get(f"scores:{name}"))
    ]
    told = f": {'; '.join(left_out)}" if left_out else ""
    return (
        f"the queue is empty, for no scorer has given the posts a probability of being “{target}”{told}; mend that, "
        "and make the queue anew"
    )


def queued(study: Study) -> dict[str, int] | None:
    """How many posts the study's queue holds, and how many readings they are to get; None where none was made yet."""
    path = queue_path(study.folder)
    if not path.exists():
        return None
    readings = read_frame(path, columns=["readings"])["readings"]
    return {"posts": len(readings), "readings": int(readings.sum())}


def size_sentence(study: Study) -> str:
    """How much the queue holds, where that is not the same in posts and in readings; nothing else."""
    found = queued(study)
    if found is None or found["posts"] == found["readings"]:
        return ""
    return (
        f"The queue holds {found['posts']:,} posts for {found['readings']:,} readings: those on which people are "
        "likely to differ go to two moderators."
    )


def emptiness(study: Study) -> str | None:
    """Why the study's queue is empty; None where it holds posts, or none was made yet."""
    found = queued(study)
    if found is None or found["posts"]:
        return None
    about = read_metadata(queue_path(study.folder))
    return about.get(EMPTY) or why_empty(study, about.get("scorer") or None)
