"""Plain sentences that read a frame's rows aloud."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from comoderate.plots import percent, statistic_name
from comoderate.plots import share as exactly
from comoderate.report.words import (
    estimate,
    is_missing,
    is_percentage,
    level,
    listed,
    quoted,
    several,
    text_of,
    whole,
)

if TYPE_CHECKING:
    import pandas as pd

    from comoderate.report.content import SampleNote

_NEXT_TO_NOTHING = 0.005
_SIZES = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"), (float("inf"), "almost perfect"))


def ended(text: str) -> str:
    """``text`` with a full stop where it has no end of its own."""
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def row_of(frame: pd.DataFrame, **keys: Any) -> pd.Series[Any] | None:
    """The first row with these values, or None."""
    for name, wanted in keys.items():
        frame = frame[frame[name] == wanted]
    return frame.iloc[0] if len(frame) else None


def named(scorer: Any) -> str:
    """A scorer without its version, which tables give."""
    return quoted(str(scorer).partition("@")[0])


def whose(cohort: Any) -> str:
    """'by the labels of volunteers', or nothing where the cohort has no name."""
    name = text_of(cohort)
    return f" by the labels of {name}" if name else ""


def share(row: pd.Series[Any]) -> str:
    """How much there is, in one sentence."""
    unit, target = text_of(row["unit"]) or "posts", quoted(row["target"])
    if is_missing(row["value"]):
        return f"The share of {unit} that are {target} is not known: {text_of(row['reason']) or 'there are no labels'}."
    return f"An estimated {estimate(row)} of {unit} are {target}{whose(row['cohort'])}.{caution(row, row['n'])}"


def caution(row: pd.Series[Any], n: Any, what: str = "label") -> str:
    """What must stand behind a number that rests on few of something; nothing behind others."""
    if not bool(row.get("few", False)) or is_missing(row["value"]):
        return ""
    return f" This rests on {several(n, what)} only: take it for a hint, no more."


def interval(frame: pd.DataFrame) -> str:
    """What the brackets mean."""
    return (
        f"The range in brackets is the {level(frame)} interval: what the number could also be, had other posts been "
        "drawn."
    )


def sample(note: SampleNote) -> str:
    """What was drawn and labelled, and what it stands for."""
    counts = f"{whole(note['drawn'])} posts were drawn and {whole(note['labelled'])} of them labelled"
    return f"Sample {quoted(note['name'])}: {counts}; its numbers are about {note['estimand']}."


def reading(row: pd.Series[Any]) -> str:
    """A coefficient of agreement in plain words; sizes as named by Landis and Koch (1977)."""
    if is_missing(row["value"]):
        return "can't be said"
    value = float(row["value"])
    if is_percentage(str(row["statistic"])):
        return f"{percent(value)} of pairs of answers are the same"
    if value < -_NEXT_TO_NOTHING:
        sure = not is_missing(row["high"]) and float(row["high"]) < 0
        return "systemic disagreement" if sure else "systemic disagreement, or chance"
    if not is_missing(row["low"]) and float(row["low"]) <= 0:
        return "agreement can't be told from guessing"
    return f"{next(word for limit, word in _SIZES if value < limit)} agreement"


def reading_of(rows: pd.DataFrame) -> str:
    """The reading of one question and cohort: that of its first coefficient beyond chance that is defined."""
    percentages = rows["statistic"].astype(str).map(is_percentage)
    defined = rows["value"].notna()
    for chosen in (defined & ~percentages, defined, defined | True):
        if chosen.any():
            return reading(rows[chosen].iloc[0])
    return "can't be said"


def agreement(rows: pd.DataFrame) -> str:
    """The agreement of one cohort on one question as a sentence; ``rows`` are its statistics."""
    question, cohort = quoted(rows["question"].iloc[0]), text_of(rows["cohort"].iloc[0]) or "raters"
    read = reading_of(rows)
    if rows["value"].isna().all():
        why = text_of(rows["reason"].iloc[0]) or "no data"
        return f"On {question}, the agreement of {cohort} can't be said: {why}."
    shown = [
        f"{statistic_name(str(row['statistic']))} {estimate(row, percentage=is_percentage(str(row['statistic'])))}"
        for _, row in rows[rows["value"].notna()].iterrows()
    ]
    say = (
        f"{cohort} show {read}"
        if read.endswith("agreement") or read.startswith("systemic")
        else f"for {cohort}, {read}"
    )
    first = rows[rows["value"].notna()].iloc[0]
    few = caution(first, first["n_items"], "post with two answers")
    return f"On {question}, {say}: {listed(shown)}.{few}"


def can_be_said(frame: pd.DataFrame) -> pd.Series[bool]:
    """Which rows of agreement are of a question and cohort with a coefficient beyond chance that is defined."""
    defined, share = frame["value"].notna(), frame["statistic"].astype(str).map(is_percentage).astype(bool)
    beyond = defined if share.all() else defined & ~share
    keys = [frame[name].astype(str) for name in ("question", "cohort")]
    return beyond.groupby(keys, sort=False).transform("any")


def unsaid(frame: pd.DataFrame) -> list[str]:
    """The agreement that can't be said, a sentence a cohort and reason however many questions there are."""
    missing = frame[~can_be_said(frame)].drop_duplicates(["question", "cohort"])
    missing = missing.assign(cohort=missing["cohort"].map(text_of), reason=missing["reason"].map(text_of))
    return [
        f"On {_questions(part['question'].astype(str).tolist())}, the agreement of {cohort or 'raters'} can't be said: "
        f"{reason or 'no data'}."
        for (cohort, reason), part in missing.groupby(["cohort", "reason"], sort=False)
    ]


