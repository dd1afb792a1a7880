"""What the labelling benchmarks share: a codebook, posts by the hundred thousand, a private PostgreSQL server."""

from __future__ import annotations

import contextlib
import importlib.util
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from comoderate.codebook import Codebook

ROOT = Path(__file__).parent.parent
CODEBOOK = Codebook.model_validate(
    {
        "name": "bench",
        "question": {
            "abusive": {"text": "Is it abusive?", "kind": "ordinal", "answers": ["no", "problematic", "abusive"]},
            "type": {
                "text": "Of which type?",
                "kind": "multiple",
                "answers": ["insult", "threat", "slur", "other"],
                "when": {"abusive": ["problematic", "abusive"]},
            },
        },
    }
)


def posts(n: int) -> Iterator[dict[str, Any]]:
    """``n`` rows for ``load_tasks``, one at a time."""
    filler = "The train was late again and nobody said why, which is how it goes on this line. "
    for k in range(n):
        yield {"post_id": f"post-{k:07d}", "text": f"{k}. {filler * (1 + k % 3)}", "context": {"likes": k % 97}}


@contextlib.contextmanager
def databases(*, safe: bool = True) -> Iterator[dict[str, str]]:
    """Addresses of two empty databases, by kind; PostgreSQL only where it is installed."""
    spec = importlib.util.spec_from_file_location("private_postgresql", ROOT / "tests" / "postgresql.py")
    assert spec is not None
    assert spec.loader is not None
    private = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(private)
    with tempfile.TemporaryDirectory(prefix="co-bench-") as folder, contextlib.ExitStack() as stack:
        found = {"sqlite": f"sqlite:///{folder}/annotations.db"}
        programs = private.programs()
        if programs is None:
            print("PostgreSQL is not installed: left out", file=sys.stderr)
        else:
            cluster = private.Cluster(programs, Path(tempfile.mkdtemp(prefix="co-pg-")), safe=safe)
            cluster.start()
            stack.callback(cluster.stop)
            found["postgresql"] = cluster.new()
        yield found


def memory_mb() -> float:
    """The most memory this process ever used, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def percentile(values: list[float], q: float) -> float:
    """The value that a share ``q`` of ``values`` does not exceed."""
    return sorted(values)[min(len(values) - 1, int(q * len(values)))] if values else float("nan")
