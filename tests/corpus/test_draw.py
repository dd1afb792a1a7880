import ibis
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate.corpus import connect, read_parts, top_k, write_frame
from comoderate.corpus import draw as draw_module

STRATA = ["x", "y", "z"]


@pytest.fixture(scope="module")
def duck():
    return connect()


def lazy(duck, frame):
    duck.con.register("posts", frame)
    return duck.table("posts")


def brute(frame, quota, order="u", by="stratum", exclude=()):
    """Sort every stratum whole, one after the other."""
    rows = []
    for stratum in sorted(quota):
        here = frame[(frame[by] == stratum) & frame[order].notna() & ~frame["post_id"].isin(exclude)]
        ranked = sorted(zip(here[order], here["post_id"], strict=True))
        rows += [(post_id, stratum, value) for value, post_id in ranked[: quota[stratum]]]
    return rows


def rows(frame):
    return list(frame.itertuples(index=False, name=None))


numbers = st.one_of(st.floats(0, 1), st.sampled_from([0.25, 0.5, float("nan")]), st.floats(-1e300, 1e300))


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from([*STRATA, None]), numbers), min_size=1, max_size=30),
    st.dictionaries(st.sampled_from([*STRATA, "nowhere"]), st.integers(0, 12)),
    st.sets(st.integers(0, 29)), st.randoms(use_true_random=False),
)  # fmt: skip
def test_the_draw_is_the_brute_force_one_on_both(duck, posts, quota, excluded, shuffle):
    ids = [f"p{i}" for i in range(len(posts))]
    shuffle.shuffle(ids)
    frame = pd.DataFrame({"post_id": ids, "stratum": [s for s, _ in posts], "u": [float(v) for _, v in posts]})
    frame["stratum"] = frame["stratum"].astype(object)
    exclude = [f"p{i}" for i in excluded]
    expected = brute(frame, quota, exclude=exclude)
    assert rows(top_k(frame, quota, exclude=exclude)) == expected
    table = lazy(duck, pd.concat([frame, pd.DataFrame({"post_id": ["q"], "stratum": ["other"], "u": [0.0]})]))
    assert rows(top_k(table, quota, exclude=exclude)) == expected


@pytest.mark.parametrize("shape", ["uniform", "cubed", "constant", "outlier", "whole"])
def test_whatever_the_numbers_look_like_the_draw_is_exact(duck, shape):
    rng = np.random.default_rng(3)
    u = rng.random(6_000)
    values = {
        "uniform": u, "cubed": 1 - u**8, "constant": np.ones(6_000), "whole": np.round(u * 50).astype(np.int64),
        "outlier": np.where(np.arange(6_000) % 1_000 == 0, -1e6, u),
    }[shape]  # fmt: skip
    ids = rng.permutation([f"{i:05d}" for i in range(6_000)])
    frame = pd.DataFrame({"post_id": ids, "day": rng.choice(STRATA, 6_000), "score": values})
    quota = {"x": 40, "y": 1_990, "z": 1}
    expected = brute(frame, quota, "score", "day")
    assert rows(top_k(lazy(duck, frame), quota, order="score", by="day")) == expected
    assert rows(top_k(frame, quota, order="score", by="day")) == expected


def test_a_bound_that_is_too_tight_costs_time_and_nothing_else(duck, monkeypatch):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"post_id": [f"{i}" for i in range(900)], "stratum": ["x", "y", "z"] * 300, "u": rng.random(900)}
    )
    monkeypatch.setattr(draw_module, "SLACK", 0.0)
    quota = {"x": 150, "y": 30, "z": 20}
    assert rows(top_k(lazy(duck, frame), quota)) == brute(frame, quota)


def test_several_columns_make_a_stratum(duck):
    frame = pd.DataFrame({"post_id": list("abcd"), "day": ["1", "1", "2", "2"], "yes": [True, False, True, True],
                          "u": [0.4, 0.3, 0.2, 0.1]})  # fmt: skip
    quota = {("1", True): 3, ("2", True): 1}
    for table in (frame, lazy(duck, frame)):
        assert top_k(table, quota, by=["day", "yes"])["post_id"].tolist() == ["a", "d"]


def test_an_extension_keeps_what_was_drawn(duck):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"post_id": [f"{i}" for i in range(500)], "stratum": "x", "u": rng.random(500)})
    table = lazy(duck, frame)
    small, large = (top_k(table, {"x": n})["post_id"].tolist() for n in (50, 120))
    assert large[:50] == small


def test_ties_are_broken_by_the_bytes_of_the_id(duck):
    frame = pd.DataFrame({"post_id": ["é", "z", "Z", "a", "𝒜", "�"], "stratum": "x", "u": 0.5})
    for table in (frame, lazy(duck, frame)):
        assert top_k(table, {"x": 5})["post_id"].tolist() == ["Z", "a", "z", "é", "�"]


def test_a_filtered_lazy_expression_can_be_drawn_from(duck):
    frame = pd.DataFrame({"post_id": list("abc"), "stratum": "x", "u": [0.1, 0.2, 0.3], "text": ["no", "yes", "yes"]})
    table = lazy(duck, frame)
    assert top_k(table.filter(table.text == "yes"), {"x": 1})["post_id"].tolist() == ["b"]
    assert top_k(ibis.memtable(frame), {"x": 1})["post_id"].tolist() == ["a"]


def test_from_a_join_with_scores(duck):
    frame = pd.DataFrame({"post_id": list("abc"), "stratum": "x", "u": [0.1, 0.2, 0.3]})
    scores = ibis.memtable(pd.DataFrame({"post_id": list("cb"), "proba": [0.9, 0.8]}))
    table = lazy(duck, frame)
    for joined in (table.inner_join(scores, "post_id"), table.semi_join(scores, "post_id")):
        assert top_k(joined, {"x": 1})["post_id"].tolist() == ["b"]
        assert top_k(joined, {"x": 1}, exclude=["b"])["post_id"].tolist() == ["c"]
    assert duck.con.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchone() == (0,)


@pytest.mark.parametrize(
    ("quota", "by", "match"),
    [({"x": -1}, "stratum", "negative"), ({"x": 1.5}, "stratum", "whole"), ({"x": 1}, ["stratum", "u"], "tuples")],
)
def test_a_wrong_quota_is_refused(quota, by, match):
    with pytest.raises(ValueError, match=match):
        top_k(pd.DataFrame({"post_id": [], "stratum": [], "u": []}), quota, by=by)


def test_the_last_post_is_found_whatever_the_digits_of_its_number(tmp_path):
    backend = connect()
    for seed in range(12):
        frame = pd.DataFrame({"post_id": ["a", "b", "c"], "stratum": "s", "u": np.random.default_rng(seed).random(3)})
        write_frame(frame, tmp_path / f"{seed}.parquet", {})
        assert len(top_k(read_parts(backend, [tmp_path / f"{seed}.parquet"]), {"s": 3})) == 3
