"""A scorer trained once for each fold, on the other folds, so that every labelled post gets an honest score."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comoderate import models
from comoderate.corpus import atomic_folder
from comoderate.errors import CannotTrainError, ComoderateError
from comoderate.models import Uncertainty
from comoderate.models.batch import doubt_of
from comoderate.models.uncertainty import of_members

CARD = "comoderate.json"
PARTS = 6
"""Fields of an uncertainty that are an array with a number a post."""

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
        """(n,) probabilities, as :meth:`predict` gives them."""
        return self.predict(texts, fold).proba

    def predict(self, texts: Sequence[str], fold: NDArray[np.int64]) -> Uncertainty:
        """What is said of posts in a fold by the member that did not see the fold, else by all members together.

        All members together are an ensemble: the probability is their mean, and where they say how uncertain each of
        them is, how far they differ adds to the epistemic part.

        Args:
            texts: (n,) texts.
            fold: (n,) folds, −1 for posts that no member was trained on.
        """
        said = np.full((len(self.members), PARTS, len(texts)), np.nan)
        for number, (home, member) in enumerate(zip(self.folds, self.members, strict=True)):
            mine = self._scores(home, fold)
            if mine.any():
                found = doubt_of(member, [text for text, use in zip(texts, mine, strict=True) if use])
                said[number, :, mine] = np.array(found[:PARTS], dtype=np.float64).T
        own = np.isin(fold, self.folds)
        out = np.full((PARTS, len(texts)), np.nan)
        for number, home in enumerate(self.folds):
            out[:, fold == home] = said[number][:, fold == home]
        if not own.all():
            rest = said[:, :, ~own]
            both = rest[0] if len(rest) == 1 else of_members(rest[:, 0].T, within=rest[:, 3].T)[:PARTS]
            out[:, ~own] = np.array(both, dtype=np.float64)
        return Uncertainty(*out)

    def saw(self, fold: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n,) whether a member that scores a post of this fold was trained on the fold."""
        pairs = zip(self.folds, self.trained, strict=True)
        seen = [self._scores(home, fold) & np.isin(fold, trained) for home, trained in pairs]
        return np.asarray(np.any(seen, axis=0), dtype=np.bool_)

    def _scores(self, home: int, fold: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray((fold == home) | ~np.isin(fold, self.folds), dtype=np.bool_)


class Material(NamedTuple):
    """The labelled posts that a scorer is trained on, row for row.

    Attributes:
        texts: (n,) texts.
        y: (n,) labels, hard or soft.
        weight: (n,) weights.
        fold: (n,) folds.
        group: (n,) what must not be parted; None where nothing is known.
    """

    texts: Sequence[str]
    y: NDArray[np.float64]
    weight: NDArray[np.float64]
    fold: NDArray[np.int64]
    group: NDArray[np.object_] | None = None

    @classmethod
    def none(cls) -> Material:
        """No post: for scorers that do not learn."""
        return cls([], np.array([]), np.array([]), np.array([], dtype=np.int64))

    def some(self, folds: Sequence[int]) -> Material:
        """The posts of some folds."""
        use = np.isin(self.fold, folds)
        texts = [text for text, used in zip(self.texts, use, strict=True) if used]
        group = None if self.group is None else self.group[use]
        return Material(texts, self.y[use], self.weight[use], self.fold[use], group)


class Workshop(NamedTuple):
    """Where training is kept as it goes, and who hears of it.

    Attributes:
        folder: members that are done, and checkpoints of the one under way; None keeps nothing.
        tell: hears a line for people now and then.
    """

    folder: Path | None = None
    tell: Callable[[str], None] = lambda line: None


def train(
    kind: str,
    options: Mapping[str, Any],
    material: Material,
    *,
    seed: int,
    only: Sequence[int] = (),
    workshop: Workshop | None = None,
) -> CrossFitted:
    """One member for each fold, trained on all the other folds; or a single one, trained on the folds in ``only``.

    Args:
        kind: one of :data:`comoderate.models.KINDS`.
        options: keyword arguments of its class.
        material: the labelled posts.
        seed: for scorers that use random numbers.
        only: folds to train a single member on.
        workshop: where what is done is found again after Ctrl-C or a kill. It must be one for these settings and
            posts alone.

    Raises:
        CannotTrainError: all posts are in one fold, or the labels of some folds are all alike.
    """
    scorer = models.KINDS[kind]
    settings = dict(options)
    if "random_state" in scorer().get_params(deep=False):
        settings["random_state"] = seed
    homes, trained = _plan(scorer, material, only)
    members = []
    for number, (home, folds) in enumerate(zip(homes, trained, strict=True)):
        mine = material.some(folds)
        if scorer.learns and (mine.y.min() == mine.y.max()):
            raise CannotTrainError(
                "without one of the folds, all training labels are alike", do="label more posts of the rarer class"
            )
        which = f"model {number + 1} of {len(homes)}" if len(homes) > 1 else ""
        members.append(_member_of(scorer(**settings), mine, _member(home), which, workshop or Workshop()))
    return CrossFitted(homes, members, trained)


def _plan(
    scorer: type[models.Scorer], material: Material, only: Sequence[int]
) -> tuple[Sequence[int], list[list[int]]]:
    """The fold that each member scores, and the folds that it is trained on."""
    present = sorted(set(material.fold.tolist()))
    if only or not scorer.learns:
        return [EVERY], [[one for one in present if one in only]]
    if len(present) < 2:
        raise CannotTrainError(
            "all labelled posts are in one fold, for they share authors, threads or nearly the same text",
            do="label more different posts",
        )
    return present, [[one for one in present if one != home] for home in present]


def _member_of(scorer: models.Scorer, material: Material, name: str, which: str, workshop: Workshop) -> models.Scorer:
    """A trained member: one that an earlier run finished, or one that is trained now, from its last checkpoint on."""
    kept = None if workshop.folder is None else workshop.folder / name
    if kept is not None and (kept / CARD).is_file():
        return models.load(kept)
    understood = inspect.signature(scorer.fit).parameters
    extra: dict[str, Any] = {}
    if "checkpoint" in understood and workshop.folder is not None:
        extra["checkpoint"] = workshop.folder / "checkpoints"
    if "progress" in understood:
        extra["progress"] = lambda found: workshop.tell(", ".join(filter(None, (which, str(found)))))
    elif which:
        workshop.tell(which)
    if "groups" in understood and material.group is not None:
        extra["groups"] = material.group
    fitted = scorer.fit(material.texts, material.y, sample_weight=material.weight, **extra)
    if kept is not None:
        fitted.save(kept, card={})
    return fitted


def save(fitted: CrossFitted, folder: Path, card: Mapping[str, Any]) -> str:
    """Write all members and a card that says what they were trained on, whole or not at all; gives the version.

    The version is ten hex digits over the members' files.
    """
    with atomic_folder(folder) as temporary:
        for home, member, trained in zip(fitted.folds, fitted.members, fitted.trained, strict=True):
            member.save(temporary / _member(home), card={**card, "folds": trained})
        number = _version([models.digest(temporary / _member(fold)) for fold in fitted.folds])
        members = {_member(home): home for home in fitted.folds}
        trained_on = {_member(home): trained for home, trained in zip(fitted.folds, fitted.trained, strict=True)}
        content = {**card, "version": number, "members": members, "folds": trained_on}
        (temporary / CARD).write_text(json.dumps(content, indent=2, default=str) + "\n", encoding="utf-8")
    return number


def load(folder: Path) -> tuple[CrossFitted, dict[str, Any]]:
    """The scorer that :func:`save` wrote, and its card; a single model that was saved in Python scores every post.

    Raises:
        ComoderateError: there is no whole model.
    """
    if _is_single(folder):
        return CrossFitted([EVERY], [models.load(folder)], [[]]), {}
    card = read_card(folder)
    homes = [int(home) for home in card["members"].values()]
    trained = [[int(fold) for fold in card["folds"][name]] for name in card["members"]]
    return CrossFitted(homes, [models.load(folder / Path(name).name) for name in card["members"]], trained), card


def read_card(folder: Path) -> dict[str, Any]:
    """What the scorer in a folder was trained on, and its version.

    Raises:
        ComoderateError: there is no whole model.
    """
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        if not {"members", "folds", "version"} <= set(card):
            raise ValueError("a key is missing")
    except (FileNotFoundError, ValueError, TypeError):
        raise ComoderateError("there is no trained model here", where=folder, do="run `comoderate train`") from None
    return dict(card)


def version(folder: Path) -> str:
    """The version of the scorer in a folder.

    Raises:
        ComoderateError: there is no whole model.
    """
    return models.digest(folder) if _is_single(folder) else str(read_card(folder)["version"])


def _is_single(folder: Path) -> bool:
    """Whether a folder holds one model as :meth:`comoderate.models.Scorer.save` writes it."""
    try:
        content = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    return isinstance(content, dict) and "settings" in content and "members" not in content


def _member(fold: int) -> str:
    return "all" if fold < 0 else f"fold-{fold}"


def _version(digests: Sequence[str]) -> str:
    return hashlib.blake2b(" ".join(digests).encode(), digest_size=5).hexdigest()
