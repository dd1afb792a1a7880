import pandas as pd

from comoderate.corpus import parts
from comoderate.corpus.duplicates import drop_duplicates
from comoderate.corpus.parts import write_parts


def test_surplus_posts_leave_every_part_and_row_group(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "PART_ROWS", 6)
    folder = tmp_path / "a [1] *"
    folder.mkdir()
    ids = [f"p{i % 7}" for i in range(20)]
    frames = [pd.DataFrame({"post_id": ids[i : i + 3], "row": range(i, min(i + 3, 20))}) for i in range(0, 20, 3)]
    write_parts(frames, folder, None)
    assert drop_duplicates(folder, rule="last", where="x") == 13
    files = sorted(folder.iterdir())
    assert [p.suffix for p in files] == [".parquet"] * len(files)
    assert pd.concat([pd.read_parquet(p) for p in files])["row"].tolist() == list(range(13, 20))


def test_without_duplicates_nothing_is_touched(tmp_path):
    write_parts([pd.DataFrame({"post_id": ["a", "b"], "row": [1, 2]})], tmp_path, None)
    before = (tmp_path / "part-00000.parquet").stat().st_mtime_ns
    assert drop_duplicates(tmp_path, rule="refuse", where="x") == 0
    assert (tmp_path / "part-00000.parquet").stat().st_mtime_ns == before
