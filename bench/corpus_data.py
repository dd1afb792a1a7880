"""Generated posts for the benchmarks of `corpus`: ids in order of time, days with bursts, a classifier's verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

DAYS = 228
WORDS = np.array("the of to and you she is they never always post news vote loud storm river".split())  # noqa: SIM905


def peak_megabytes() -> float:
    """Most memory that this process ever held; unlike getrusage's, untouched by the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 2**10


def daily_totals(n: int, rng: np.random.Generator) -> np.ndarray:
    """Posts a day, with bursts."""
    share = rng.lognormal(0, 0.3, DAYS) * np.where(rng.random(DAYS) < 0.05, 6, 1)
    return rng.multinomial(n, share / share.sum())


def frames(n: int, *, seed: int = 0, batch_rows: int = 50_000, text: bool = True) -> Iterator[pd.DataFrame]:
    """Frames as `write_posts` wants them."""
    rng = np.random.default_rng(seed)
    days = np.repeat(np.arange(DAYS), daily_totals(n, rng))
    names = np.datetime_as_string(np.datetime64("2017-03-01") + np.arange(DAYS)).astype(object)
    for start in range(0, n, batch_rows):
        rows = np.arange(start, min(start + batch_rows, n))
        frame = pd.DataFrame(
            {
                "post_id": (840_000_000_000_000_000 + rows * 9_973_001).astype(str).astype(object),
                "day": names[days[rows]],
                "u": rng.random(len(rows)),
                "flagged": np.where(rng.random(len(rows)) < 0.05, "yes", "no").astype(object),
                "row": rows + 1,
            }
        )
        if text:
            frame["text"] = [" ".join(words) for words in WORDS[rng.integers(0, len(WORDS), (len(rows), 14))]]
        yield frame
