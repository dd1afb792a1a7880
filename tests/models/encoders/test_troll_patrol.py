import numpy as np
import pytest
import torch
from tests.models.battery import TEXTS, Y

from comoderate import models
from comoderate.models.encoders.network import WordMean

FAST = {"epochs": 10, "batch_size": 8, "learning_rate": 3e-3, "validation_share": 0.0}


@pytest.fixture(scope="module")
def fitted(tiny):
    return models.TrollPatrol(backbone=tiny, **FAST).fit(TEXTS, Y)


def test_the_vocabulary_is_the_list_and_what_the_positives_say(fitted):
    assert len(fitted.vocabulary_) > 1300
    assert {"dolt", "clown"} <= set(fitted.vocabulary_)
    assert "match" not in fitted.vocabulary_


def test_shape_of_the_network(fitted):
    network = fitted.networks_[0]
    assert network.pooler.in_features == 32 + 128
    assert network.pooler.out_features == 64
    assert fitted.predict_proba(TEXTS)[:20].min() > fitted.predict_proba(TEXTS)[20:].max()


def test_kept_and_loaded(fitted, tmp_path):
    fitted.save(tmp_path, card={})
    assert (models.load(tmp_path).predict_proba(TEXTS) == fitted.predict_proba(TEXTS)).all()


def test_words_that_the_encoder_does_not_know(tiny):
    """Two texts that are the same to the encoder differ by their listed words, here on frozen vectors."""
    texts = ["you xyzzy", "you plugh"] * 20
    scorer = models.TrollPatrol(backbone=tiny, words=["xyzzy"], frozen=True, **FAST | {"learning_rate": 0.02})
    proba = scorer.fit(texts, np.resize([1.0, 0.0], 40)).predict_proba(texts[:2])
    assert proba[0] > 0.8 > 0.2 > proba[1]


def test_published_optimiser_trains(tiny):
    settings = FAST | {"optimiser": "sgd", "learning_rate": 0.1}
    proba = models.TrollPatrol(backbone=tiny, words=["dolt"], over_represented=0, **settings).fit(TEXTS, Y)
    assert proba.predict_proba(TEXTS)[:20].mean() > proba.predict_proba(TEXTS)[20:].mean()


def test_mean_of_words():
    mean = WordMean(3, 4)
    out = mean(torch.tensor([[1, 2, 0], [0, 0, 0]]))
    assert torch.allclose(out[0], (mean.vectors.weight[1] + mean.vectors.weight[2]) / 2)
    assert not out[1].any()