def _questions(names: list[str]) -> str:
    """Questions in a few words: the several answers of one question are counted, not named."""
    parts: dict[str, list[str]] = {}
    for name in names:
        parts.setdefault(name.partition(": ")[0], []).append(name)
    told = []
    for question, own in parts.items():
        answers = [name for name in own if name != question]
        told += [quoted(question)] if question in own else []
        told += map(quoted, answers) if len(answers) == 1 else []
        told += [f"{len(answers)} answers to {quoted(question)}"] if len(answers) > 1 else []
    return listed(told)


def best(frame: pd.DataFrame, people: Sequence[str], metric: str = "average_precision") -> pd.Series[Any] | None:
    """The row of the scorer, people aside, with the largest value of a metric over all posts."""
    rows = frame[(frame["metric"] == metric) & (frame["domain"] == "all") & frame["value"].notna()]
    rows = rows[~rows["scorer"].isin(people)]
    return rows.sort_values("value", ascending=False, kind="stable").iloc[0] if len(rows) else None


def best_scorer(frame: pd.DataFrame, people: Sequence[str]) -> list[str]:
    """Which scorer ranks best against one truth, how precise it is, what it finds, and whether that may be chance."""
    top = best(frame, people)
    if top is None:
        targets = listed(map(quoted, frame["target"].unique()))
        return [f"No model or service that scores {targets} has been measured against these labels."]
    truth, scorer = text_of(top["truth"]), named(top["scorer"])
    told = [
        f"Measured against the labels of {truth}, {scorer} ranks posts best for {quoted(top['target'])}: average "
        f"precision {estimate(top, percentage=False)}, where 1 is perfect.{caution(top, top['n'])}"
    ]
    found = {m: row_of(frame, scorer=top["scorer"], metric=m, domain="all") for m in ("precision", "recall")}
    if all(row is not None and not is_missing(row["value"]) for row in found.values()):
        flagged, caught = (estimate(row) for row in found.values() if row is not None)
        told.append(
            f"At its threshold, {flagged} of the posts that it flags are rightly flagged, and it finds {caught} of the "
            "posts that should be."
        )
    return told + _rivals(frame, top, people)


def _rivals(frame: pd.DataFrame, top: pd.Series[Any], people: Sequence[str]) -> list[str]:
    """Which scorers can't be told from the best, by their intervals."""
    rows = frame[(frame["metric"] == top["metric"]) & (frame["domain"] == "all") & ~frame["scorer"].isin(people)]
    rows = rows[(rows["scorer"] != top["scorer"]) & (rows["high"] >= top["low"])]
    if not len(rows):
        return []
    return [f"Its interval overlaps with that of {listed(map(named, rows['scorer']))}: their order may be chance."]


def as_scorers(frame: pd.DataFrame, people: Sequence[str]) -> list[str]:
    """How people do as a classifier."""
    told = []
    for scorer in frame["scorer"][frame["scorer"].isin(people)].unique():
        found = [row_of(frame, scorer=scorer, metric=m, domain="all") for m in ("precision", "recall")]
        if all(row is not None and not is_missing(row["value"]) for row in found):
            flagged, caught = (estimate(row) for row in found if row is not None)
            told.append(
                f"The {scorer}' majority, judged the same way, is right on {flagged} of the posts that it calls "
                f"positive and finds {caught} of those that are."
            )
    return told


def reads_twice(frame: pd.DataFrame) -> bool:
    """Whether some posts are read twice, so that a share of posts read is not the share of readings."""
    return "posts_read" in frame and bool((frame["posts_read"] < frame["review_fraction"]).any())


def at_fraction(frame: pd.DataFrame, fraction: float) -> pd.DataFrame:
    """The rows of the review fraction nearest to ``fraction``."""
    distance = (frame["review_fraction"] - fraction).abs()
    nearest: pd.DataFrame = frame[distance == distance.min()]
    return nearest


def review(frame: pd.DataFrame, fraction: float, scorer: str | None = None) -> list[str]:
    """What moderators' time buys at one review fraction, for one scorer, and which strategy buys more."""
    rows = at_fraction(frame, fraction)
    scorer = scorer if scorer in set(rows["scorer"]) else str(rows["scorer"].iloc[0])
    rows = rows[rows["scorer"] == scorer]
    right = rows[(rows["metric"] == "oracle_collaborative_accuracy") & rows["value"].notna()]
    if not len(right):
        return []
    right = right.sort_values("value", ascending=False, kind="stable")
    top, capacity = right.iloc[0], exactly(float(rows["review_fraction"].iloc[0]))
    read = f"If moderators read the {capacity} of posts"
    if reads_twice(rows):
        first = row_of(rows, strategy=top["strategy"])
        posts = capacity if first is None else exactly(float(first["posts_read"]))
        read = f"If moderators have time for readings of {capacity} of posts, and read, some of them twice, the {posts}"
    told = [
        f"{read} that the {top['strategy']} strategy puts first, {named(scorer)} and moderators together decide "
        f"{estimate(top)} of posts right{_instead(right)}."
    ]
    waste = row_of(rows, metric="review_efficiency", strategy=top["strategy"])
    if waste is not None and not is_missing(waste["value"]):
        told.append(f"On {estimate(waste)} of the posts they read, the model alone would have been wrong.")
    return told


def _instead(right: pd.DataFrame) -> str:
    if len(right) < 2:
        return ""
    last = right.iloc[1]
    if estimate(last) == estimate(right.iloc[0]):
        return f"; the {last['strategy']} strategy gives the same"
    return f", against {estimate(last)} with the {last['strategy']} strategy"
