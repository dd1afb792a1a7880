"""The posts that a sample may draw: counted, flagged, sized and drawn without being held."""

import numpy as np
import pandas as pd
import pytest

from comoderate.corpus import (
    Candidates,
    Posts,
    connect,
    score_sums,
    top_k,
    write_dataset,
    write_frame,
    write_posts,
)
from comoderate.corpus.candidates import ALL


def frame(n=400):
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "post_id": [f"p{i}" for i in range(n)],
            "row": np.arange(n) + 1,
            "u": rng.random(n),
            "day": rng.choice(["2026-01-01", "2026-01-02", "2026-01-03"], n),
            "author": [f"a{i % 30}" if i % 5 else None for i in range(n)],
            "views": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 900, n)),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("candidates")
    posts = frame()
    write_posts([posts], root / "posts", where="invented", metadata={})
    rng = np.random.default_rng(4)
    write_dataset([posts[["post_id"]].assign(proba=rng.random(len(posts)))], root / "scores", {})
    write_frame(posts[["post_id"]].iloc[::2].loc[lambda f: f.index.repeat(2)], root / "some.parquet", {})
    return root


@pytest.fixture(scope="module")
def backend():
    backend = connect()
    yield backend
    backend.disconnect()


def test_counts_and_draws_are_those_of_the_frame(folder, backend):
    found = Candidates.of(Posts(folder / "posts"), backend, stratum="day", cluster="author")
    posts = frame().rename(columns={"day": "stratum", "author": "cluster"})
    assert found.counts().to_dict() == posts.groupby("stratum").size().to_dict()
    quota = {"2026-01-01": 7, "2026-01-03": 500}
    pd.testing.assert_frame_equal(found.draw(quota), top_k(posts, quota, also=["cluster"]))
    pd.testing.assert_frame_equal(found.draw(quota, spans=found.spans()), found.draw(quota))
    assert set(found.all()["post_id"]) == set(posts["post_id"])


def test_without_strata_all_are_one(folder, backend):
    found = Candidates.of(Posts(folder / "posts"), backend)
    assert found.counts().to_dict() == {ALL: 400}
    assert found.all()["cluster"].isna().all()


def test_some_posts_only(folder, backend):
    found = Candidates.of(Posts(folder / "posts"), backend, among=folder / "some.parquet")
    with found.kept() as kept:
        assert kept.counts().to_dict() == {ALL: 200}
        assert set(kept.all()["post_id"]) == set(frame()["post_id"].iloc[::2])


def test_called_and_sized(folder, backend):
    posts, scores = Posts(folder / "posts"), pd.read_parquet(folder / "scores" / "part-00000.parquet")
    found = Candidates.of(posts, backend)
    over = set(scores.loc[scores["proba"] > 0.7, "post_id"])
    drawn = found.called(folder / "scores", 0.7).draw_enriched({ALL: 50}, pd.Series.to_dict)
    assert set(drawn.extra["post_id"]) | set(drawn.base.loc[drawn.base["called"], "post_id"]) == over
    assert drawn.left.to_dict() == {ALL: len(drawn.extra)}
    views = Candidates.of(posts, backend, amount="views")
    np.testing.assert_array_equal(views.amounts(), np.sort(frame()["views"].fillna(0)))
    np.testing.assert_array_equal(found.sized(folder / "scores").amounts(), np.sort(scores["proba"].to_numpy()))


def test_a_failed_score_flags_nothing_and_counts_as_nothing(folder, backend):
    values = [None, np.nan, *[0.5] * 398]
    schema = {"post_id": "string", "proba": "double"}
    write_dataset([frame()[["post_id"]].assign(proba=values)], folder / "gaps", {}, schema=schema)
    posts = Posts(folder / "posts")
    found = Candidates.of(posts, backend)
    assert found.sized(folder / "gaps").amounts().tolist() == [0.0, 0.0, *[0.5] * 398]
    assert found.called(folder / "gaps", 0.4).draw_enriched({ALL: 0}, pd.Series.to_dict).left.to_dict() == {ALL: 398}


def test_other_random_numbers(folder, backend, tmp_path):
    found = Candidates.of(Posts(folder / "posts"), backend, stratum="day", amount="views")
    found = found.mapped(lambda f: f.assign(u=1 - f["u"]), tmp_path / "other")
    drawn = found.draw({"2026-01-02": 3})
    mine = frame().loc[lambda f: f["day"] == "2026-01-02"].nlargest(3, "u")
    assert drawn["post_id"].tolist() == mine["post_id"].tolist()
    np.testing.assert_array_equal(found.amounts(), np.sort(frame()["views"].fillna(0)))


@pytest.mark.parametrize("limit", [np.inf, 700.0])
def test_posts_below_their_chance(folder, backend, limit):
    found = Candidates.of(Posts(folder / "posts"), backend, stratum="day", amount="views")
    near = found.below(0.001, 0.05, limit=limit, most=1.0 if limit < np.inf else 0.9)
    posts = frame().assign(views=lambda f: f["views"].fillna(0))
    expected = posts[(posts["u"] < 0.001 * posts["views"] + 0.05) | (posts["views"] >= limit)]
    assert set(near["post_id"]) == set(expected["post_id"])
    assert near.columns.tolist() == ["post_id", "stratum", "cluster", "u", "amount"]


def test_sums_of_scores_by_stratum_and_over_all(folder, backend):
    posts, scores = frame(), pd.read_parquet(folder / "scores" / "part-00000.parquet")
    scores.loc[[3, 8], "proba"] = np.nan
    write_dataset([scores], folder / "some_failed", {})
    known = posts.merge(scores, on="post_id").groupby("day")["proba"]
    found = Candidates.of(Posts(folder / "posts"), backend, stratum="day").score_sums(folder / "some_failed")
    assert found["stratum"].tolist() == sorted(posts["day"].unique())
    assert found["posts"].tolist() == known.size().tolist()
    assert found["scored"].tolist() == known.count().tolist()
    np.testing.assert_allclose(found["total"], known.sum(), rtol=1e-12)
    every = score_sums(folder / "some_failed")
    assert every[["posts", "scored"]].iloc[0].tolist() == [400, 398]
    assert every.loc[0, "total"] == pytest.approx(scores["proba"].sum())
    few = Candidates.of(Posts(folder / "posts"), backend, among=folder / "some.parquet").score_sums(folder / "scores")
    assert few["posts"].tolist() == [200]
