"""What a service answered, on disk: no text is paid for twice, whatever ends a run."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from comoderate.errors import ComoderateError

_AT_ONCE = 500
_TABLES = """
CREATE TABLE IF NOT EXISTS answer (epoch INTEGER, text BLOB, part TEXT, error TEXT, PRIMARY KEY (epoch, text))
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sent (epoch INTEGER, key TEXT, texts TEXT, PRIMARY KEY (epoch, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bill (texts INTEGER, requests INTEGER);
CREATE TABLE IF NOT EXISTS canary (epoch INTEGER, text TEXT, part TEXT, PRIMARY KEY (epoch, text)) WITHOUT ROWID;
"""


class Stored(NamedTuple):
    """What the cache knows of a text.

    Attributes:
        part: the service's answer; None where there is none.
        error: why the service will not answer; None where it did.
    """

    part: Any
    error: str | None


class Cache:
    """A file with all answers of one service, one row a text; rows are added and never changed, and go only
    where a text is to be forgotten.

    Texts are named by their digest and not kept. Beside answers stand the requests that were sent and not yet
    answered (a killed run sends exactly these again, under the same key), what the service may have charged for, and
    the answers on its canaries. A change of the canaries begins a new *epoch*, with no answers.

    Args:
        path: the file, made where missing.

    Raises:
        ComoderateError: the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.executescript(_TABLES)
        except sqlite3.DatabaseError as error:
            raise ComoderateError(
                f"the answers of the service cannot be read ({error})", where=path, do="move the file away to ask anew"
            ) from None
        self.epoch = int(self._db.execute("SELECT COALESCE(MAX(epoch), 0) FROM canary").fetchone()[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def find(self, texts: Iterable[bytes]) -> dict[bytes, Stored]:
        """What is known of texts, by their digests; those that are not known are not in it."""
        found, wanted = {}, list(texts)
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT text, part, error FROM answer WHERE epoch = ? AND text IN ({marks})"
            for text, part, error in self._db.execute(query, (self.epoch, *some)):
                found[text] = Stored(None if part is None else json.loads(part), error)
        return found

    def forget(self, texts: Iterable[bytes]) -> None:
        """Remove all that is known of texts, by their digests, and the digests themselves."""
        gone = list(texts)
        self._db.execute("PRAGMA secure_delete=ON")
        with self._db:
            self._db.execute("BEGIN")
            self._db.executemany("DELETE FROM answer WHERE text = ?", [(text,) for text in gone])
            self._db.executemany("DELETE FROM sent WHERE texts LIKE ?", [(f"%{text.hex()}%",) for text in gone])
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def sending(self, key: str, texts: Sequence[bytes]) -> None:
        """Note that a request is about to be sent."""
        names = json.dumps([text.hex() for text in texts])
        self._db.execute("INSERT OR REPLACE INTO sent VALUES (?, ?, ?)", (self.epoch, key, names))

    def under_way(self) -> Iterator[tuple[str, list[bytes]]]:
        """Requests that were sent and whose end is not known: key and digests of texts."""
        for key, names in self._db.execute("SELECT key, texts FROM sent WHERE epoch = ?", (self.epoch,)).fetchall():
            yield key, [bytes.fromhex(name) for name in json.loads(names)]

    def finish(self, key: str, found: Mapping[bytes, Stored]) -> None:
        """Store what became of a request, and that it has ended, in one step; what is known of a text stays."""
        rows = [
            (self.epoch, text, None if one.error else json.dumps(one.part, ensure_ascii=False), one.error)
            for text, one in found.items()
        ]
        with self._db:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR IGNORE INTO answer VALUES (?, ?, ?, ?)", rows)
            self._db.execute("DELETE FROM sent WHERE epoch = ? AND key = ?", (self.epoch, key))

    def charge(self, texts: int, requests: int) -> None:
        """Note what the service may charge for."""
        self._db.execute("INSERT INTO bill VALUES (?, ?)", (texts, requests))

    def charged(self) -> tuple[int, int]:
        """All texts and requests that the service may have charged for."""
        found = self._db.execute("SELECT COALESCE(SUM(texts), 0), COALESCE(SUM(requests), 0) FROM bill").fetchone()
        return int(found[0]), int(found[1])

    def canaries(self) -> dict[str, Any]:
        """The answers on the canaries of this epoch, by text."""
        rows = self._db.execute("SELECT text, part FROM canary WHERE epoch = ?", (self.epoch,))
        return {text: json.loads(part) for text, part in rows}

    def add_canaries(self, parts: Mapping[str, Any]) -> None:
        """Store answers on canaries that this epoch has none of yet."""
        rows = [(self.epoch, text, json.dumps(part, ensure_ascii=False)) for text, part in parts.items()]
        with self._db:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR IGNORE INTO canary VALUES (?, ?, ?)", rows)

    def begin_epoch(self, parts: Mapping[str, Any]) -> None:
        """Begin a new epoch with these answers on the canaries."""
        self.epoch += 1
        self.add_canaries(parts)


def text_digest(text: str) -> bytes:
    """Sixteen bytes that name a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
