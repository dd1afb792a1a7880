"""Work over a long table that goes on where it was broken off, one chunk of rows after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from comoderate.corpus.files import atomic_path, to_pandas
from comoderate.corpus.parts import arrow_schema, to_arrow

Fn = Callable[[pd.DataFrame], pd.DataFrame]


def resumable(frames: Iterable[pd.DataFrame], fn: Fn, schema: Mapping[str, str], work: Path) -> Iterator[pd.DataFrame]:
    """``fn`` of each frame, each kept in a file of its own as soon as it is made; what is there is not made again.

    Memory holds one frame. The results are those of a run that nothing interrupts, so give another ``work`` folder to
    work on other frames or with another function, and remove it at the end.

    Args:
        frames: the chunks, the same in each run.
        fn: gets a chunk, gives a frame with the columns of ``schema``.
        schema: column → type, as :func:`~comoderate.corpus.map_batches` takes it.
        work: folder for the files, made where missing.

    Raises:
        ValueError: a frame of ``fn`` does not have the columns and types of ``schema``.
    """
    arrow = arrow_schema(schema)
    work.mkdir(parents=True, exist_ok=True)
    for number, frame in enumerate(frames):
        path = work / f"chunk-{number:06d}.parquet"
        found = _kept(path, len(frame))
        if found is None:
            found = to_arrow(fn(frame), arrow)
            with atomic_path(path) as temporary:
                pq.write_table(found, temporary, compression="zstd")
        yield to_pandas(found)


def _kept(path: Path, rows: int) -> pa.Table | None:
    """What an earlier run made of a chunk; None where there is nothing, or nothing whole."""
    if not path.is_file():
        return None
    try:
        found = pq.read_table(path)
    except pa.ArrowException:
        return None
    return found if found.num_rows == rows else None
