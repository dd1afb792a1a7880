"""The environments: where models are trained and tested, and where they are deployed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.errors import ComoderateError
from comoderate.papers.benchmark import ABOVE, Run
from comoderate.papers.files import AS_PUBLISHED, read_table, shares

Floats = NDArray[np.float64]

JIGSAW = "wikipedia_talk"
"""Folder with Jigsaw's CSV files, or with the original annotations."""
JIGSAW_FILES = (("train.csv", "test.csv"), ("wikidata_train.csv", "wikidata_test.csv"))
"""The files' names as the competition has them, and in the archive that the paper's public code reads."""
WIKI = "wiki_talk/wiki_talk_20k.csv"
PRIVATE = "test_private_expanded"
CIVIL = tuple(
    f"civil_comments/{name}.csv" for name in ("civil_comments", PRIVATE, "all_data", "all_data_with_identities", "test")
)
"""CivilComments as it is published: the archive's own file, the competition's (the paper's comments are the private
test), all of it, and as WILDS splits it."""
SPLITS = ("test_private", "test")
"""The splits that are deployed on, the first that a file has."""
CIVIL_SAMPLE = "civil_comments/civil_comments_1k.csv"
OWN = ("environments/train.csv", "environments/test.csv", "environments/deployment.csv")

IDENTITIES = (
    "male", "female", "transgender", "other_gender", "heterosexual", "homosexual_gay_or_lesbian", "bisexual",
    "other_sexual_orientation", "christian", "jewish", "muslim", "hindu", "buddhist", "atheist", "other_religion",
    "black", "white", "asian", "latino", "other_race_or_ethnicity", "physical_disability",
    "intellectual_or_learning_disability", "psychiatric_or_mental_illness", "other_disability",
)  # fmt: skip
"""The identity attributes of CivilComments; one is present at 0.5 and above."""


@dataclass(frozen=True)
class Posts:
    """Posts with labels.

    Attributes:
        name: of the environment.
        what: where they come from.
        texts: (n) texts.
        toxicity: (n,) share of raters who called the post toxic, or 0 and 1.
        weight: (n,) weights.
        identities: for each identity (n,) whether the post mentions it.
        above: a post is toxic where its toxicity is above this.
    """

    name: str
    what: str
    texts: list[str]
    toxicity: Floats
    weight: Floats
    identities: dict[str, NDArray[np.bool_]]
    above: float = 0.5

    @property
    def y(self) -> NDArray[np.int64]:
        """(n,) 1 where toxic."""
        return (self.toxicity > self.above).astype(np.int64)

    @property
    def any_toxicity(self) -> NDArray[np.int64]:
        """(n,) 1 where any rater called the post toxic: what the public code takes for toxic in its AUROC."""
        return (self.toxicity > 0).astype(np.int64)

    def take(self, rows: NDArray[np.intp]) -> Posts:
        """Some of the posts."""
        identities = {name: held[rows] for name, held in self.identities.items()}
        texts = [self.texts[row] for row in rows]
        return replace(self, texts=texts, toxicity=self.toxicity[rows], weight=self.weight[rows], identities=identities)

    def at_rate(self, rate: float) -> Posts:
        """The same posts, the toxic ones weighted so that they are a share ``rate`` of all."""
        y = self.y
        toxic, rest = float(self.weight[y == 1].sum()), float(self.weight[y == 0].sum())
        factor = rate / (1 - rate) * rest / toxic
        return replace(self, weight=np.where(y == 1, self.weight * factor, self.weight))


@dataclass(frozen=True)
class Environments:
    """What a run needs: posts to train on, to calibrate on, to test on, and those of the deployment."""

    train: Posts
    validation: Posts
    test: Posts
    deployment: Posts


def labelled(
    name: str, what: str, frame: pd.DataFrame, text: str, toxicity: str, *, above: float = 0.5, weight: str = ""
) -> Posts:
    """Posts of a table.

    Args:
        name: of the environment.
        what: where the posts come from.
        frame: a row a post.
        text: the column of texts.
        toxicity: the column of shares of raters, or of 0 and 1.
        above: a post is toxic where its share is above this.
        weight: the column of weights, if there is one of that name.
    """
    held = {one: frame[one].fillna(0).to_numpy() >= 0.5 for one in IDENTITIES if one in frame.columns}
    weights = frame[weight].to_numpy(dtype=np.float64) if weight in frame.columns else np.ones(len(frame))
    texts = frame[text].fillna("").astype(str).tolist()
    return Posts(name, what, texts, frame[toxicity].to_numpy(dtype=np.float64), weights, held, above)


def _column(path: Path, frame: pd.DataFrame, names: Sequence[str]) -> str:
    for name in names:
        if name in frame.columns:
            return name
    raise ComoderateError(
        f"there is no column {' or '.join(map(repr, names))}", where=path, do="take a file that has texts and labels"
    )


def wikipedia(run: Run) -> tuple[Posts, Posts] | None:
    """Training and test posts of Wikipedia talk: Jigsaw's CSV files, the original annotations, or a small sample."""
    folder = run.options.data / JIGSAW
    for names in JIGSAW_FILES:
        if (folder / names[0]).is_file():
            return _jigsaw(folder, *names)
    if (folder / "toxicity_annotated_comments.tsv").is_file():
        return _annotated(folder)
    path = run.file(WIKI)
    if path is None:
        return None
    frame = read_table(path, ["comment_text", "toxic"])
    frame = frame.iloc[np.random.default_rng(0).permutation(len(frame))]
    whole = labelled("Wikipedia talk", f"a sample of {len(frame):,} comments", frame, "comment_text", "toxic")
    split = 4 * len(frame) // 5
    return whole.take(np.arange(split)), whole.take(np.arange(split, len(frame)))


