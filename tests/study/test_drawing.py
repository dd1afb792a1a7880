"""Drawing: exact inclusion probabilities of base sample, enrichment, census and second phase."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.study import by_pandas

from comoderate.corpus import Candidates, connect, read_parts, write_frame
from comoderate.errors import ComoderateError
from comoderate.sampling import uniform
from comoderate.study import Study
from comoderate.study.drawing import (
    ALL,
    SAMPLE,
    STRATA,
    draw_base,
    draw_census,
    draw_poisson,
    draw_second,
    strata_totals,
)


def candidates(sizes, positive_every=3, seed=0):
    """Posts in strata of the given sizes; every third is called positive."""
    rows = [(f"{stratum}{i}", stratum, i % positive_every == 0) for stratum, n in sizes.items() for i in range(n)]
    frame = pd.DataFrame(rows, columns=["post_id", "stratum", "positive"]).assign(cluster=None)
    return frame.assign(u=np.random.default_rng(seed).random(len(frame)))


@pytest.fixture(scope="module")
def lazily(tmp_path_factory):
    """Puts a frame of posts on DuckDB: the candidates, and the same with which of them are called positive."""
    backend, folder = connect(), tmp_path_factory.mktemp("lazily")

    def put(frame):
        path = folder / f"{len(list(folder.iterdir()))}.parquet"
        write_frame(frame.assign(cluster=frame["cluster"].astype("string")), path, {})
        table = read_parts(backend, [path])
        return Candidates(table), Candidates(table.mutate(called=table["positive"])) if "positive" in frame else None

    yield put
    backend.disconnect()


@pytest.fixture(scope="module")
def draw(lazily):
    """``draw_base`` of a frame."""

    def drawn(frame, size, totals=None, enrich=None, **more):
        found, flagged = lazily(frame)
        return draw_base(found, size, totals, enrich, flagged=None if enrich is None else flagged, **more)

    return drawn


def test_a_census_is_certain(lazily):
    draw = draw_census(lazily(candidates({"a": 3, "b": 2}))[0])
    assert draw.posts["pi"].tolist() == [1.0] * 5
    assert set(draw.posts["phase"]) == {"census"}
    assert draw.strata.set_index("stratum")["drawn"].to_dict() == {"a": 3, "b": 2}
    assert draw.warnings == ()


def test_pi_by_hand(draw):
    # a: 40 in hand of 60, 8 drawn: b/N = 8/60. b: 20 in hand of 30, 4 drawn: 4/30.
    found = draw(candidates({"a": 40, "b": 20}), 12, pd.Series({"a": 60, "b": 30}))
    counts = found.strata.set_index("stratum")
    assert counts["drawn"].to_dict() == {"a": 8, "b": 4}
    assert counts["N"].to_dict() == {"a": 60, "b": 30}
    np.testing.assert_allclose(found.posts["pi"], 12 / 90)
    assert (1 / found.posts["pi"]).sum() == pytest.approx(90)
    assert tuple(found.posts.columns) == SAMPLE
    assert tuple(found.strata.columns) == STRATA


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_what_was_drawn_stays_drawn_in_a_larger_sample(draw, seed):
    sizes = np.random.default_rng(seed).integers(3, 25, 9)
    posts = candidates(dict(zip("abcdefghi", sizes, strict=True)), seed=seed)
    before, strata = set(), None
    for size, enrich in ((5, 4), (8, 7), (20, 9), (33, 10), (33, 14), (34, 15)):  # at first fewer posts than strata
        found = draw(posts, size, enrich=enrich, earlier=strata)
        drawn = set(found.posts["post_id"])
        assert before <= drawn
        assert len(drawn) == size + enrich
        before, strata = drawn, found.strata
    fewer = draw(posts, 20, enrich=9, earlier=strata)
    assert len(fewer.posts) == 29  # a smaller sample is as if there had been none


def test_pi_with_enrichment_by_hand(draw):
    posts = candidates({"a": 30}, positive_every=3)  # ten are called positive
    found = draw(posts, 6, None, enrich=4)
    base = found.posts[found.posts["phase"] == "base"]
    called = found.posts["post_id"].isin(posts.loc[posts["positive"], "post_id"])
    left = 10 - base["post_id"].isin(posts.loc[posts["positive"], "post_id"]).sum()
    rate = 4 / left
    assert (found.posts["phase"] == "enrich").sum() == 4
    np.testing.assert_allclose(found.posts.loc[~called, "pi"], 6 / 30)  # b/N
    np.testing.assert_allclose(found.posts.loc[called, "pi"], (6 + rate * (30 - 6)) / 30)  # [b + f(c − b)]/N
    assert found.strata["drawn"].tolist() == [6, 4]
    assert found.strata["in_hand"].tolist() == [30, left]


@pytest.mark.slow
def test_how_often_posts_are_drawn_is_what_pi_says():
    sizes, counts, said = {"a": 12, "b": 9}, {}, {}
    for seed in range(120):
        posts = candidates(sizes, seed=seed)
        drawn = by_pandas.base(posts, 6, pd.Series({"a": 16, "b": 9}), enrich=3)
        for post, pi in zip(drawn["post_id"], drawn["pi"], strict=True):
            counts[post] = counts.get(post, 0) + 1
            said.setdefault(post, []).append(1 / pi)
    # Horvitz–Thompson: over many draws a post's 1/pi, 0 where it was not drawn, has the mean 1 in a stratum that is all
    # in hand, and 16/12 in one where 12 posts stand for 16.
    total = {post: sum(values) / 120 for post, values in said.items()}
    for stratum, expected in (("a", 16 / 12), ("b", 1.0)):
        for called in (True, False):
            mine = [v for post, v in total.items() if post[0] == stratum and (int(post[1:]) % 3 == 0) == called]
            assert np.mean(mine) == pytest.approx(expected, rel=0.2)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.dictionaries(st.sampled_from("abcde"), st.integers(1, 30), min_size=1),
    size=st.integers(1, 60),
    enrich=st.one_of(st.none(), st.integers(1, 30)),
    beyond=st.integers(0, 20),
)
@pytest.mark.slow
def test_a_draw_of_any_size(draw, sizes, size, enrich, beyond):
    posts = candidates(sizes)
    totals = pd.Series({stratum: n + beyond for stratum, n in sizes.items()})
    found = draw(posts, size, totals, enrich)
    drawn = found.posts
    twin = by_pandas.base(posts, size, totals, enrich)
    pd.testing.assert_frame_equal(drawn, twin, check_dtype=False)
    assert drawn["post_id"].is_unique
    assert (drawn["phase"] == "base").sum() == min(size, len(posts))
    assert ((drawn["pi"] > 0) & (drawn["pi"] <= 1)).all()
    assert found.strata["drawn"].sum() == len(drawn)
    added = drawn[drawn["phase"] == "enrich"]["post_id"]
    assert added.isin(posts.loc[posts["positive"], "post_id"]).all()
    assert (
        drawn["post_id"].tolist() == posts[posts["post_id"].isin(drawn["post_id"])].sort_values("u")["post_id"].tolist()
    )


def test_the_draw_is_the_smallest_u_of_every_stratum(draw):
    posts = candidates({"a": 20, "b": 20})
    drawn = set(draw(posts, 10, None).posts["post_id"])
    for _, stratum in posts.groupby("stratum"):
        assert set(stratum.nsmallest(5, "u")["post_id"]) <= drawn


def test_more_than_there_is(draw):
    found = draw(candidates({"a": 4}), 9, None, enrich=7)
    assert len(found.posts) == 4
    assert any("9 posts were asked for and 4 are in hand" in text for text in found.warnings)
    assert any("7 posts were to be added" in text for text in found.warnings)


def test_every_stratum_gets_a_post_where_there_are_enough(draw):
    assert set(draw(candidates({"a": 500, "b": 1, "c": 2}), 10, None).posts["stratum"]) == {"a", "b", "c"}
    few = draw(candidates({"a": 500, "b": 1, "c": 2}), 2, None)
    assert "2 posts are fewer than the 3 strata" in few.warnings[0]


def test_enrichment_as_a_census_takes_every_positive(lazily):
    posts = candidates({"a": 30, "b": 9})
    found, flagged = lazily(posts)
    drawn = draw_base(found, 6, None, None, flagged=flagged).posts
    assert set(posts.loc[posts["positive"], "post_id"]) <= set(drawn["post_id"])
    np.testing.assert_allclose(drawn.loc[drawn["phase"] == "enrich", "pi"], 1.0)
    pd.testing.assert_frame_equal(drawn, by_pandas.base(posts, 6, None, -1), check_dtype=False)


def test_drawn_posts_keep_their_clusters(draw):
    posts = candidates({"a": 30, "b": 9}).assign(cluster=lambda f: f["post_id"].str[-1])
    found = draw(posts, 6, None, enrich=5).posts
    assert found["cluster"].tolist() == found["post_id"].str[-1].tolist()


def test_a_poisson_draw_is_that_of_one_frame(lazily):
    posts = candidates({"a": 300, "b": 90}).assign(amount=lambda f: np.arange(len(f)) % 50 * 1.0)
    posts.loc[7, "amount"] = 9_000.0
    found = draw_poisson(lazily(posts.drop(columns="positive"))[0], 60, least=0.1, totals=None)
    pd.testing.assert_frame_equal(found.posts, by_pandas.poisson(posts, 60, 0.1), check_dtype=False)
    assert found.posts["pi"].max() == 1.0
    assert found.strata["drawn"].sum() == len(found.posts)


def test_a_second_phase(draw):
    parent = draw(candidates({"a": 40, "b": 20}), 12, pd.Series({"a": 60, "b": 30})).posts
    parent = parent.assign(u=uniform(1, "sample:second", parent["post_id"]), stratum="all")
    draw = draw_second(parent, 5)
    assert draw.posts["post_id"].tolist() == parent.nsmallest(5, "u")["post_id"].tolist()
    np.testing.assert_allclose(draw.posts["pi"], 12 / 90 * 5 / 12)
    assert set(draw.posts["phase"]) == {"second"}
    assert set(draw.posts["stratum"]) == {ALL}
    assert "12 can be drawn" in draw_second(parent, 99).warnings[0]


def test_totals_are_checked():
    counts = pd.Series({"a": 4, "b": 2})
    with pytest.raises(ComoderateError, match="posts of b but no total"):
        strata_totals(counts, pd.Series({"a": 9}))
    with pytest.raises(ComoderateError, match="the total of a is 3, less than the 4"):
        strata_totals(counts, pd.Series({"a": 3, "b": 9}))
    table, warnings = strata_totals(counts, pd.Series({"a": 9, "b": 2, "c": 5}))
    assert table["N"].to_dict() == {"a": 9, "b": 2}
    assert warnings == ("1 days with 5 posts in the totals have none in hand; estimates do not speak of them",)
    one = pd.Series({ALL: 6})
    assert strata_totals(one, pd.Series({"x": 9, "y": 2}))[0]["N"].to_dict() == {ALL: 11}
    with pytest.raises(ComoderateError, match="the sum of the totals is 5, less than the 6"):
        strata_totals(one, pd.Series({"x": 3, "y": 2}))


def test_the_samples_of_a_study(ran):
    study = Study.open(ran)
    main, experts = study.sample("main"), study.sample("experts")
    strata = pd.read_parquet(ran / "samples" / "main.strata.parquet")
    base = strata[strata["phase"] == "base"]
    assert base["N"].tolist() == [60] * 10
    assert base["in_hand"].tolist() == [40] * 10
    assert base["drawn"].tolist() == [15] * 10
    assert strata["drawn"].sum() == len(main)
    scores = study.scores("words").set_index("post_id")["proba"]
    called = (scores.reindex(main["post_id"]) > 0.5).to_numpy()
    np.testing.assert_allclose(main.loc[~called, "pi"], 15 / 60)
    extra = strata[strata["phase"] == "enrich"].set_index("stratum")
    rate = (extra["drawn"] / extra["in_hand"].where(extra["in_hand"] > 0)).fillna(0)
    expected = (15 + rate.reindex(main.loc[called, "stratum"]).to_numpy() * 25) / 60
    np.testing.assert_allclose(main.loc[called, "pi"], expected)
    assert set(experts["post_id"]) < set(main["post_id"])
    parent = main.set_index("post_id")["pi"].reindex(experts["post_id"]).to_numpy()
    np.testing.assert_allclose(experts["pi"], parent * 120 / len(main))
