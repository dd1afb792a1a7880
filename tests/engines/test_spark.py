"""The same draw and the same mapped dataset, post for post, from DuckDB, Spark and pandas."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest

from comoderate import models
from comoderate.corpus import Posts, connect, map_batches, read_dataset, top_k, write_posts
from comoderate.models.batch import SCHEMA as SCORES
from comoderate.study import Study

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SCHEMA = {"post_id": "string", "proba": "double", "scored_at": "timestamp"}
QUICK_ON_LITTLE = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def frames(n: int, seed: int = 7):
    rng = np.random.default_rng(seed)
    for start in range(0, n, 500):
        rows = np.arange(start, min(start + 500, n))
        yield pd.DataFrame(
            {
                "post_id": [f"{'é' if row % 7 else 'z'}{row}" for row in rows],
                "day": rng.choice(["2024-01-01", "2024-01-02", "2024-01-03", None], len(rows)),
                "u": np.round(rng.random(len(rows)), 3),
                "flagged": rng.choice(["yes", "no"], len(rows)),
                "row": rows + 1,
            }
        )


def scored(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {"post_id": frame["post_id"], "proba": frame["u"] / 2, "scored_at": pd.Timestamp("2024-02-01", tz="UTC")}
    )


def ours(backend):
    """The tables and views that the corpus made on an engine."""
    return [name for name in backend.list_tables() if name.startswith("comoderate_")]


@pytest.fixture(scope="module")
def posts(tmp_path_factory) -> Posts:
    folder = tmp_path_factory.mktemp("engines") / "posts"
    write_posts(frames(4_000), folder, where="generated", metadata={})
    return Posts(folder)


@pytest.fixture(scope="module")
def spark():
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    backend = connect("spark", master="local[1]")
    for name, value in QUICK_ON_LITTLE.items():
        backend._session.conf.set(name, value)
    yield backend
    backend.disconnect()


def test_both_phases_are_the_same_post_for_post(posts, spark):
    base_quota = {"2024-01-01": 60, "2024-01-02": 5, "2024-01-03": 10_000}
    flag_quota = {(day, "yes"): 100 for day in base_quota}
    drawn = []
    for source in (posts.frame(), posts.table(), posts.table(spark)):
        base = top_k(source, base_quota, by="day")
        extra = top_k(source, flag_quota, by=["day", "flagged"], exclude=base["post_id"])
        drawn.append((base, extra))
    for base, extra in drawn[1:]:
        pd.testing.assert_frame_equal(base, drawn[0][0])
        pd.testing.assert_frame_equal(extra, drawn[0][1])
    assert set(drawn[0][0]["day"]) == set(base_quota)
    assert not set(drawn[0][0]["post_id"]) & set(drawn[0][1]["post_id"])


def test_joins_are_made_once_and_leave_nothing_behind(posts, spark):
    drawn = []
    for backend in (connect(), spark):
        table = posts.table(backend)
        before = ours(backend)
        flagged = table.inner_join(table.filter(table.flagged == "yes").select("post_id"), "post_id")
        drawn.append(top_k(flagged, {"2024-01-01": 30}, by="day"))
        assert ours(backend) == before
    frame = posts.frame()
    expected = top_k(frame[frame["flagged"] == "yes"], {"2024-01-01": 30}, by="day")
    pd.testing.assert_frame_equal(drawn[0], expected)
    pd.testing.assert_frame_equal(drawn[1], expected)


def test_a_mapped_dataset_has_the_same_rows(posts, spark, tmp_path):
    found = []
    for name, table in (("duckdb", posts.table()), ("spark", posts.table(spark))):
        manifest = map_batches(table.select("post_id", "u"), scored, SCHEMA, tmp_path / name, batch_rows=300)
        assert manifest.rows == posts.count()
        found.append(read_dataset(tmp_path / name).sort_values("post_id", ignore_index=True))
    pd.testing.assert_frame_equal(*found)


def test_a_model_scores_on_spark_as_it_does_here(spark, tmp_path):
    rude, kind = ["you are a dolt", "get lost you clown"], ["lovely morning all", "see you at the match"]
    models.NaiveBayes(min_count=1).fit(rude + kind, [1, 1, 0, 0]).save(tmp_path / "model", card={})
    texts = [f"{text} number {number}" for number, text in enumerate((rude + kind) * 50)]
    frame = pd.DataFrame({"post_id": [f"p{number:03d}" for number in range(200)], "text": texts})
    write_posts([frame.assign(u=0.5, row=range(1, 201))], tmp_path / "posts", where="generated", metadata={})
    scorer = models.BatchScorer(tmp_path / "model", target="abusive")
    table = Posts(tmp_path / "posts").table(spark)["post_id", "text"]
    map_batches(table, scorer, SCORES, tmp_path / "scores", batch_rows=30)
    found = read_dataset(tmp_path / "scores").sort_values("post_id", ignore_index=True)
    np.testing.assert_array_equal(found["proba"], models.load(tmp_path / "model").predict_proba(texts))
    assert found["post_id"].tolist() == frame["post_id"].tolist()
    assert list(found.columns) == list(SCORES)


def test_a_study_scores_on_spark_as_it_does_here(spark, ran, changing, little):
    little.edit(changing, "[posts]\n", '[corpus]\nengine = "spark"\nmaster = "local[1]"\n\n[posts]\n')
    study = Study.open(changing)
    found = study.score("bayes", force=True).set_index("post_id")
    expected = Study.open(ran).scores("bayes").set_index("post_id").reindex(found.index)
    pd.testing.assert_frame_equal(found.drop(columns="scored_at"), expected.drop(columns="scored_at"))
