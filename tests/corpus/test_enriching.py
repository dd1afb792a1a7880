"""Both phases from one pass: the posts of two draws, whatever the numbers and the strata look like."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate.corpus import connect, top_k, top_k_enriched
from comoderate.corpus import draw as draw_module

numbers = st.one_of(st.floats(0, 1), st.sampled_from([0.25, 0.5, float("nan")]), st.floats(-1e300, 1e300))


@pytest.fixture(scope="module")
def duck():
    backend = connect()
    yield backend
    backend.disconnect()


def lazy(duck, frame):
    duck.con.register("flagged_posts", frame)
    return duck.table("flagged_posts")


def twice(frame, quota, more, by="stratum"):
    """Two draws, one after the other, and what the first left."""
    base = top_k(frame, quota, by=by, also=["called"])
    rest = frame[frame["called"].eq(True) & ~frame["post_id"].isin(base["post_id"])].dropna(subset=["u"])
    left = rest.groupby(by).size()
    return base, top_k(rest, more(left), by=by, exclude=base["post_id"], also=["called"]), left


def check_same(found, expected):
    for mine, theirs in zip(found[:2], expected[:2], strict=True):
        pd.testing.assert_frame_equal(mine, theirs, check_dtype=False)
    mine = found.left[found.left > 0].to_dict()
    assert mine == expected[2].to_dict()


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from(["x", "y", "z", None]), numbers, st.booleans()), min_size=1, max_size=30),
    st.dictionaries(st.sampled_from(["x", "y", "z", "nowhere"]), st.integers(0, 12)),
    st.integers(0, 5),
)
def test_the_posts_are_those_of_two_draws(duck, posts, quota, few):
    frame = pd.DataFrame(posts, columns=["stratum", "u", "called"]).assign(post_id=lambda f: [f"p{i}" for i in f.index])
    frame["stratum"] = frame["stratum"].astype(object)
    more = lambda left: {key: min(few, n) for key, n in left.items()}  # noqa: E731
    expected = twice(frame, quota, more)
    check_same(top_k_enriched(frame, quota, more), expected)
    extra = pd.DataFrame({"stratum": ["other"], "u": [0.0], "called": [False], "post_id": ["q"]})
    check_same(top_k_enriched(lazy(duck, pd.concat([frame, extra])), quota, more), expected)


def big(seed=2, n=5_000):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"post_id": rng.permutation([f"{i:05d}" for i in range(n)]), "u": rng.random(n)})
    # One stratum is so small that it is drawn nearly whole: its bound would let all posts of the others in.
    frame["stratum"] = rng.choice(["large", "larger", "tiny"], n, p=[0.3, 0.695, 0.005])
    return frame.assign(called=rng.random(n) < 0.1)


@pytest.mark.parametrize("quota", [{"large": 30, "larger": 70, "tiny": 1}, {"larger": 200}, {}])
@pytest.mark.parametrize("size", [7, None])
def test_small_strata_and_strata_without_a_base(duck, quota, size):
    frame = big()
    more = lambda left: {key: n if size is None else min(size, n) for key, n in left.items()}  # noqa: E731
    expected = twice(frame, quota, more)
    check_same(top_k_enriched(frame, quota, more), expected)
    check_same(top_k_enriched(lazy(duck, frame), quota, more), expected)
    assert not duck.con.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchone()[0]


def test_a_bound_that_is_too_tight_costs_a_pass_and_nothing_else(duck, monkeypatch):
    frame = big()
    monkeypatch.setattr(draw_module, "SLACK", 0.0)
    quota, more = {"large": 300, "larger": 500, "tiny": 3}, lambda left: dict.fromkeys(left.index, 9)
    check_same(top_k_enriched(lazy(duck, frame), quota, more), twice(frame, quota, more))


def test_several_columns_make_a_stratum(duck):
    frame = big().assign(half=lambda f: f["post_id"].str[-1] < "5")
    quota = {("large", True): 20, ("larger", False): 30}
    more = lambda left: dict.fromkeys(left.index, 4)  # noqa: E731
    expected = twice(frame, quota, more, by=["stratum", "half"])
    check_same(top_k_enriched(frame, quota, more, by=["stratum", "half"]), expected)
    check_same(top_k_enriched(lazy(duck, frame), quota, more, by=["stratum", "half"]), expected)


def test_a_wrong_number_to_add_is_refused(duck):
    for table in (big(), lazy(duck, big())):
        with pytest.raises(ValueError, match="negative"):
            top_k_enriched(table, {"large": 9}, lambda left: {"large": -1})
