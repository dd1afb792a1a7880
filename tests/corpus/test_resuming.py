"""Work that goes on where it was broken off."""

import pandas as pd
import pytest

from comoderate.corpus.resuming import resumable

SCHEMA = {"post_id": "string", "twice": "double"}


def frames():
    for start in range(0, 50, 10):
        yield pd.DataFrame({"post_id": [f"p{n}" for n in range(start, start + 10)], "value": range(start, start + 10)})


class Double:
    """Fails at the chunk ``at``, the first time."""

    def __init__(self, at: int | None = None) -> None:
        self.at, self.made = at, 0

    def __call__(self, frame):
        if self.made == self.at:
            raise KeyboardInterrupt
        self.made += 1
        return pd.DataFrame({"post_id": frame["post_id"], "twice": frame["value"] * 2.0})


def whole(fn, work):
    return pd.concat(list(resumable(frames(), fn, SCHEMA, work)), ignore_index=True)


@pytest.mark.parametrize("at", range(5))
def test_broken_off_anywhere_the_result_is_the_same(tmp_path, at):
    expected = whole(Double(), tmp_path / "plain")
    with pytest.raises(KeyboardInterrupt):
        whole(Double(at), tmp_path / "broken")
    fn = Double()
    pd.testing.assert_frame_equal(whole(fn, tmp_path / "broken"), expected)
    assert fn.made == 5 - at


def test_a_damaged_or_shorter_chunk_is_made_again(tmp_path):
    expected = whole(Double(), tmp_path)
    (tmp_path / "chunk-000001.parquet").write_bytes(b"PAR1 torn")
    fn = Double()
    pd.testing.assert_frame_equal(whole(fn, tmp_path), expected)
    assert fn.made == 1
    (tmp_path / "chunk-000000.parquet").unlink()
    whole(fn, tmp_path)
    assert fn.made == 2


def test_results_must_fit_the_schema(tmp_path):
    with pytest.raises(ValueError, match="columns"):
        list(resumable(frames(), lambda frame: frame, SCHEMA, tmp_path))
