"""The real posts of the simulated campaigns, the corpora that train filters, and how real raters err."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.papers.benchmark import Run
from comoderate.papers.files import read_table

Floats = NDArray[np.float64]

DAVIDSON = "davidson/labeled_data.csv"
MISOGYNY = "misogyny/final_labels.csv"
CONVABUSE = "convabuse/ConvAbuseEMNLPfull.csv"
EDOS = "edos/edos_labelled_aggregated.csv"
WIKI = "wiki_talk/wiki_talk_20k.csv"

ANSWERS = ("No", "Problematic", "Abusive")
_VOTES = ("neither", "offensive_language", "hate_speech")
_SEVERITY = {"is_abuse.1": 0, "is_abuse.0": 0, "is_abuse.-1": 1, "is_abuse.-2": 2, "is_abuse.-3": 2}
TIME = "%Y-%m-%dT%H:%M:%SZ"
TYPES = ("sexism", "racism", "homophobia", "threats", "other")
_SEVERE = ("Derogation", "Treatment")


@dataclass(frozen=True)
class World:
    """All posts of a campaign's world.

    Attributes:
        name: a word.
        what: what the posts are.
        posts: post_id, text, created_at (ISO 8601), group, truth (code of :data:`ANSWERS`), type (text; empty for
            posts that are not abusive).
    """

    name: str
    what: str
    posts: pd.DataFrame

    @property
    def types(self) -> list[str]:
        """The types of abuse that occur."""
        return sorted(set(self.posts["type"]) - {""})


def misogyny(run: Run, seed: int) -> World | None:
    """Reddit posts of 104 days with their real times; Derogation and Treatment count as abusive, the rest between."""
    path = run.file(MISOGYNY)
    if path is None:
        return None
    frame = read_table(path, ["entry_id", "entry_utc", "body", "subreddit", "level_1", "level_2"])
    frame = frame.dropna(subset=["body", "entry_utc"]).drop_duplicates("entry_id")
    positive = frame["level_1"].eq("Misogynistic").to_numpy()
    severe = frame["level_2"].isin(_SEVERE).to_numpy()
    commonest = frame["subreddit"].value_counts().index[:4]
    times = pd.to_datetime(frame["entry_utc"].astype("int64"), unit="s", utc=True)
    posts = pd.DataFrame(
        {
            "post_id": frame["entry_id"].astype(str), "text": frame["body"],
            "created_at": times.dt.strftime(TIME),
            "group": frame["subreddit"].where(frame["subreddit"].isin(commonest), "other"),
            "truth": np.where(positive, np.where(severe, 2, 1), 0),
            "type": np.where(positive, frame["level_2"].fillna("Other").str.replace("_", " "), ""),
        }
    ).reset_index(drop=True)  # fmt: skip
    return World(
        "misogyny", f"{len(posts):,} Reddit posts of 104 days (Guest et al. 2021), with their own times", posts
    )


def davidson(run: Run, seed: int) -> World | None:
    """Tweets without times: all that are neither, and few offensive and hateful ones, over sixty days with bursts.

    The data set is mostly offensive, so the world keeps 500 offensive and 235 hateful tweets beside the 4,163 others:
    15 % in all. Type and group are made up.
    """
    path = run.file(DAVIDSON)
    if path is None:
        return None
    frame = read_table(path, ["tweet", "class", *_VOTES])
    rng: np.random.Generator = np.random.default_rng([seed, 11])
    truth = (2 - frame["class"]).to_numpy()
    kept = [rng.permutation(np.flatnonzero(truth == code))[:size] for code, size in enumerate((None, 500, 235))]
    frame, truth = frame.iloc[np.concatenate(kept)], truth[np.concatenate(kept)]
    volume = rng.dirichlet(np.where(rng.random(60) < 0.1, 12.0, 2.0))
    days = np.sort(rng.choice(60, len(frame), p=volume))[rng.permutation(len(frame))]
    minutes = rng.integers(24 * 60, size=len(frame))
    times = (
        pd.Timestamp("2017-01-01", tz="UTC") + pd.to_timedelta(days, unit="D") + pd.to_timedelta(minutes, unit="min")
    )
    types = rng.choice(
        ("sexism", "racism", "homophobia", "threats", "other"), len(frame), p=(0.4, 0.2, 0.15, 0.05, 0.2)
    )
    posts = pd.DataFrame(
        {
            "post_id": [f"t{number}" for number in frame.index], "text": frame["tweet"],
            "created_at": times.strftime(TIME), "group": rng.choice(("A", "B", "C"), len(frame)),
            "truth": truth, "type": np.where(truth > 0, types, ""),
        }
    ).reset_index(drop=True)  # fmt: skip
    what = f"{len(posts):,} tweets (Davidson et al. 2017), 500 offensive and 235 hateful among them; days made up"
    return World("davidson", what, posts)


def other_corpora(run: Run, world: str) -> dict[str, tuple[list[str], Floats]]:
    """Texts and labels that train a world's filters, none of them from the world itself.

    Returns:
        ``filter`` (for the enriching naive Bayes classifier and the service) and ``davidson`` (for the classifier of
        Davidson et al.); what is missing is left out.
    """
    found: dict[str, tuple[list[str], Floats]] = {}
    wiki, second = run.file(WIKI), run.file(EDOS if world == "davidson" else DAVIDSON)
    if wiki is not None:
        frame = read_table(wiki, ["comment_text", "toxic"])
        found["filter"] = (frame["comment_text"].fillna("").tolist(), frame["toxic"].to_numpy(dtype=np.float64))
    if second is not None and world == "davidson":
        frame = read_table(second, ["text", "label_sexist"])
        found["davidson"] = (frame["text"].tolist(), np.asarray(frame["label_sexist"] == "sexist", dtype=np.float64))
    elif second is not None:
        frame = read_table(second, ["tweet", "class"])
        found["davidson"] = (frame["tweet"].tolist(), np.asarray(frame["class"] < 2, dtype=np.float64))
    return found


def crowd_confusion(run: Run) -> Floats | None:
    """(3, 3) chances of a crowd worker's answer given the majority of the others, from Davidson et al.'s votes."""
    path = run.file(DAVIDSON)
    return None if path is None else confusion(read_table(path, list(_VOTES))[list(_VOTES)].to_numpy(dtype=np.int64))


def expert_confusion(run: Run) -> Floats | None:
    """The same of a trained annotator, from ConvAbuse: ambivalent counts as No, mild as Problematic."""
    found = _convabuse(run)
    if found is None:
        return None
    frame, place = found
    counts = np.zeros((place.max() + 1, 3), dtype=np.int64)
    np.add.at(counts, (place, frame["severity"].to_numpy()), 1)
    return confusion(counts)


def annotator_counts(run: Run) -> dict[str, NDArray[np.int64]] | None:
    """(n, 2) votes of ConvAbuse's real annotators on whether a message is abusive, and on each type where it is.

    Of a type only those vote who call the message at least mildly abusive.
    """
    found = _convabuse(run)
    if found is None:
        return None
    frame, place = found
    abusive = (frame["severity"] > 0).to_numpy()
    types = [name for name in frame.columns if name.startswith("type.")]
    answers = {"problem": (place, abusive)}
    for name in types:
        answers[f"type: {name.removeprefix('type.')}"] = (place[abusive], frame.loc[abusive, name].eq(1).to_numpy())
    tables = {}
    for question, (item, yes) in answers.items():
        counts = np.zeros((place.max() + 1, 2), dtype=np.int64)
        np.add.at(counts, (item, yes.astype(np.int64)), 1)
        tables[question] = counts[counts.sum(axis=1) >= 2]
    return tables


def _convabuse(run: Run) -> tuple[pd.DataFrame, NDArray[np.intp]] | None:
    """ConvAbuse, a row an annotator and message with its ``severity`` as code, and (rows,) numbers of messages."""
    path = run.file(CONVABUSE)
    if path is None:
        return None
    item = ["conv_id", "prev_agent", "prev_user", "agent", "user"]
    frame = read_table(path, [*item, "annotator_id", *_SEVERITY])
    frame = frame.drop_duplicates([*item, "annotator_id"], keep="last")
    ticked = frame[list(_SEVERITY)].to_numpy().argmax(axis=1)
    frame = frame.assign(severity=np.array(list(_SEVERITY.values()))[ticked])
    return frame, np.asarray(frame.groupby(item, dropna=False, sort=False).ngroup(), dtype=np.intp)


def confusion(counts: NDArray[np.int64]) -> Floats:
    """(C, C) chances of one rater's answer given the majority of the other raters of the post.

    Args:
        counts: (n, C) votes; posts on which the others are tied, or absent, say nothing.
    """
    size = counts.shape[1]
    table = np.zeros((size, size))
    for mine in range(size):
        others = counts - np.eye(size, dtype=np.int64)[mine]
        top = others.max(axis=1)
        clear = (counts[:, mine] > 0) & (top > 0) & ((others == top[:, None]).sum(axis=1) == 1)
        np.add.at(table, (others[clear].argmax(axis=1), mine), counts[clear, mine])
    return np.asarray((table + 0.5) / (table + 0.5).sum(axis=1, keepdims=True))
