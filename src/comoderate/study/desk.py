"""The review desk of a study: its queue brought to the moderators, and their decisions brought back.

No score is shown before a decision, of any post: so nobody can tell the random audit posts from those that the strategy
chose, and every decision measures as it says. What was decided is stored as annotations with the source ``queue`` or
``audit``, and in ``decisions.parquet``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from comoderate import __version__
from comoderate.annotation import (
    Database,
    DeskSettings,
    LoadCounts,
    NotFound,
    create_desk,
    desk_item,
    desks,
    load_queue,
    open_database,
    stream_decisions,
    stream_journal,
    write_journal,
)
from comoderate.annotation.decisions import ESCALATE, Decision
from comoderate.corpus import atomic_path, read_frame, read_metadata, write_frame
from comoderate.errors import ComoderateError
from comoderate.study import cases
from comoderate.study import decisions as deciding
from comoderate.study.serving import Serving

if TYPE_CHECKING:
    from comoderate.study.study import Study

QUEUE = "review"
"""The name of the study's queue."""

VIA = "desk"
COLLECTED = ".comoderate/desk.collected"
"""How many decisions stood when they were last collected, and the last one's id: the two change with any change."""

ROUNDS = "queue/rounds"
_TEXTS = 5_000


class Choice(NamedTuple):
    """What can be decided: an answer to the target's question, and what follows from it."""

    answer: str
    positive: bool
    definition: str

    @property
    def verb(self) -> str:
        """``remove`` where the answer breaks the policy, else ``keep``."""
        return "remove" if self.positive else "keep"


def choices(study: Study) -> list[Choice]:
    """The answers to the reviewed target's question, those that keep a post first.

    Raises:
        ComoderateError: the question takes several answers, or is asked only after another.
    """
    book, target = study.settings.codebook, study.settings.target[cases.target_of(study)]
    question = book.question[target.question]
    if question.kind not in {"single", "ordinal"} or question.when is not None:
        raise ComoderateError(
            f"posts cannot be decided by the question {target.question!r}: it takes several answers, or is asked only"
            " after another",
            do="review a target whose question has one answer and is asked of every post",
        )
    positive = set(target.positive_answers(book))
    made = [Choice(one, one in positive, question.definitions.get(one, "")) for one in question.answers]
    return sorted(made, key=lambda one: one.positive)


def rules(study: Study) -> DeskSettings:
    """The desk's rules, from ``[review]`` and ``[review.desk]``."""
    own = study.settings.review
    return DeskSettings(
        capacity=own.per_day,
        claim_minutes=own.desk.claim_minutes,
        actions=tuple(one.answer for one in choices(study)),
        blind=True,
        second_rate=own.desk.second_share,
        third_reader=own.desk.disagreement == "third",
        escalate_disagreement=own.desk.disagreement == "escalate",
        seed=study.settings.study.seed,
    )


# ------------------------------------------------------------------ to the desk


class DeskKeeper:
    """Keeps the desk at what the study's queue says.

    Args:
        study: the study.
        db: its database, open.
    """

    def __init__(self, study: Study, db: Database) -> None:
        self.study, self.db = study, db
        self._brought: str | None = None

    def bring(self) -> LoadCounts | None:
        """Bring the queue to the desk if it was made anew since; None where there is nothing new or no queue."""
        key = self.study.artefacts.key("review")
        if key is None or key == self._brought or not (self.study.folder / "queue" / "review.parquet").exists():
            return None
        counts = bring(self.study, self.db)
        self._brought = key
        return counts


def bring(study: Study, db: Database) -> LoadCounts:
    """Bring the study's queue to its desk: what was decided stays, what is no longer queued leaves.

    Raises:
        ComoderateError: there is no queue, or its target cannot be decided by one question.
    """
    made, own = rules(study), study.settings.review
    known = {one.queue: one for one in desks(db)}
    if QUEUE not in known or known[QUEUE].settings != made:
        create_desk(db, QUEUE, made)
    queue = study.queue()
    about = read_metadata(study.folder / "queue" / "review.parquet")
    extra = {"scorer": about.get("scorer") or None, "threshold": own.threshold}
    if "arm" in queue.columns:
        _keep_round(study, queue, about)
    return load_queue(db, _items(study, queue, extra), queue=QUEUE)


