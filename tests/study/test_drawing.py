"""Drawing: exact inclusion probabilities of base sample, enrichment, census and second phase."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate.errors import ComoderateError
from comoderate.sampling import uniform
from comoderate.study import Study
from comoderate.study.drawing import ALL, SAMPLE, STRATA, draw_base, draw_census, draw_second, strata_totals


def candidates(sizes, positive_every=3, seed=0):
    """Posts in strata of the given sizes; every third is called positive."""
    rows = [(f"{stratum}{i}", stratum, i % positive_every == 0) for stratum, n in sizes.items() for i in range(n)]
    frame = pd.DataFrame(rows, columns=["post_id", "stratum", "positive"]).assign(cluster=None)
    return frame.assign(u=np.random.default_rng(seed).random(len(frame)))


def test_a_census_is_certain():
    draw = draw_census(candidates({"a": 3, "b": 2}))
    assert draw.posts["pi"].tolist() == [1.0] * 5
    assert set(draw.posts["phase"]) == {"census"}
    assert draw.strata.set_index("stratum")["drawn"].to_dict() == {"a": 3, "b": 2}
    assert draw.warnings == ()


def test_pi_by_hand():
    # a: 40 in hand of 60, 8 drawn: b/N = 8/60. b: 20 in hand of 30, 4 drawn: 4/30.
    draw = draw_base(candidates({"a": 40, "b": 20}), 12, pd.Series({"a": 60, "b": 30}))
    counts = draw.strata.set_index("stratum")
    assert counts["drawn"].to_dict() == {"a": 8, "b": 4}
    assert counts["N"].to_dict() == {"a": 60, "b": 30}
    np.testing.assert_allclose(draw.posts["pi"], 12 / 90)
    assert (1 / draw.posts["pi"]).sum() == pytest.approx(90)
    assert tuple(draw.posts.columns) == SAMPLE
    assert tuple(draw.strata.columns) == STRATA


def test_pi_with_enrichment_by_hand():
    posts = candidates({"a": 30}, positive_every=3)  # ten are called positive
    draw = draw_base(posts, 6, None, enrich=4)
    base = draw.posts[draw.posts["phase"] == "base"]
    called = draw.posts["post_id"].isin(posts.loc[posts["positive"], "post_id"])
    left = 10 - base["post_id"].isin(posts.loc[posts["positive"], "post_id"]).sum()
    rate = 4 / left
    assert (draw.posts["phase"] == "enrich").sum() == 4
    np.testing.assert_allclose(draw.posts.loc[~called, "pi"], 6 / 30)  # b/N
    np.testing.assert_allclose(draw.posts.loc[called, "pi"], (6 + rate * (30 - 6)) / 30)  # [b + f(c − b)]/N
    assert draw.strata["drawn"].tolist() == [6, 4]
    assert draw.strata["in_hand"].tolist() == [30, left]


def test_how_often_posts_are_drawn_is_what_pi_says():
    sizes, counts, said = {"a": 12, "b": 9}, {}, {}
    for seed in range(120):
        posts = candidates(sizes, seed=seed)
        draw = draw_base(posts, 6, pd.Series({"a": 16, "b": 9}), enrich=3)
        for post, pi in zip(draw.posts["post_id"], draw.posts["pi"], strict=True):
            counts[post] = counts.get(post, 0) + 1
            said.setdefault(post, []).append(1 / pi)
    # Horvitz–Thompson: over many draws a post's 1/pi, 0 where it was not drawn, has the mean 1 in a stratum that is all
    # in hand, and 16/12 in one where 12 posts stand for 16.
    total = {post: sum(values) / 120 for post, values in said.items()}
    for stratum, expected in (("a", 16 / 12), ("b", 1.0)):
        for called in (True, False):
            mine = [v for post, v in total.items() if post[0] == stratum and (int(post[1:]) % 3 == 0) == called]
            assert np.mean(mine) == pytest.approx(expected, rel=0.2)


@settings(max_examples=25)
@given(
    st.dictionaries(st.sampled_from("abcde"), st.integers(1, 30), min_size=1),
    st.integers(1, 60),
    st.one_of(st.none(), st.integers(1, 30)),
    st.integers(0, 20),
)
def test_a_draw_of_any_size(sizes, size, enrich, beyond):
    posts = candidates(sizes)
    totals = pd.Series({stratum: n + beyond for stratum, n in sizes.items()})
    draw = draw_base(posts, size, totals, enrich)
    drawn = draw.posts
    assert drawn["post_id"].is_unique
    assert (drawn["phase"] == "base").sum() == min(size, len(posts))
    assert ((drawn["pi"] > 0) & (drawn["pi"] <= 1)).all()
    assert draw.strata["drawn"].sum() == len(drawn)
    added = drawn[drawn["phase"] == "enrich"]["post_id"]
    assert added.isin(posts.loc[posts["positive"], "post_id"]).all()
    assert (
        drawn["post_id"].tolist() == posts[posts["post_id"].isin(drawn["post_id"])].sort_values("u")["post_id"].tolist()
    )


def test_the_draw_is_the_smallest_u_of_every_stratum():
    posts = candidates({"a": 20, "b": 20})
    drawn = set(draw_base(posts, 10, None).posts["post_id"])
    for _, stratum in posts.groupby("stratum"):
        assert set(stratum.nsmallest(5, "u")["post_id"]) <= drawn


def test_more_than_there_is():
    draw = draw_base(candidates({"a": 4}), 9, None, enrich=7)
    assert len(draw.posts) == 4
    assert any("9 posts were asked for and 4 are in hand" in text for text in draw.warnings)
    assert any("7 posts were to be added" in text for text in draw.warnings)


def test_every_stratum_gets_a_post_where_there_are_enough():
    draw = draw_base(candidates({"a": 500, "b": 1, "c": 2}), 10, None)
    assert set(draw.posts["stratum"]) == {"a", "b", "c"}
    few = draw_base(candidates({"a": 500, "b": 1, "c": 2}), 2, None)
    assert "2 posts are fewer than the 3 strata" in few.warnings[0]


def test_a_second_phase():
    parent = draw_base(candidates({"a": 40, "b": 20}), 12, pd.Series({"a": 60, "b": 30})).posts
    parent = parent.assign(u=uniform(1, "sample:second", parent["post_id"]), stratum="all")
    draw = draw_second(parent, 5)
    assert draw.posts["post_id"].tolist() == parent.nsmallest(5, "u")["post_id"].tolist()
    np.testing.assert_allclose(draw.posts["pi"], 12 / 90 * 5 / 12)
    assert set(draw.posts["phase"]) == {"second"}
    assert set(draw.posts["stratum"]) == {ALL}
    assert "12 can be drawn" in draw_second(parent, 99).warnings[0]


def test_totals_are_checked():
    posts = candidates({"a": 4, "b": 2})
    with pytest.raises(ComoderateError, match="posts of b but no total"):
        strata_totals(posts, pd.Series({"a": 9}))
    with pytest.raises(ComoderateError, match="the total of a is 3, less than the 4"):
        strata_totals(posts, pd.Series({"a": 3, "b": 9}))
    table, warnings = strata_totals(posts, pd.Series({"a": 9, "b": 2, "c": 5}))
    assert table["N"].to_dict() == {"a": 9, "b": 2}
    assert warnings == ("1 days with 5 posts in the totals have none in hand; estimates do not speak of them",)
    one = posts.assign(stratum=ALL)
    assert strata_totals(one, pd.Series({"x": 9, "y": 2}))[0]["N"].to_dict() == {ALL: 11}


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
