"""Files and folders that are written whole or not at all, and single Parquet files with metadata."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from comoderate.corpus.columns import require_columns
from comoderate.errors import ComoderateError

METADATA_KEY = b"comoderate"


@contextlib.contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; rename it to ``path`` when the block ends well.

    Whatever ends the block early, Ctrl-C included, removes the temporary file and leaves ``path`` as it was.
    Missing parent folders are made.

    Raises:
        ComoderateError: the disk is full or read-only.
    """
    path = Path(path)
    temporary = _temporary(path)
    with _no_room(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            _flush(temporary)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def atomic_folder(folder: Path | str) -> Iterator[Path]:
    """Yield an empty temporary folder beside ``folder``; put it in ``folder``'s place when the block ends well.

    An existing ``folder`` stays until then, and for good if the block fails. Folders that a killed process left
    behind are cleared, and one that it was about to replace is put back.

    Raises:
        ComoderateError: the disk is full or read-only.
    """
    folder = Path(folder)
    temporary = _temporary(folder)
    with _no_room(folder):
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            _recover(folder)
            temporary.mkdir()
            yield temporary
            for file in sorted(temporary.rglob("*")):
                _flush(file)
            _swap(temporary, folder)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def write_frame(frame: pd.DataFrame, path: Path | str, metadata: Mapping[str, str]) -> None:
    """Write a pandas frame (its columns, not its index) and metadata to one Parquet file, whole or not at all."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with atomic_path(path) as temporary:
        pq.write_table(table.replace_schema_metadata(frame_metadata(metadata)), temporary, compression="zstd")


def frame_metadata(metadata: Mapping[str, str]) -> dict[bytes | str, bytes | str]:
    """Texts as they are kept in the schema of a Parquet file."""
    return {METADATA_KEY: json.dumps(dict(metadata), sort_keys=True).encode()}


def read_frame(
    path: Path | str, columns: Sequence[str] | None = None, *, post_ids: Iterable[str] | None = None
) -> pd.DataFrame:
    """Read a Parquet file into pandas; whole numbers with gaps stay whole (object column with None).

    Args:
        path: the file.
        columns: by default all.
        post_ids: only the rows of these posts, in the order of the file; the others are never held.

    Raises:
        ComoderateError: the file is missing or is not Parquet, or a column is missing.
    """
    names = None if columns is None else list(columns)
    with _opened(path) as file:
        require_columns(list(columns or ()), file.schema_arrow.names, where=path)
        if post_ids is None:
            return to_pandas(file.read(columns=names))
        ids = pa.array(list(post_ids), type=pa.string())
        read = names if names is None or "post_id" in names else [*names, "post_id"]
        batches = [b.filter(pc.is_in(b.column("post_id"), ids)) for b in file.iter_batches(columns=read)]
        schema = file.schema_arrow if read is None else pa.schema([file.schema_arrow.field(name) for name in read])
    table = pa.Table.from_batches([batch.select(schema.names) for batch in batches], schema=schema)
    return to_pandas(table if names is None else table.select(names))


def read_metadata(path: Path | str) -> dict[str, str]:
    """The metadata that :func:`write_frame` stored; empty for a Parquet file from elsewhere.

    Raises:
        ComoderateError: the file is missing or is not Parquet.
    """
    with _opened(path) as file:
        stored = (file.schema_arrow.metadata or {}).get(METADATA_KEY)
    return {} if stored is None else {str(k): str(v) for k, v in json.loads(stored).items()}


def to_pandas(table: pa.Table | pa.RecordBatch) -> pd.DataFrame:
    """Arrow to pandas without losing digits: whole numbers with gaps become objects, categories plain values."""
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True, ignore_metadata=True)
    for name in frame.columns[[isinstance(t, pd.CategoricalDtype) for t in frame.dtypes]]:
        frame[name] = frame[name].astype(object)
    return frame


@contextlib.contextmanager
def _opened(path: Path | str) -> Iterator[pq.ParquetFile]:
    """The Parquet file at ``path``, or an error that names it."""
    if not Path(path).is_file():
        raise ComoderateError("there is no such file", where=path)
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except pa.ArrowInvalid as error:
        raise ComoderateError(
            f"this is not a whole Parquet file ({first_line(error)})",
            where=path,
            do="if Comoderate made it, remove it and run the command again",
        ) from None


def first_line(error: BaseException) -> str:
    """The first line of an exception's message, for one-line errors."""
    return (str(error).splitlines() or [type(error).__name__])[0]


@contextlib.contextmanager
def _no_room(path: Path) -> Iterator[None]:
    """Say in one line that nothing can be written here, where that is what went wrong."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            raise
        raise ComoderateError(
            f"nothing can be written here ({os.strerror(error.errno)})",
            where=path,
            do="make room, or choose another disk",
        ) from None


def _temporary(path: Path) -> Path:
    """A hidden sibling that no other process uses; its name carries the process that made it."""
    return path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")


def _previous(folder: Path) -> Path:
    """Where the old folder stands for the moment between the two renames of a swap."""
    return folder.with_name(f".{folder.name}.previous")


def _flush(path: Path) -> None:
    """Force a file's bytes to the disk, so that a rename never outruns them."""
    if path.is_file():
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _swap(temporary: Path, folder: Path) -> None:
    """Put ``temporary`` in ``folder``'s place."""
    previous = _previous(folder)
    if folder.exists():
        folder.rename(previous)
    try:
        temporary.rename(folder)
    except BaseException:
        if previous.exists():
            previous.rename(folder)
        raise
    shutil.rmtree(previous, ignore_errors=True)


def _recover(folder: Path) -> None:
    """Undo what a killed process left: put the previous folder back, remove its temporary folders."""
    previous = _previous(folder)
    if previous.exists() and not folder.exists():
        previous.rename(folder)
    shutil.rmtree(previous, ignore_errors=True)
    for left in folder.parent.glob(f".{folder.name}.*-*.tmp"):
        if not _alive(left.name.split(".")[-2].split("-")[0]):
            shutil.rmtree(left, ignore_errors=True)


def _alive(process: str) -> bool:
    """Whether a process of this number runs here."""
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True
