"""What simulated raters answer on every post of a world, drawn from the measured confusion of real ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.papers.troll_patrol.sources import ANSWERS, Floats, World

COHORTS = ("volunteers", "experts")


@dataclass(frozen=True)
class Ratings:
    """The answers of a cohort on all posts of a world.

    Attributes:
        answer: (n, r) codes, -1 where there are fewer raters.
        type: (n, r) codes of the types, -1 where none was asked for.
        rater: (n, r) who answered, as numbers.
        types: names of the types.
    """

    answer: NDArray[np.int64]
    type: NDArray[np.int64]
    rater: NDArray[np.int64]
    types: list[str]

    @property
    def counts(self) -> NDArray[np.int64]:
        """(n, 3) votes."""
        return np.stack([(self.answer == code).sum(axis=1) for code in range(len(ANSWERS))], axis=1)

    def share(self, at_least: int) -> Floats:
        """(n,) share of the ratings that are at least so severe."""
        rated = self.answer >= 0
        return np.asarray((self.answer >= at_least).sum(axis=1) / rated.sum(axis=1))

    def majority(self, at_least: int) -> Floats:
        """(n,) what most raters say, 1 or 0; NaN where they are tied."""
        share = self.share(at_least)
        return np.where(share == 0.5, np.nan, (share > 0.5).astype(np.float64))

    def three(self, seed: int) -> Ratings:
        """Three of each post's ratings, drawn at random, as the paper took them."""
        rng: np.random.Generator = np.random.default_rng([seed, 31])
        key = np.where(self.answer >= 0, rng.random(self.answer.shape), 2.0)
        first = np.argsort(key, axis=1)[:, :3]
        answer, kind, rater = (np.take_along_axis(one, first, axis=1) for one in (self.answer, self.type, self.rater))
        return Ratings(answer, kind, rater, self.types)

    def rows(self, world: World, post_ids: pd.Series, cohort: str) -> pd.DataFrame:
        """The answers on some posts, a row an answer: post_id, rater_id, question, answer."""
        at = pd.Index(world.posts["post_id"]).get_indexer(pd.Index(post_ids))
        post, column = np.nonzero(self.answer[at] >= 0)
        place = at[post]
        base = pd.DataFrame(
            {
                "post_id": world.posts["post_id"].to_numpy()[place],
                "rater_id": [f"{cohort[0]}{number}" for number in self.rater[place, column]],
            }
        )
        first = base.assign(question="problem", answer=np.array(ANSWERS)[self.answer[place, column]])
        kind = self.type[place, column]
        follow = base[kind >= 0].assign(question="type", answer=np.array(self.types)[kind[kind >= 0]])
        rows: pd.DataFrame = pd.concat([first, follow], ignore_index=True)
        return rows


def rate(world: World, confusion: Floats, cohort: str, *, seed: int) -> Ratings:
    """The answers of a cohort on every post.

    Experts are three, and all of them read each post. Volunteers are 400; three read each post, and up to three more
    a third of the posts. Who calls a post abusive names its true type as often as the confusion says that a positive
    answer is right, else any type.

    Args:
        world: the posts.
        confusion: (3, 3) chances of an answer given the truth.
        cohort: of :data:`COHORTS`.
        seed: of the answers.
    """
    rng: np.random.Generator = np.random.default_rng([seed, 21 + COHORTS.index(cohort)])
    n, widest = len(world.posts), 3 if cohort == "experts" else 6
    truth = world.posts["truth"].to_numpy()
    draw = rng.random((n, widest))
    answer = (draw[:, :, None] > np.cumsum(confusion, axis=1)[truth][:, None, :-1]).sum(axis=2)
    if cohort == "volunteers":
        extra = np.where(rng.random(n) < 1 / 3, rng.integers(1, 4, n), 0)
        answer = np.where(np.arange(widest) < 3 + extra[:, None], answer, -1)
        rater = np.argsort(rng.random((n, 400)), axis=1)[:, :widest] if n <= 20_000 else rng.integers(400, size=(n, 6))
    else:
        rater = np.tile(np.arange(3), (n, 1))
    return Ratings(answer, _types(world, answer, confusion, rng), rater, world.types)


def _types(world: World, answer: NDArray[np.int64], confusion: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    names = world.types
    true = pd.Index(names).get_indexer(pd.Index(world.posts["type"]))
    sure = float(confusion[1:, 1:].sum() / confusion[1:].sum())
    guess = rng.integers(len(names), size=answer.shape)
    right = (rng.random(answer.shape) < sure) & (true >= 0)[:, None]
    return np.where(answer > 0, np.where(right, true[:, None], guess), -1)
