"""Posts and scores as Parquet datasets: reading, writing, drawing, and mapping over batches."""

from comoderate.corpus.datasets import Manifest, iter_dataset, read_dataset, read_manifest, write_dataset
from comoderate.corpus.draw import top_k
from comoderate.corpus.engine import connect, read_parts
from comoderate.corpus.files import atomic_folder, atomic_path, read_frame, read_metadata, write_frame
from comoderate.corpus.importing import ImportCounts, write_posts
from comoderate.corpus.mapping import map_batches
from comoderate.corpus.posts import Posts
from comoderate.corpus.reading import Batch, read_batches

__all__ = [
    "Batch",
    "ImportCounts",
    "Manifest",
    "Posts",
    "atomic_folder",
    "atomic_path",
    "connect",
    "iter_dataset",
    "map_batches",
    "read_batches",
    "read_dataset",
    "read_frame",
    "read_manifest",
    "read_metadata",
    "read_parts",
    "top_k",
    "write_dataset",
    "write_frame",
    "write_posts",
]
