"""Posts that programs push: kept in the study's ``inbox`` until the next import takes them in beside the file's."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from comoderate.corpus import atomic_path
from comoderate.errors import ComoderateError
from comoderate.study.settings import PostsSettings

if TYPE_CHECKING:
    from comoderate.study.study import Study

INBOX = "inbox"
_PLAIN = ("text", "created_at", "author", "thread", "views")
_accepting = threading.Lock()


class Accepted(NamedTuple):
    """What became of pushed posts: how many were stored, and ids of those that were there already."""

    stored: int
    known: list[str]


def settings_of(own: PostsSettings) -> PostsSettings:
    """How the files in the inbox name what a study keeps of a post."""
    named = {name: name if getattr(own, name) else None for name in _PLAIN}
    return own.model_copy(
        update={
            **named,
            "path": None,
            "format": "jsonl",
            "encoding": "utf-8",
            "post_id": "post_id",
            "attributes": {name: f"attribute {name}" for name in own.attributes},
            "scores": {name: f"score {name}" for name in own.scores},
        }
    )


def files(folder: Path) -> list[Path]:
    """The files in the inbox, oldest first."""
    return sorted((folder / INBOX).glob("*.jsonl"))


def accept(study: Study, posts: Iterable[Mapping[str, Any]]) -> Accepted:
    """Store pushed posts, all of them or none; on the disk before this returns. The next import takes them in.

    Args:
        study: whose.
        posts: post_id, text, created_at, author, thread, views, and the mappings attributes and scores.

    Raises:
        ComoderateError: a post lacks what the study keeps of every post, or says what it does not keep.
    """
    own = study.settings.posts
    rows = {str(post["post_id"]): _row(post, own) for post in posts}
    with _accepting:
        known = _known(study)
        new = [row for post_id, row in rows.items() if post_id not in known]
        if new:
            now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
            path = study.folder / INBOX / f"{now}-{secrets.token_hex(4)}.jsonl"
            with atomic_path(path) as temporary:
                lines = (json.dumps(row, ensure_ascii=False) for row in new)
                temporary.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="replace")
    return Accepted(len(new), [post_id for post_id in rows if post_id in known])


def _row(post: Mapping[str, Any], own: PostsSettings) -> dict[str, Any]:
    where = f"post {post['post_id']!r}"
    row: dict[str, Any] = {"post_id": str(post["post_id"])}
    for name in _PLAIN:
        value = post.get(name)
        if name in {"text", "created_at"} and getattr(own, name) and value in (None, ""):
            raise ComoderateError(f"the study needs {name} of every post", where=where, do="give it")
        if getattr(own, name):
            row[name] = value.isoformat() if isinstance(value, datetime) else value
    for kind, key in (("attributes", "attribute"), ("scores", "score")):
        wanted = getattr(own, kind)
        given = post.get(kind) or {}
        strange = sorted(set(given) - set(wanted))
        if strange:
            listed = ", ".join(wanted) or "none"
            raise ComoderateError(f"the study has no {key} {strange[0]!r}", where=where, do=f"it has: {listed}")
        row |= {f"{key} {name}": given.get(name) for name in wanted}
        lacking = [name for name in wanted if given.get(name) is None]
        if kind == "scores" and lacking and own.missing_score == "refuse":
            raise ComoderateError(f"the study needs the score {lacking[0]!r} of every post", where=where, do="give it")
    return row


_read: dict[Path, tuple[str, dict[str, set[str]]]] = {}
"""By study: the digest of its posts, and the ids in each file that was read; ``posts`` are the imported ones."""


def _known(study: Study) -> set[str]:
    """Ids of the posts that were imported or wait in the inbox; each file is read once."""
    digest = study.posts().digest if (study.folder / "posts" / "manifest.json").exists() else ""
    before, held = _read.get(study.folder, ("", {}))
    now = {path.name: path for path in files(study.folder)}
    held = {name: ids for name, ids in held.items() if name in now or (name == "posts" and digest == before)}
    held |= {name: _ids(path) for name, path in now.items() if name not in held}
    if digest and "posts" not in held:
        held["posts"] = set(study.posts().frame(["post_id"])["post_id"])
    _read[study.folder] = (digest, held)
    return set().union(*held.values())


def _ids(path: Path) -> set[str]:
    return {json.loads(line)["post_id"] for line in _lines(path)}


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


def forget(folder: Path, post_ids: Iterable[str]) -> int:
    """Take posts out of the inbox for good; gives how many there were."""
    gone, total = set(post_ids), 0
    for path in files(folder):
        lines = _lines(path)
        kept = [line for line in lines if json.loads(line)["post_id"] not in gone]
        total += len(lines) - len(kept)
        if not kept:
            path.unlink()
        elif len(kept) < len(lines):
            _read.pop(folder, None)
            with atomic_path(path) as temporary:
                temporary.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return total
