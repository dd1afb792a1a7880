"""A dataset: a folder of Parquet parts that is there only once its manifest is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from comoderate.corpus.columns import require_columns
from comoderate.corpus.digest import digest_batches
from comoderate.corpus.files import atomic_folder, first_line, to_pandas
from comoderate.corpus.parts import write_parts
from comoderate.errors import ComoderateError

MANIFEST = "manifest.json"
FORMAT = 1
"""Raised when an older Comoderate could no longer read the folder."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a dataset's ``manifest.json`` says.

    Attributes:
        kind: ``posts``, ``scores``, …
        rows: number of rows in all parts.
        columns: column names and Arrow types, in order.
        parts: file names, in the order of the rows.
        digest: of the values alone (:func:`~comoderate.corpus.digest.digest_batches`).
        metadata: what the writer wanted kept: seed, code version, schema version, …
        format: of the folder.
    """

    kind: str
    rows: int
    columns: dict[str, str]
    parts: list[str]
    digest: str
    metadata: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT


def write_dataset(
    batches: Iterable[pd.DataFrame],
    folder: Path | str,
    metadata: Mapping[str, str],
    *,
    kind: str = "scores",
    schema: Mapping[str, str] | None = None,
) -> Manifest:
    """Write frames to a folder of Parquet parts, whole or not at all; an existing folder is replaced at the end.

    Args:
        batches: frames with the same columns, in the order of the rows.
        folder: where the dataset will be.
        metadata: texts to keep in the manifest.
        kind: what the dataset holds.
        schema: column → one of :data:`~comoderate.corpus.parts.TYPES`; None takes names and types from the first
            frame, objects being text.

    Raises:
        ValueError: no frame and no schema, or a frame with other columns or types than the first.
    """
    with atomic_folder(folder) as temporary:
        write_parts(batches, temporary, schema)
        return finish(temporary, kind, metadata)


def read_manifest(folder: Path | str, *, do: str = "run the command that makes it") -> Manifest:
    """The manifest of a dataset.

    Raises:
        ComoderateError: the folder is no whole dataset, or a newer version of Comoderate made it.
    """
    path = Path(folder) / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ComoderateError("there is no whole dataset here", where=folder, do=do) from None
    except ValueError:
        found = None
    if isinstance(found, dict) and found.get("format", 0) > FORMAT:
        raise ComoderateError("a newer version of Comoderate made this", where=folder, do="install that version")
    names = set(Manifest.__dataclass_fields__)
    if not isinstance(found, dict) or not names <= set(found):
        raise ComoderateError("the manifest is damaged", where=path, do=do)
    return Manifest(**{name: found[name] for name in names})


def part_paths(folder: Path | str, manifest: Manifest | None = None) -> list[Path]:
    """The Parquet files of a dataset, in the order of the rows."""
    return [Path(folder) / name for name in (manifest or read_manifest(folder)).parts]


def read_dataset(folder: Path | str, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """All rows of a dataset, with all or some columns, as a pandas frame.

    Raises:
        ComoderateError: no whole dataset there, a missing column, a damaged part.
    """
    manifest = read_manifest(folder)
    batches = list(arrow_batches(folder, columns, manifest=manifest))
    names = list(manifest.columns if columns is None else columns)
    stored = pq.read_schema(part_paths(folder, manifest)[0])
    return to_pandas(pa.Table.from_batches(batches, schema=pa.schema([stored.field(name) for name in names])))


def read_rows(folder: Path | str, post_ids: Iterable[str], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The rows of some posts, in the order of these ids, unknown ids left out; no other row is ever held.

    Raises:
        ComoderateError: as :func:`read_dataset`.
    """
    manifest = read_manifest(folder)
    names = list(manifest.columns if columns is None else columns)
    read = names if "post_id" in names else [*names, "post_id"]
    ids = pa.array(list(dict.fromkeys(post_ids)), type=pa.string())
    batches = arrow_batches(folder, read, manifest=manifest)
    stored = pq.read_schema(part_paths(folder, manifest)[0])
    found = pa.Table.from_batches(
        (b.filter(pc.is_in(b.column("post_id"), ids)) for b in batches),
        schema=pa.schema([stored.field(name) for name in read]),
    )
    order = pc.sort_indices(pc.index_in(found.column("post_id"), ids))
    return to_pandas(found.take(order).select(names))


def iter_dataset(
    folder: Path | str, columns: Sequence[str] | None = None, *, batch_rows: int = 50_000
) -> Iterator[pd.DataFrame]:
    """The rows of a dataset in frames of at most ``batch_rows``."""
    for batch in arrow_batches(folder, columns, batch_rows=batch_rows):
        yield to_pandas(batch)


def arrow_batches(
    folder: Path | str,
    columns: Sequence[str] | None = None,
    *,
    batch_rows: int = 50_000,
    manifest: Manifest | None = None,
) -> Iterator[pa.RecordBatch]:
    """The same as Arrow record batches; the check of folder and columns is made by the call."""
    manifest = manifest or read_manifest(folder)
    require_columns(list(columns or ()), list(manifest.columns), where=folder)
    names = list(manifest.columns if columns is None else columns)
    return _scan(part_paths(folder, manifest), names, batch_rows)


def drop_rows(folder: Path | str, post_ids: Iterable[str]) -> int:
    """Write a dataset again without the rows of some posts, whole or not at all; gives how many rows went.

    A dataset without a column ``post_id``, or without these posts, is left as it is.
    """
    manifest = read_manifest(folder)
    if "post_id" not in manifest.columns:
        return 0
    ids = pa.array(list(post_ids), type=pa.string())
    held = (b.column("post_id") for b in arrow_batches(folder, ["post_id"], manifest=manifest))
    gone = sum(pc.sum(pc.is_in(column, ids)).as_py() or 0 for column in held)
    if not gone:
        return 0
    with atomic_folder(folder) as temporary:
        for path in part_paths(folder, manifest):
            with (
                pq.ParquetFile(path) as file,
                pq.ParquetWriter(temporary / path.name, file.schema_arrow, compression="zstd") as writer,
            ):
                for batch in file.iter_batches():
                    kept = batch.filter(pc.invert(pc.is_in(batch.column("post_id"), ids)))
                    writer.write_batch(kept)
        finish(temporary, manifest.kind, manifest.metadata)
    return int(gone)


def _scan(parts: Sequence[Path], names: list[str] | None, batch_rows: int) -> Iterator[pa.RecordBatch]:
    """Record batches of several Parquet files, one after the other."""
    for path in parts:
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=batch_rows, columns=names):
                    yield batch if names is None else batch.select(names)
        except (pa.ArrowException, FileNotFoundError) as error:
            raise ComoderateError(f"a part is missing or damaged ({first_line(error)})", where=path) from None


def finish(folder: Path, kind: str, metadata: Mapping[str, str]) -> Manifest:
    """Digest the parts in ``folder`` and write the manifest beside them, as the last of its files."""
    parts = sorted(folder.glob("part-*.parquet"))
    schema, rows = pq.read_schema(parts[0]), sum(pq.read_metadata(part).num_rows for part in parts)
    manifest = Manifest(
        kind=kind, rows=rows, columns={f.name: str(f.type) for f in schema}, parts=[part.name for part in parts],
        digest=digest_batches(schema, _scan(parts, None, 50_000)), metadata=dict(metadata),
    )  # fmt: skip
    (folder / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1) + "\n", encoding="utf-8")
    return manifest
