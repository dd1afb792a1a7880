"""Assessment, round by round: answers come in, the surface is fitted again, and the next posts to label are chosen.

Everything that a round needs to go on from is on disk before it is told: answers in the annotation store, proposed
posts in ``surface/<scorer>/proposed.parquet``. A round that is killed is simply run again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate import __version__
from comoderate.annotation import Row, open_database
from comoderate.corpus import atomic_path, write_frame
from comoderate.errors import ComoderateError
from comoderate.sampling import uniform
from comoderate.study import decisions, making_surface, people, surface_tables, surfaces
from comoderate.study.arms import surface_settings
from comoderate.study.loading import FILE
from comoderate.study.making_surface import SurfaceResult
from comoderate.study.settings.surface import CHARACTERS
from comoderate.study.surfaces import Assessed, Fitted
from comoderate.surface import STRATEGIES, Stop, propose

if TYPE_CHECKING:
    from comoderate.study.study import Study

Floats = NDArray[np.float64]
TO_LABEL = "to_label.csv"
PREFIX = "assess/"
"""How the ids of answers to proposed posts begin."""


class Assessment(NamedTuple):
    """A round of assessment.

    Attributes:
        batch: the posts to label now, in random order: post_id, text (anonymised unless the study says not).
        path: the file that holds them, with an empty column ``answer`` to fill in.
        answers: answers read from a file, of which ``new`` were not known.
        surface: what is known after them.
        known: how many of the arms that count are known to within the margin; ``counted`` is how many count.
        reached: whether all of them are, so that nothing more need be labelled.
        sentences: all this in words.
    """

    batch: pd.DataFrame
    path: Path
    answers: int
    new: int
    surface: SurfaceResult
    known: int
    counted: int
    reached: bool
    sentences: list[str]


def assess(
    study: Study,
    scorer: str,
    *,
    size: int | None = None,
    answers: str | Path | None = None,
    strategy: str | None = None,
) -> Assessment:
    """One round for a scorer.

    Args:
        study: with posts, and scores of the scorer.
        scorer: its name.
        size: posts to label next; by default ``next`` under ``[assess]``. Posts that were proposed before and have no
            answer yet come first.
        answers: a CSV of post_id, answer and, if need be, rater: answers to posts that were proposed.
        strategy: what chooses arms; by default that of ``[assess]``.

    Raises:
        ComoderateError: an answer to a post that was never proposed, or one that the codebook does not have.
    """
    if strategy is not None and strategy not in STRATEGIES:
        raise ComoderateError(f"there is no strategy {strategy!r}", do=f"choose from {', '.join(STRATEGIES)}")
    with study.artefacts.lock(f"surface:{scorer}"):
        told, new = (0, 0) if answers is None else _store(study, scorer, Path(answers))
        if study.has_annotations():
            study.relabel()
        fitted = making_surface.fit(study, scorer, warm=True)
        history = _remember(study, fitted)
        scales = making_surface.scales_of(fitted)
        batch = _batch(study, fitted, study.settings.assess.next if size is None else size, strategy)
        result = making_surface.describe(study, fitted, curve=history if len(history) > 1 else None)
        making_surface.write(study, result, scales)
    _give_out(study, scorer)
    known, counted = int(history["known"].iloc[-1]), int(history["arms"].iloc[-1])
    path = making_surface.folder_of(study, scorer) / TO_LABEL
    reached = known == counted
    said = _sentences(study, result, batch, path, known, counted)
    return Assessment(batch, path, told, new, result, known, counted, reached, said)


def _give_out(study: Study, scorer: str) -> None:
    """Let the web application, which may be running, give out the proposed posts in campaigns that ask for them."""
    if not any(asked.order == "surface" for asked in study.settings.campaign.values()):
        return
    from comoderate.study.serving import Serving

    with open_database(study.store_url) as db:
        Serving(study).extend(db, scorer)


def scorer_of(study: Study) -> str:
    """The scorer that is assessed where none is named: the reviewed one, or the first whose surface is asked for.

    Raises:
        ComoderateError: the study has no scorer.
    """
    named = study.settings.review.scorer
    first = next(iter((*making_surface.reported(study), *study.settings.scorer)), None)
    if named is None and first is None:
        raise ComoderateError("the study has no scorer", where=study.folder / FILE, do="add [scorer.…]")
    return named or str(first)


def outstanding(study: Study, scorer: str) -> pd.Series:
    """Ids of the posts that were proposed and have no answer yet, in the order in which they are to be labelled."""
    asked = surfaces.proposed(study, scorer)["post_id"].astype(object)
    if asked.empty or not study.has_annotations():
        return asked
    labels = study.labels(study.target_of(scorer))
    cohort = surfaces.cohort_of(study, study.target_of(scorer))
    return asked[~asked.isin(labels.loc[labels["cohort"] == cohort, "post_id"])].reset_index(drop=True)


def _batch(study: Study, fitted: Fitted, size: int, strategy: str | None) -> pd.DataFrame:
    """The next posts: those still open, filled up with new ones; both files are written before it is told."""
    scorer = fitted.found.scorer
    folder, waiting = making_surface.folder_of(study, scorer), outstanding(study, scorer)
    asked = surfaces.proposed(study, scorer)
    while len(waiting) < size:
        chosen = _choose(study, fitted, size - len(waiting), asked["post_id"], strategy)
        if chosen.empty:
            break
        number = 1 + (0 if asked.empty else int(asked["round"].max()))
        rows = {"post_id": chosen, "round": number, "proposed_at": pd.Timestamp.now(tz="UTC").floor("s")}
        asked = pd.concat([asked, pd.DataFrame(rows)]) if len(asked) else pd.DataFrame(rows)
        write_frame(asked, folder / surfaces.PROPOSED, {"version": __version__})
        waiting = outstanding(study, scorer)
    batch = people.with_text(study, waiting.head(size).rename("post_id").to_frame().reset_index(drop=True))
    with atomic_path(folder / TO_LABEL) as temporary:
        batch.assign(answer="").to_csv(temporary, index=False)
    return batch


def _choose(study: Study, fitted: Fitted, size: int, asked: pd.Series, strategy: str | None) -> pd.Series:
    """Ids of new posts: arms by the strategy, among those that count first; within each, posts at random."""
    found, own = fitted.found, study.settings.assess
    table, ids = found.table, found.arms.post_id
    free = ~found.known & ~ids.isin(asked)
    left = np.bincount(table.index[free], minlength=len(table.arms)).astype(np.float64)
    counted = surface_tables.counted_arms(found, own.min_posts or surface_settings(study).min_posts)
    allowed = counted if left[counted].any() else np.ones(len(left), dtype=bool)
    seed = study.settings.study.seed
    cost = _cost(study, found) / np.maximum(found.relevant, 0.01)
    done = np.maximum(table.pool_size - left, 0.0)
    arms = np.flatnonzero(allowed)[
        propose(
            fitted.surface, table.arms[allowed], pool_size=(done + left)[allowed], n=done[allowed], size=size,
            strategy=strategy or own.strategy, cost=cost[allowed], random_state=seed + len(asked),
        )
    ]  # fmt: skip
    u = uniform(seed, "assess", ids)
    order = np.flatnonzero(free)[np.argsort(u[free], kind="stable")]
    places = [order[table.index[order] == arm][:wanted] for arm, wanted in zip(*np.unique(arms, return_counts=True))]
    chosen = np.concatenate([*places, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    shuffled = chosen[np.argsort(uniform(seed, "assess:order", ids[chosen]), kind="stable")]
    return pd.Series(ids[shuffled], dtype=object)


def _cost(study: Study, found: Assessed) -> Floats:
    """(A,) what a label costs in each arm: the mean of its posts, those without a cost taken to be like the others."""
    wanted, index = study.settings.assess.cost, found.table.index
    if wanted is None:
        return np.ones(len(found.table.arms))
    column = "text" if wanted == CHARACTERS else wanted
    values = study.posts().frame(["post_id", column]).set_index("post_id")[column].reindex(found.arms.post_id)
    cost = values.str.len() if wanted == CHARACTERS else pd.to_numeric(values, errors="coerce")
    bad = values.notna() & ~(cost > 0)
    if (bad.any() and wanted != CHARACTERS) or cost.isna().all():
        raise ComoderateError(
            f"{str(values[bad].iloc[0])[:40]!r} is no cost" if bad.any() else "no post has a cost",
            where=f"attribute {wanted}" + (f", post {values.index[bad][0]}" if bad.any() else ""),
            do="costs are numbers above 0; leave them empty where they are unknown",
        )
    each = cost.clip(lower=1e-9).to_numpy(dtype=np.float64)
    known = np.isfinite(each)
    total, count = (np.bincount(index[known], weights=w[known], minlength=len(found.table.arms)) for w in (each, known))
    mean = float(each[known].mean())
    return np.asarray(np.divide(total, count, out=np.full(len(total), mean), where=count > 0) / mean)


def _remember(study: Study, fitted: Fitted) -> pd.DataFrame:
    """The history with this round as its last row; a row a number of labels."""
    own, assess_ = surface_settings(study), study.settings.assess
    least = assess_.min_posts or own.min_posts
    now = surface_tables.progress(fitted.found, fitted.surface, level=own.level, min_posts=least)
    counted = surface_tables.counted_arms(fitted.found, least)
    estimated = surface_tables.best_known(fitted.found, fitted.surface, counted, level=own.level)
    now["known"] = float(Stop(least, assess_.margin).within(estimated).sum())
    before = making_surface.rounds(study, fitted.found.scorer)
    earlier = before[before["labels"] < now["labels"]]
    history = pd.concat([earlier, pd.DataFrame([now])], ignore_index=True) if len(earlier) else pd.DataFrame([now])
    write_frame(
        history, making_surface.folder_of(study, fitted.found.scorer) / "rounds.parquet", {"version": __version__}
    )
    return history


def _store(study: Study, scorer: str, path: Path) -> tuple[int, int]:
    """Add the answers in a file to the store; gives how many it holds, and how many of them are new."""
    s, name = study.settings, study.target_of(scorer)
    question, cohort = s.target[name].question, surfaces.cohort_of(study, name)
    new = decisions.read_answers(path, s.codebook, s.target[name], name, said="answer", who="rater", by="assessor")
    asked = set(surfaces.proposed(study, scorer)["post_id"])
    strange = new[~new["post_id"].isin(asked)]
    if len(strange):
        first = strange.iloc[0]
        raise ComoderateError(
            f"the post {first['post_id']!r} was not proposed for {scorer!r}",
            where=f"{path.name}, column post_id, row {first['row']}",
            do=f"answer the posts of {making_surface.folder_of(study, scorer) / TO_LABEL}: only those are random "
            "within their arm",
        )
    with study.store() as store:
        held = store.snapshot(sources=["assess"])
        mine = held[(held["question"] == question) & held["response_id"].str.startswith(PREFIX)]
        live = {(r.post_id, r.rater_id): (r.response_id, r.answer) for r in mine.itertuples()}
        rows = list(_rows(new, live, cohort, s.codebook.label, question))
        store.append(rows)
    return len(new), len(rows)


def _rows(
    new: pd.DataFrame, live: dict[Any, tuple[Any, Any]], cohort: str, codebook: str, question: str
) -> Iterator[Row]:
    """Answers that are not in the store yet; one that differs from what the rater said before supersedes it."""
    one: Any
    for one in new.drop_duplicates(["post_id", "actor"], keep="last").itertuples():
        before, said = live.get((one.post_id, one.actor), (None, None))
        if said == one.answer:
            continue
        parts = "\x1f".join(map(str, (one.post_id, one.actor, one.answer, question, before)))
        yield {
            "response_id": PREFIX + hashlib.blake2b(parts.encode(), digest_size=20).hexdigest(),
            "post_id": one.post_id,
            "rater_id": one.actor,
            "cohort": cohort,
            "source": "assess",
            "codebook": codebook,
            "question": question,
            "answer": one.answer,
            "created_at": pd.Timestamp(one.decided_at).to_pydatetime(),
            "supersedes": before,
        }


def _sentences(
    study: Study, result: SurfaceResult, batch: pd.DataFrame, path: Path, known: int, counted: int
) -> list[str]:
    own = study.settings.assess
    least, margin = own.min_posts or result.about.min_posts, f"{100 * own.margin:g}"
    told = f"{known:,} of the {counted:,} arms with {least} posts or more are known to ± {margin} points"
    if known == counted:
        return [f"{told}: nothing more need be labelled."]
    if batch.empty:
        return [f"{told}; no post is left to label."]
    return [f"{told}; label the {len(batch):,} posts in {path} next."]
