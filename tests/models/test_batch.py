"""Scoring frames by the model in a folder, once loaded a process."""

import pickle

import numpy as np
import pandas as pd
import pytest

from comoderate import models
from comoderate.corpus import map_batches, read_dataset
from comoderate.errors import ComoderateError
from comoderate.models import batch

RUDE, KIND = ["you are a dolt", "get lost you clown"], ["lovely morning all", "see you at the match"]


@pytest.fixture
def folder(tmp_path):
    models.NaiveBayes(min_count=1).fit(RUDE + KIND, [1, 1, 0, 0]).save(tmp_path / "model", card={})
    return tmp_path / "model"


def frame(n=4):
    return pd.DataFrame({"post_id": [f"p{k}" for k in range(n)], "text": (RUDE + KIND)[:n]})


def test_a_table_of_scores(folder):
    scorer = models.BatchScorer(folder, target="abusive")
    table = scorer(frame())
    assert list(table.columns) == list(batch.SCHEMA)
    np.testing.assert_array_equal(table["proba"], models.load(folder).predict_proba(RUDE + KIND))
    np.testing.assert_allclose(table["total"], table["proba"] * (1 - table["proba"]))
    assert table[["aleatoric", "epistemic", "error"]].isna().all().all()
    assert set(table["target"]) == {"abusive"}
    assert not table["seen"].any()
    assert str(table["scored_at"].dt.tz) == "UTC"


def test_posts_without_a_text_get_an_error(folder):
    table = models.BatchScorer(folder)(frame().assign(text=[RUDE[0], None, np.nan, ""]))
    assert table["proba"].isna().tolist() == [False, True, True, False]
    assert table["error"].tolist() == [None, batch.NO_TEXT, batch.NO_TEXT, None]


def test_it_travels_as_a_path_and_loads_once(folder, monkeypatch):
    scorer = pickle.loads(pickle.dumps(models.BatchScorer(folder)))
    loads = []
    load = models.load
    monkeypatch.setattr(models, "load", lambda path: loads.append(path) or load(path))
    first, second = scorer(frame()), scorer(frame())
    assert loads == [str(folder.resolve())]
    np.testing.assert_array_equal(first["proba"], second["proba"])
    assert len(pickle.dumps(scorer)) < 1_000


def test_through_map_batches(folder, tmp_path):
    posts = frame()
    manifest = map_batches(posts, models.BatchScorer(folder), batch.SCHEMA, tmp_path / "scores", batch_rows=3)
    assert manifest.rows == 4
    found = read_dataset(tmp_path / "scores")
    np.testing.assert_array_equal(found["proba"], models.load(folder).predict_proba(posts["text"]))


def test_no_model_there(tmp_path):
    with pytest.raises(ComoderateError, match="there is no trained model here"):
        models.BatchScorer(tmp_path)(frame())


def test_no_posts(folder):
    assert models.BatchScorer(folder)(frame(0)).shape == (0, len(batch.SCHEMA))
