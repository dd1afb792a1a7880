"""What programs read of a study and push into it, page by page."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from comoderate.annotation import Database, push_decision, stream_annotations, stream_decisions
from comoderate.errors import ComoderateError
from comoderate.study import cases
from comoderate.study.decisions import WORDS
from comoderate.study.desk import QUEUE, choices
from comoderate.study.exchange_forms import moment
from comoderate.study.people import texts
from comoderate.study.privacy import hash_key, hash_people
from comoderate.study.snapshot import rows as plain_rows

if TYPE_CHECKING:
    from comoderate.study.study import Study

Content = dict[str, Any]
ACTOR = "api/"
"""How the names of those begin who decided elsewhere; no person of the desk is called so."""

BLIND = ("rank", "post_id", "target")
SCORED = ("proba", "review_score", "reason", "pi", "source")


class Page(NamedTuple):
    """Some items, and after which the next page begins; None where there is none."""

    items: list[Content]
    next: int | None


def queue_page(study: Study, *, after: int, limit: int, scores: bool) -> Page:
    """Posts of the queue behind rank ``after``, with their texts; with scores only where asked for.

    Raises:
        ComoderateError: there is no queue yet.
    """
    if not (study.folder / "queue" / "review.parquet").exists():
        raise ComoderateError("there is no queue yet", do="make it with comoderate review, or on the dashboard")
    queue = study.queue()
    part = queue[queue["rank"] > after].head(limit)
    text = texts(study, part["post_id"].tolist())
    items = plain_rows(part[[*BLIND, *(SCORED if scores else ())]])
    for item in items:
        item["text"] = text.get(item["post_id"], "")
    left = len(queue[queue["rank"] > after]) > limit
    return Page(items, int(part["rank"].iloc[-1]) if left and len(part) else None)


def decisions_page(db: Database, *, after: int, limit: int) -> Page:
    """Decisions on the queue that stand, oldest first, behind the id ``after``."""
    held = list(itertools.islice(stream_decisions(db, queue=QUEUE, after=after), limit + 1))
    names = ("decision_id", "post_id", "target", "actor", "source", "stage", "seconds", "note")
    items = [
        {**{name: getattr(one, name) for name in names}, "decision": one.action, "decided_at": moment(one.decided_at)}
        for one in held[:limit]
    ]
    return Page(items, items[-1]["decision_id"] if len(held) > limit else None)


def annotations_page(study: Study, db: Database, *, after: int, limit: int) -> Page:
    """Annotations that stand, oldest first, behind the number ``after``; raters as keyed hashes."""
    held = next(stream_annotations(db, after=after, batch=limit + 1), [])
    names = ("number", "response_id", "post_id", "cohort", "source", "codebook", "question", "answer", "seconds")
    hashed = hash_people(pd.Series([row["rater_id"] for row in held], dtype=object), hash_key(study.folder), "rater")
    items = [
        {**{name: row[name] for name in names}, "rater_id": rater, "created_at": moment(row["created_at"])}
        for row, rater in zip(held[:limit], hashed, strict=False)
    ]
    return Page(items, items[-1]["number"] if len(held) > limit else None)


def push_decisions(study: Study, db: Database, made: Sequence[Mapping[str, Any]]) -> int:
    """Store decisions that were made elsewhere, on posts of the queue; the same key again changes nothing.

    Args:
        study: whose queue.
        db: its database, open.
        made: post_id, decision (an answer to the target's question, ``positive`` or ``negative``), moderator;
            decided_at, seconds, note and key where known.

    Returns:
        How many were sent. All are checked before any is stored.

    Raises:
        ComoderateError: a post is not in the queue, or a decision is none.
    """
    words = _words(study)
    known = _queued(study)
    about = {"target": cases.target_of(study), "scorer": None, "threshold": study.settings.review.threshold}
    rows = []
    for one in made:
        where = f"post {one['post_id']!r}"
        if one["decision"] not in words:
            listed = ", ".join(words)
            raise ComoderateError(f"{one['decision']!r} is no decision", where=where, do=f"write {listed}")
        if one["post_id"] not in known.index:
            raise ComoderateError("the post is not in the queue", where=where, do="push decisions on queued posts")
        rows.append((one, {**about, **known.loc[one["post_id"]].to_dict()}))
    for one, told in rows:
        at = one.get("decided_at") or datetime.now(UTC)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        row = {
            **told, "post_id": one["post_id"], "action": words[one["decision"]], "actor": f"{ACTOR}{one['moderator']}",
            "decided_at": at.astimezone(UTC), "seconds": one.get("seconds"), "note": one.get("note"),
        }  # fmt: skip
        push_decision(db, row, queue=QUEUE, idempotency_key=one.get("key") or _key(one))
    return len(rows)


def _words(study: Study) -> dict[str, str]:
    """What may be written for each answer."""
    made = choices(study)
    positive = next(one.answer for one in made if one.positive)
    negative = next(one.answer for one in made if not one.positive)
    return {**dict(zip(WORDS, (positive, negative), strict=True)), **{one.answer: one.answer for one in made}}


def _queued(study: Study) -> pd.DataFrame:
    """source, pi, proba and review_score of queued posts, by id."""
    if not (study.folder / "queue" / "review.parquet").exists():
        raise ComoderateError("there is no queue yet", do="make it with comoderate review, or on the dashboard")
    columns = ["source", "pi", "proba", "review_score"]
    frame = study.queue().set_index("post_id")[columns].astype(object)
    return frame.where(frame.notna(), None)


def _key(one: Mapping[str, Any]) -> str:
    """A key that follows from all that was said, where the program gives none."""
    said = "\x1f".join(str(one.get(name)) for name in ("post_id", "decision", "decided_at", "note"))
    return hashlib.blake2b(said.encode(errors="replace"), digest_size=16).hexdigest()
