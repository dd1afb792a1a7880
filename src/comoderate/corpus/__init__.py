"""Posts and scores as Parquet datasets: reading, writing, drawing, and mapping over batches."""

from comoderate.corpus.candidates import Candidates, score_sums
from comoderate.corpus.datasets import (
    Manifest,
    drop_rows,
    iter_dataset,
    read_dataset,
    read_manifest,
    read_rows,
    write_dataset,
)
from comoderate.corpus.draw import in_order, strata_spans, top_k
from comoderate.corpus.engine import connect, engine, read_parts
from comoderate.corpus.enriching import Phases, top_k_enriched
from comoderate.corpus.files import atomic_folder, atomic_path, read_frame, read_metadata, write_frame
from comoderate.corpus.importing import ImportCounts, write_posts
from comoderate.corpus.mapping import map_batches
from comoderate.corpus.parts import write_batches
from comoderate.corpus.posts import Posts
from comoderate.corpus.reading import Batch, read_batches

__all__ = [
    "Batch",
    "Candidates",
    "ImportCounts",
    "Manifest",
    "Phases",
    "Posts",
    "atomic_folder",
    "atomic_path",
    "connect",
    "drop_rows",
    "engine",
    "in_order",
    "iter_dataset",
    "map_batches",
    "read_batches",
    "read_dataset",
    "read_frame",
    "read_manifest",
    "read_metadata",
    "read_parts",
    "read_rows",
    "score_sums",
    "strata_spans",
    "top_k",
    "top_k_enriched",
    "write_batches",
    "write_dataset",
    "write_frame",
    "write_posts",
]
