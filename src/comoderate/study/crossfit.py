"""A scorer that is trained once for each fold, on the other folds, so that every labelled post gets an honest score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comoderate import models
from comoderate.corpus import atomic_folder
from comoderate.errors import ComoderateError

CARD = "comoderate.json"


class CrossFitted:
    """The members of a cross-fitted scorer, one for each fold that was left out.

    Attributes:
        folds: the fold that each member did not see.
        members: the trained scorers.
        learns: whether training used labels at all.
    """

    def __init__(self, folds: Sequence[int], members: Sequence[models.Scorer]) -> None:
        self.folds, self.members = list(folds), list(members)
        self.learns = any(member.learns for member in self.members)

    def predict_proba(self, texts: Sequence[str], fold: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n,) probabilities: of a post in a fold by the member that did not see the fold, else the members' mean.

        Args:
            texts: (n,) texts.
            fold: (n,) folds, −1 for posts that no member was trained on.
        """
        total, count = np.zeros(len(texts)), np.zeros(len(texts))
        for left_out, member in zip(self.folds, self.members, strict=True):
            mine = (fold == left_out) | ~np.isin(fold, self.folds)
            if mine.any():
                total[mine] += member.predict_proba([text for text, use in zip(texts, mine, strict=True) if use])
                count[mine] += 1
        return np.asarray(total / count, dtype=np.float64)


def train(
    kind: str,
    options: Mapping[str, Any],
    texts: Sequence[str],
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    fold: NDArray[np.int64],
    *,
    seed: int,
) -> CrossFitted:
    """One member for each fold, trained on all the other folds.

    Args:
        kind: one of :data:`comoderate.models.KINDS`.
        options: keyword arguments of its class.
        texts, y, weight, fold: (n,) the labelled posts.
        seed: for scorers that use random numbers.

    Raises:
        ComoderateError: all posts are in one fold, or the labels of some folds are all alike.
    """
    scorer = models.KINDS[kind]
    settings = dict(options)
    if "random_state" in scorer().get_params(deep=False):
        settings["random_state"] = seed
    folds = sorted(set(fold.tolist())) if scorer.learns else [-1]
    if scorer.learns and len(folds) < 2:
        raise ComoderateError("all labelled posts are in one fold", do="label posts of more authors or threads")
    members = []
    for left_out in folds:
        use = fold != left_out
        chosen = [text for text, used in zip(texts, use, strict=True) if used]
        members.append(scorer(**settings).fit(chosen, y[use], sample_weight=weight[use]))
    return CrossFitted(folds, members)


def save(fitted: CrossFitted, folder: Path, card: Mapping[str, Any]) -> str:
    """Write all members and a card that says what they were trained on, whole or not at all; gives the version.

    The version is ten hex digits over the members' files.
    """
    with atomic_folder(folder) as temporary:
        for fold, member in zip(fitted.folds, fitted.members, strict=True):
            trained = [other for other in fitted.folds if other != fold]
            member.save(temporary / _member(fold), card={**card, "folds": trained, "left_out": fold})
        version = _version([models.digest(temporary / _member(fold)) for fold in fitted.folds])
        content = {**card, "version": version, "members": {_member(fold): fold for fold in fitted.folds}}
        (temporary / CARD).write_text(json.dumps(content, indent=2, default=str) + "\n", encoding="utf-8")
    return version


def load(folder: Path) -> tuple[CrossFitted, dict[str, Any]]:
    """The scorer that :func:`save` wrote, and its card.

    Raises:
        ComoderateError: there is no whole model.
    """
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        members = dict(card["members"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        raise ComoderateError("there is no trained model here", where=folder, do="run `comoderate train`") from None
    folds = [int(fold) for fold in members.values()]
    return CrossFitted(folds, [models.load(folder / Path(name).name) for name in members]), card


def _member(fold: int) -> str:
    return "all" if fold < 0 else f"fold-{fold}"


def _version(digests: Sequence[str]) -> str:
    import hashlib

    return hashlib.blake2b(" ".join(digests).encode(), digest_size=5).hexdigest()
