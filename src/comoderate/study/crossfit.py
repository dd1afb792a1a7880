"""A scorer trained once for each fold, on the other folds, so that every labelled post gets an honest score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comoderate import models
from comoderate.corpus import atomic_folder
from comoderate.errors import CannotTrainError, ComoderateError

CARD = "comoderate.json"


EVERY = -1
"""In place of a fold that was left out: the member scores every post."""


class CrossFitted:
    """The members of a scorer: one for each fold that was left out, or a single one for all posts.

    Attributes:
        folds: the fold that each member scores; :data:`EVERY` for a single member.
        members: the trained scorers.
        trained: the folds that each member was trained on.
        learns: whether training used labels at all.
    """

    def __init__(
        self, folds: Sequence[int], members: Sequence[models.Scorer], trained: Sequence[Sequence[int]]
    ) -> None:
        self.folds, self.members, self.trained = list(folds), list(members), [list(one) for one in trained]
        self.learns = any(member.learns for member in self.members)

    def predict_proba(self, texts: Sequence[str], fold: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n,) probabilities: of a post in a fold by the member that did not see the fold, else the members' mean.

        Args:
            texts: (n,) texts.
            fold: (n,) folds, −1 for posts that no member was trained on.
        """
        total, count = np.zeros(len(texts)), np.zeros(len(texts))
        for home, member in zip(self.folds, self.members, strict=True):
            mine = self._scores(home, fold)
            if mine.any():
                total[mine] += member.predict_proba([text for text, use in zip(texts, mine, strict=True) if use])
                count[mine] += 1
        return np.asarray(total / count, dtype=np.float64)

    def saw(self, fold: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n,) whether a member that scores a post of this fold was trained on the fold."""
        pairs = zip(self.folds, self.trained, strict=True)
        seen = [self._scores(home, fold) & np.isin(fold, trained) for home, trained in pairs]
        return np.asarray(np.any(seen, axis=0), dtype=np.bool_)

    def _scores(self, home: int, fold: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray((fold == home) | ~np.isin(fold, self.folds), dtype=np.bool_)


def train(
    kind: str,
    options: Mapping[str, Any],
    texts: Sequence[str],
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    fold: NDArray[np.int64],
    *,
    seed: int,
    only: Sequence[int] = (),
) -> CrossFitted:
    """One member for each fold, trained on all the other folds; or a single one, trained on the folds in ``only``.

    Args:
        kind: one of :data:`comoderate.models.KINDS`.
        options: keyword arguments of its class.
        texts, y, weight, fold: (n,) the labelled posts.
        seed: for scorers that use random numbers.
        only: folds to train a single member on.

    Raises:
        ComoderateError: all posts are in one fold, or the labels of some folds are all alike.
    """
    scorer = models.KINDS[kind]
    settings = dict(options)
    if "random_state" in scorer().get_params(deep=False):
        settings["random_state"] = seed
    present = sorted(set(fold.tolist()))
    if only or not scorer.learns:
        homes, trained = [EVERY], [[one for one in present if one in only]]
    else:
        homes, trained = present, [[one for one in present if one != home] for home in present]
        if len(present) < 2:
            raise CannotTrainError(
                "all labelled posts are in one fold, for they share authors, threads or nearly the same text",
                do="label more different posts",
            )
    members = []
    for folds in trained:
        use = np.isin(fold, folds)
        if scorer.learns and (y[use].min() == y[use].max()):
            raise CannotTrainError(
                "without one of the folds, all training labels are alike", do="label more posts of the rarer class"
            )
        chosen = [text for text, used in zip(texts, use, strict=True) if used]
        members.append(scorer(**settings).fit(chosen, y[use], sample_weight=weight[use]))
    return CrossFitted(homes, members, trained)


def save(fitted: CrossFitted, folder: Path, card: Mapping[str, Any]) -> str:
    """Write all members and a card that says what they were trained on, whole or not at all; gives the version.

    The version is ten hex digits over the members' files.
    """
    with atomic_folder(folder) as temporary:
        for home, member, trained in zip(fitted.folds, fitted.members, fitted.trained, strict=True):
            member.save(temporary / _member(home), card={**card, "folds": trained})
        version = _version([models.digest(temporary / _member(fold)) for fold in fitted.folds])
        members = {_member(home): home for home in fitted.folds}
        trained_on = {_member(home): trained for home, trained in zip(fitted.folds, fitted.trained, strict=True)}
        content = {**card, "version": version, "members": members, "folds": trained_on}
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
    homes = [int(home) for home in members.values()]
    trained = [[int(fold) for fold in card["folds"][name]] for name in members]
    return CrossFitted(homes, [models.load(folder / Path(name).name) for name in members], trained), card


def _member(fold: int) -> str:
    return "all" if fold < 0 else f"fold-{fold}"


def _version(digests: Sequence[str]) -> str:
    return hashlib.blake2b(" ".join(digests).encode(), digest_size=5).hexdigest()