def _jigsaw(folder: Path, taught: str, tested: str) -> tuple[Posts, Posts]:
    """Jigsaw's posts to learn from and to test on.

    The competition's test posts have their labels in ``test_labels.csv``, where −1 marks comments without one.

    Args:
        folder: of the files.
        taught, tested: the files' names.
    """
    train = read_table(folder / taught, ["comment_text", "toxic"])
    test = read_table(folder / tested, ["comment_text"])
    if "toxic" not in test.columns:
        labels = read_table(folder / "test_labels.csv", ["id", "toxic"])
        test = read_table(folder / tested, ["id", "comment_text"]).merge(labels[["id", "toxic"]], on="id")
    test = test[test["toxic"] >= 0].reset_index(drop=True)
    parts = []
    for name, frame in ((taught, train), (tested, test)):
        if frame.empty:
            raise ComoderateError("no comment has a label", where=folder / name, do=AS_PUBLISHED)
        shares(folder / name, frame, "toxic")
        what = f"{len(frame):,} comments of Jigsaw's {name}"
        parts.append(labelled("Wikipedia talk", what, frame, "comment_text", "toxic"))
    return parts[0], parts[1]


def _annotated(folder: Path) -> tuple[Posts, Posts]:
    """The original annotations: some ten raters a comment, whose share of "toxic" is the toxicity."""
    path = folder / "toxicity_annotated_comments.tsv"
    comments = read_table(path, ["rev_id", "comment", "split"], sep="\t")
    votes = read_table(folder / "toxicity_annotations.tsv", ["rev_id", "toxicity"], sep="\t")
    comments["toxicity"] = comments["rev_id"].map(votes.groupby("rev_id")["toxicity"].mean())
    comments["comment"] = comments["comment"].str.replace("NEWLINE_TOKEN", "\n").str.replace("TAB_TOKEN", "\t")
    comments = comments.dropna(subset=["toxicity"])
    held = comments["split"] == "test"
    if not 0 < held.sum() < len(held):
        raise ComoderateError(
            "rated comments are not split into train and test", where=path, do="check the columns rev_id and split"
        )
    parts = [comments[~held], comments[held]]
    train, test = (
        labelled("Wikipedia talk", f"{len(part):,} comments with their raters", part, "comment", "toxicity")
        for part in parts
    )
    return train, test


def civil_comments(run: Run) -> Posts | None:
    """CivilComments' test comments: the whole set with soft labels and identities, or a small sample.

    Of the small sample labels are known only as 0 and 1; else a comment is toxic where the share of its raters who
    say so is above ``run.options.above``.

    Args:
        run: notes what is missing.
    """
    for name in CIVIL:
        path = run.options.data / name
        if path.is_file():
            return _civil(path, run.options.above)
    sample = run.file(CIVIL_SAMPLE)
    if sample is None:
        return None
    frame = read_table(sample, ["comment_text", "toxic"])
    whole = labelled("CivilComments", f"a sample of {len(frame):,} comments", frame, "comment_text", "toxic")
    small = whole.at_rate(0.025)
    return replace(small, what=f"{small.what}, toxic ones weighted to the 2.5 % of the whole set")


def _civil(path: Path, above: float) -> Posts:
    frame = read_table(path)
    text = _column(path, frame, ["comment_text", "text"])
    toxicity = _column(path, frame, ["toxicity", "target"])
    if "split" in frame.columns and path.stem != PRIVATE:
        split = next((one for one in SPLITS if frame["split"].eq(one).any()), None)
        if split is None:
            known = ", ".join(sorted(map(str, frame["split"].unique())))
            raise ComoderateError(f"there is no split {' or '.join(SPLITS)}, only {known}", where=path, do=AS_PUBLISHED)
        frame = frame[frame["split"] == split]
    frame = frame.dropna(subset=[toxicity])
    shares(path, frame, toxicity)
    what = f"{len(frame):,} comments of {path.name}" + ("" if above == ABOVE else f", toxic above {above:g}")
    return labelled("CivilComments", what, frame, text, toxicity, above=above)


def own(run: Run) -> tuple[Posts, Posts, Posts] | None:
    """Three files of one's own with columns text, toxic and, where wanted, weight and identities."""
    paths = [run.options.data / name for name in OWN]
    if not all(path.is_file() for path in paths):
        return None
    parts = []
    for path in paths:
        frame = read_table(path, ["text", "toxic"])
        shares(path, frame, "toxic")
        parts.append(
            labelled(path.stem, f"{len(frame):,} posts of {path.name}", frame, "text", "toxic", weight="weight")
        )
    return parts[0], parts[1], parts[2]


def load(run: Run) -> Environments:
    """The environments: one's own where they are given, else Wikipedia talk and CivilComments.

    An eighth of what is to be trained on is held out to calibrate on.

    Raises:
        ComoderateError: a corpus is missing.
    """
    mine = own(run)
    if mine is not None:
        train, test, deployment = mine
    else:
        found, civil = wikipedia(run), civil_comments(run)
        if found is None or civil is None:
            raise ComoderateError(
                "Wikipedia talk and CivilComments are not both here", where=run.options.data,
                do=f"it needs {WIKI} or {JIGSAW}/, and {CIVIL[1]} or {CIVIL_SAMPLE}; or three files in environments/",
            )  # fmt: skip
        (train, test), deployment = found, civil
    order = np.random.default_rng(1).permutation(len(train.texts))
    held = len(order) // 8
    return Environments(train.take(order[held:]), train.take(order[:held]), test, deployment)
