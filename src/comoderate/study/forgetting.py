"""Forgetting a post: its text and its id leave the study, counts of strata stay, and estimates say what they lost."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from comoderate.annotation import forget_post, open_database, scrub
from comoderate.corpus import atomic_path, drop_rows, read_frame, read_metadata, write_frame
from comoderate.errors import ComoderateError
from comoderate.study import pushed
from comoderate.study.privacy import hash_key, hash_people
from comoderate.study.scoring import forget_answers

if TYPE_CHECKING:
    from comoderate.study.study import Study

LIST = ".comoderate/forgotten.json"
TOMBSTONE = "forgotten/"
"""How the id begins that a forgotten post has in samples and among annotations, so that counts stay what they were."""

PURPOSE = "forgotten"


class Forgotten(NamedTuple):
    """What was done.

    Attributes:
        posts: how many of the ids were in the study.
        texts: how many texts were removed from the database of annotations.
        files: files of the study that were written again, relative to its folder.
        remain: the user's own files that still name a post; these are not touched.
    """

    posts: int
    texts: int
    files: list[str]
    remain: list[str]


def is_tombstone(post_ids: pd.Series) -> pd.Series:
    """Which rows of a sample stand for a forgotten post."""
    return post_ids.astype(str).str.startswith(TOMBSTONE)


def screen(folder: Path) -> Callable[[pd.Series], pd.Series] | None:
    """Says of ids whether they were forgotten; None where nothing was, so that nothing need be asked."""
    return partial(was_forgotten, folder) if (folder / LIST).exists() else None


def was_forgotten(folder: Path, post_ids: pd.Series) -> pd.Series:
    """Which of these ids were forgotten in the study: they are never imported again."""
    known = _listed(folder)
    if not known:
        return pd.Series(False, index=post_ids.index)
    return hash_people(post_ids.astype(object), hash_key(folder), PURPOSE).isin(known)


def _listed(folder: Path) -> set[str]:
    """The keyed hashes of forgotten ids."""
    path = folder / LIST
    return set(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else set()


def forget(study: Study, post_ids: Sequence[str]) -> Forgotten:
    """Remove posts from the study, as :meth:`comoderate.study.Study.forget` says.

    It can be repeated: what an interruption left is done by the same call again.
    """
    ids = list(dict.fromkeys(post_ids))
    series = pd.Series(ids, dtype=object)
    found = set(study.posts().frame(["post_id"], post_ids=ids)["post_id"])
    unknown = series[~series.isin(list(found)) & ~was_forgotten(study.folder, series)]
    if len(unknown):
        raise ComoderateError(
            f"there is no post {unknown.iloc[0]!r}", where=study.folder, do="check the id; nothing was changed"
        )
    with study.artefacts.lock("posts"), study.artefacts.lock("labels"):
        _list(study.folder, series)
        if "text" in study.posts().columns:
            forget_answers(study, study.posts().frame(["text"], post_ids=ids)["text"].dropna())
        files = [*_datasets(study.folder, ids), *_frames(study.folder, ids)]
        files += [pushed.INBOX] if pushed.forget(study.folder, ids) else []
        texts = _from_database(study, ids)
        _make_stale(study)
    return Forgotten(len(found), texts, files, _still_named(study, ids))


def _from_database(study: Study, ids: list[str]) -> int:
    """Take the posts out of the database of annotations; gives how many texts went."""
    if not (study.store_url.startswith("postgresql") or (study.folder / "annotations.db").exists()):
        return 0
    database = open_database(study.store_url)
    try:
        gone = sum(forget_post(database, post_id, forget_id=True) for post_id in ids)
        scrub(database)
    finally:
        database.close()
    return gone


def _list(folder: Path, ids: pd.Series) -> None:
    """Note the keyed hashes of the ids, before anything else."""
    known = _listed(folder) | set(hash_people(ids, hash_key(folder), PURPOSE))
    with atomic_path(folder / LIST) as temporary:
        temporary.write_text(json.dumps(sorted(known)), encoding="utf-8")


def _datasets(folder: Path, ids: list[str]) -> Iterable[str]:
    """Write datasets (posts, scores, …) without the posts; gives their folders."""
    for manifest in sorted(folder.rglob("manifest.json")):
        is_dataset = any(manifest.parent.glob("part-*.parquet"))
        if is_dataset and drop_rows(manifest.parent, ids):
            yield str(manifest.parent.relative_to(folder))


def _frames(folder: Path, ids: list[str]) -> Iterable[str]:
    """Write single files without the posts; in samples, nameless rows take their place. Gives the files."""
    for path in sorted(folder.rglob("*.parquet")):
        if path.name.startswith("part-") or (path.parent / "manifest.json").exists():
            continue
        frame = read_frame(path)
        if "post_id" not in frame.columns or not frame["post_id"].isin(ids).any():
            continue
        mine = frame["post_id"].isin(ids)
        if path.parent.name == "samples":
            frame.loc[mine, "post_id"] = [f"{TOMBSTONE}{secrets.token_hex(8)}" for _ in range(int(mine.sum()))]
            frame.loc[mine, "cluster"] = None
        else:
            frame = frame[~mine].reset_index(drop=True)
        write_frame(frame, path, read_metadata(path))
        yield str(path.relative_to(folder))


def _make_stale(study: Study) -> None:
    """Models that may have learnt from the texts, labels, results and report are made anew when next asked for."""
    learnt = [name for name, own in study.settings.scorer.items() if own.learns]
    for name in learnt:
        shutil.rmtree(study.folder / "models" / name, ignore_errors=True)
    for folder in ("report", ".comoderate/training"):
        shutil.rmtree(study.folder / folder, ignore_errors=True)
    for path in study.folder.glob("surface/*/to_label.csv"):  # made again by the next round of assessment
        path.unlink()
    kept = ("posts", "annotations:", "raters", "sample:", "scores:")
    for name in study.pipeline.stages:
        if not name.startswith(kept):
            study.artefacts.forget(name)
    study.pipeline.done.clear()


def _still_named(study: Study, ids: list[str]) -> list[str]:
    """The study's source files that hold one of the ids as text."""
    s = study.settings
    named = [study.source("posts", s.posts.path), *(study.source(n, a.path) for n, a in s.annotations.items())]
    if s.mentions.path is not None:
        named.append(study.folder / s.mentions.path)
    paths = list(dict.fromkeys(path for path in named if path is not None and path.exists()))
    return [str(path) for path in paths if _holds(path, ids)]


def _holds(path: Path, ids: list[str]) -> bool:
    """Whether a file may hold one of the ids: looked for in its bytes; packed files are taken to."""
    if path.suffix in {".gz", ".parquet", ".pq"}:
        return True
    wanted, tail = [value.encode() for value in ids], b""
    longest = max(map(len, wanted), default=0)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            if any(value in tail + block for value in wanted):
                return True
            tail = block[-longest:]
    return False