def _items(study: Study, queue: pd.DataFrame, extra: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A row a queued post, anonymised."""
    serving, posts = Serving(study), study.posts()
    columns = [name for name in ("post_id", "text", "day") if name in posts.columns]
    for start in range(0, len(queue), _TEXTS):
        part = queue.iloc[start : start + _TEXTS]
        held = posts.frame(columns, post_ids=part["post_id"]).set_index("post_id")
        plain = part.astype(object).where(part.notna(), None)
        for row in plain.to_dict("records"):
            if row["post_id"] not in held.index:
                continue
            post = held.loc[row["post_id"]]
            context = {"date": post["day"]} if isinstance(post.get("day"), str) else {}
            names = ("post_id", "target", "rank", "source", "pi", "proba", "review_score", "reason", "readings")
            found = {name: row.get(name) for name in names}
            yield {**found, "text": serving.shown(post.get("text")), "context": context, **extra}


def _keep_round(study: Study, queue: pd.DataFrame, about: dict[str, str]) -> None:
    """Remember which strategy wanted which post, and since when this queue is read."""
    folder = study.folder / ROUNDS
    before = sorted(folder.glob("*.parquet")) if folder.exists() else []
    columns = ["post_id", "arm", "rank_first", "rank_second", "chance"]
    held = queue.loc[queue["source"] == "queue", columns].reset_index(drop=True)
    if before and read_frame(before[-1]).equals(held):
        return
    since = pd.Timestamp.now(tz="UTC").isoformat()
    names = {"first": about.get("strategy", ""), "second": about.get("against", "")}
    path = folder / f"{len(before):04d}.parquet"
    write_frame(held, path, {**names, "since": since, "version": __version__})


# ------------------------------------------------------------------ back to the study


def decision_frame(db: Database) -> pd.DataFrame:
    """All decisions on the desk that stand, oldest first: the fields of :class:`comoderate.annotation.Decision`."""
    rows = [asdict(one) for one in stream_decisions(db, queue=QUEUE)]
    frame = pd.DataFrame(rows, columns=list(Decision.__dataclass_fields__))
    frame["decided_at"] = pd.to_datetime(frame["decided_at"], utc=True)
    for name in ("threshold", "proba", "review_score", "pi", "seconds"):
        frame[name] = frame[name].astype("float64")
    return frame


def collect(study: Study, db: Database | None = None) -> int:
    """Store what was decided on the desk as annotations and in ``decisions.parquet``; gives how many stand.

    Appends only what is new and withdraws what was taken back, so that it may be called at any time.
    """
    if db is None:
        with open_database(study.store_url) as opened:
            return collect(study, opened)
    made = decision_frame(db)
    state = f"{len(made)} {made['decision_id'].iloc[-1] if len(made) else 0}"
    made = made[made["action"] != ESCALATE]
    marker, stored = study.folder / COLLECTED, (study.folder / "decisions.parquet").exists()
    if (marker.exists() and stored and marker.read_text() == state) or (made.empty and not stored):
        return len(made)
    target = cases.target_of(study)
    positive = study.settings.target[target].positive_answers(study.settings.codebook)
    mine = pd.DataFrame(
        {
            "post_id": made["post_id"],
            "target": made["target"].where(made["target"] != "", target),
            "action": made["action"].isin(positive).map({True: "positive", False: "negative"}),
            "answer": made["action"],
            "actor": made["actor"],
            "decided_at": made["decided_at"],
            "source": made["source"],
            "pi": made["pi"],
            "rank": float("nan"),
            "via": VIA,
        }
    )
    before = deciding.decisions(study)
    if "via" in before:
        before = before[before["via"] != VIA]
    deciding.keep(study, pd.concat([part for part in (before, mine) if len(part)] or [mine]))
    with atomic_path(marker) as temporary:
        temporary.write_text(state)
    return len(mine)


# ------------------------------------------------------------------ one moderator's own decisions

REASON_SHOWN = "reason shown"
RECENT = 50


class Made(NamedTuple):
    """A decision as its moderator sees it."""

    decision_id: int
    item_id: int
    post_id: str
    actor: str
    action: str
    stage: str
    decided_at: Any
    text: str = ""
    shown: bool = False

    @property
    def passed_on(self) -> bool:
        """Whether the post was escalated instead of decided."""
        return self.action == ESCALATE


def made_by(db: Database, decision_id: int, actor: str) -> Made | None:
    """The decision, where it is this moderator's own, made on the desk, and stands."""
    found = next(stream_decisions(db, queue=QUEUE, after=decision_id - 1), None)
    if found is None or found.decision_id != decision_id or found.actor != actor or found.item_id is None:
        return None
    return _made(found)


def _made(found: Decision) -> Made:
    return Made(
        found.decision_id, int(found.item_id or 0), found.post_id, found.actor, found.action, found.stage,
        found.decided_at,
    )  # fmt: skip


def may_undo(db: Database, made: Made, *, ignoring_others: bool = False) -> bool:
    """Whether a decision can be taken back: its reason was not shown, and it is the moderator's last.

    Args:
        db: the database.
        made: the decision.
        ignoring_others: whether it need not be the last one.
    """
    if _was_shown(db, made):
        return False
    later = () if ignoring_others else stream_decisions(db, queue=QUEUE, after=made.decision_id)
    return not any(one.actor == made.actor for one in later)


def _was_shown(db: Database, made: Made) -> bool:
    entries = stream_journal(db, event=REASON_SHOWN, actor=made.actor, subject=made.post_id)
    return any(one.detail.get("decision") == made.decision_id for one in entries)


def shown_reason(db: Database, made: Made, *, role: str) -> None:
    """Note that a moderator was shown why a post was in the queue."""
    if not _was_shown(db, made):
        write_journal(
            db, REASON_SHOWN, actor=made.actor, role=role, subject=made.post_id, detail={"decision": made.decision_id}
        )  # fmt: skip


def recent(db: Database, actor: str) -> list[Made]:
    """A moderator's latest decisions that stand, newest first, with their texts."""
    held: deque[Decision] = deque(maxlen=RECENT)
    held.extend(one for one in stream_decisions(db, queue=QUEUE) if one.actor == actor and one.item_id is not None)
    found = []
    for one in reversed(held):
        made = _made(one)
        try:
            text = desk_item(db, made.item_id, actor).text
        except NotFound:
            text = ""
        found.append(made._replace(text=text, shown=_was_shown(db, made)))
    return found
