"""Importing posts from every format, by column names, with rules for bad rows."""

import gzip

import numpy as np
import pandas as pd
import pytest

from comoderate.corpus import Posts
from comoderate.errors import ComoderateError
from comoderate.sampling import uniform
from comoderate.study import Study
from comoderate.study.posts import FIRST_PHASE, import_posts, needed_columns, read_totals, text_length
from comoderate.study.settings import PostsSettings


def run(path, folder, **settings):
    counts = import_posts(path, PostsSettings(**settings), folder / "posts", seed=3, key=b"k" * 32)
    return counts, Posts(folder / "posts").frame()


def write(frame, path):
    name = path.name.removesuffix(".gz")
    if name.endswith(".parquet"):
        frame.to_parquet(path)
    elif name.endswith(".jsonl"):
        path.write_bytes(pack(frame.to_json(orient="records", lines=True).encode(), path))
    else:
        path.write_bytes(pack(frame.to_csv(index=False, sep="\t" if name.endswith(".tsv") else ",").encode(), path))


def pack(data, path):
    return gzip.compress(data) if path.suffix == ".gz" else data


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.tsv", "p.jsonl", "p.jsonl.gz", "p.parquet"])
def test_every_format_gives_the_same_posts(tmp_path, little, name):
    source = little.posts().drop(columns="positive").rename(columns={"text": "tweet", "post_id": "id"})
    write(source, tmp_path / name)
    columns = {"post_id": "id", "text": "tweet", "created_at": "created_at", "author": "author", "views": "views"}
    attributes = {"attributes": {"where": "platform"}, "scores": {"service": "service"}}
    counts, found = run(tmp_path / name, tmp_path, **columns, **attributes)
    assert counts == (400, 400, 0, 0, 0)
    assert found["post_id"].tolist() == source["id"].tolist()
    assert found["text"].tolist() == source["tweet"].tolist()
    assert found["where"].tolist() == source["platform"].tolist()
    np.testing.assert_allclose(found["score_service"], source["service"])
    np.testing.assert_allclose(found["views"], source["views"])
    assert found["day"].tolist() == [text[:10] for text in source["created_at"]]
    assert found["row"].tolist() == list(range(1, 401))
    assert not {"platform", "service", "tweet"} & set(found)


def test_u_is_stored_and_hangs_on_seed_and_id_alone(ran):
    found = Study.open(ran).posts().frame(["post_id", "u"])
    np.testing.assert_array_equal(found["u"], uniform(11, FIRST_PHASE, found["post_id"]))
    assert found["u"].between(0, 1, inclusive="left").all()
    assert found["u"].nunique() == 400


@pytest.mark.parametrize(("rule", "kept"), [("first", "one"), ("last", "three")])
def test_duplicates_are_dropped_by_rule_and_counted(tmp_path, rule, kept):
    (tmp_path / "p.csv").write_text("post_id,text\na,one\nb,two\na,three\n")
    counts, found = run(tmp_path / "p.csv", tmp_path, duplicates=rule)
    assert counts == (3, 2, 1, 0, 0)
    assert found.set_index("post_id")["text"]["a"] == kept


def test_duplicates_are_refused_by_default_and_nothing_is_written(tmp_path):
    (tmp_path / "p.csv").write_text("post_id,text\na,one\na,two\n")
    with pytest.raises(ComoderateError, match="'a' is repeated in rows 1, 2"):
        run(tmp_path / "p.csv", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["p.csv"]


def test_posts_without_text(tmp_path):
    (tmp_path / "p.csv").write_text('post_id,text\na,one\nb,\nc,"  "\n')
    counts, found = run(tmp_path / "p.csv", tmp_path, missing_text="drop")
    assert counts == (3, 1, 0, 2, 0)
    assert found["post_id"].tolist() == ["a"]
    with pytest.raises(ComoderateError, match=r"p\.csv, column text, row 2: a post has no text"):
        run(tmp_path / "p.csv", tmp_path)


def test_posts_without_a_time(tmp_path):
    (tmp_path / "p.csv").write_text("post_id,body,when\na,one,2026-05-01\nb,two,\nc,,2026-05-02\n")
    columns = {"text": "body", "created_at": "when", "missing_text": "drop"}
    counts, found = run(tmp_path / "p.csv", tmp_path, **columns, missing_time="drop")
    assert counts == (3, 1, 0, 1, 1)
    assert found["post_id"].tolist() == ["a"]
    with pytest.raises(ComoderateError, match="column when, row 2: the time is missing"):
        run(tmp_path / "p.csv", tmp_path, **columns)
    with pytest.raises(ComoderateError, match="column body, row 3: a post has no text"):
        run(tmp_path / "p.csv", tmp_path, text="body")


def test_recorded_predictions_need_no_text(tmp_path):
    (tmp_path / "p.csv").write_text("post_id,p\na,0.5\nb,1\n")
    counts, found = run(tmp_path / "p.csv", tmp_path, text="", scores={"s": "p"})
    assert counts.written == 2
    assert "text" not in found
    assert "length" not in found


def test_ids_of_several_columns(tmp_path):
    (tmp_path / "p.csv").write_text("conv,turn,text\n1,12,x\n11,2,y\n1,1,z\n")
    _, found = run(tmp_path / "p.csv", tmp_path, post_id=["conv", "turn"])
    assert found["post_id"].str.fullmatch("[0-9a-f]{16}").all()
    assert found["post_id"].nunique() == 3


def test_another_encoding(tmp_path):
    (tmp_path / "p.csv").write_bytes("post_id,text\na,schön\n".encode("latin-1"))
    _, found = run(tmp_path / "p.csv", tmp_path, encoding="latin-1")
    assert found["text"][0] == "schön"
    with pytest.raises(ComoderateError, match="not utf-8"):
        run(tmp_path / "p.csv", tmp_path)


def test_needed_columns_are_named_once():
    settings = PostsSettings(post_id=["a", "b"], text="b", attributes={"x": "c", "y": "a"})
    assert needed_columns(settings) == ["a", "b", "c"]


def test_length():
    assert text_length(pd.Series(["", "x" * 59, "x" * 60, "x" * 159, "x" * 160, None])).tolist() == [
        "short", "short", "medium", "medium", "long", None,
    ]  # fmt: skip


def test_totals(tmp_path):
    (tmp_path / "t.csv").write_text("date,count\n2020-01-02,5\n2020-01-01,7\n")
    found = read_totals(tmp_path / "t.csv", "date", "count")
    assert found.to_dict() == {"2020-01-01": 7, "2020-01-02": 5}
    assert found.index.tolist() == ["2020-01-01", "2020-01-02"]
    for broken, said in [
        ("2020-01-01,7\n2020-01-01,8", "the day 2020-01-01 occurs twice"),
        ("2020-01-01,", "row 1: the total is missing"),
        ("2020-01-01,1.5", "row 1: '1.5' is not a number of"),
        (",3", "the day is missing"),
    ]:
        (tmp_path / "t.csv").write_text(f"date,count\n{broken}\n")
        with pytest.raises(ComoderateError, match=said):
            read_totals(tmp_path / "t.csv", "date", "count")
