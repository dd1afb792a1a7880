import numpy as np
import pytest
from tests.models.battery import TEXTS, LearnerBattery, Y

from comoderate.models import DavidsonFeatures
from comoderate.models.davidson_features import SURFACE, stemmed, surface
from comoderate.models.text import normalise


class TestBattery(LearnerBattery):
    def make(self, **settings):
        return DavidsonFeatures(**{"min_count": 2, **settings})

    def test_texts_that_hold_nothing_known(self):
        assert np.isfinite(self.fitted().predict_proba(["", "!!!", "zzz"])).all()


def test_stems():
    assert stemmed("insults insulted insulting") == "insult insult insult"
    assert stemmed("the bus is rt @user httplink") == "the bus is rt @user httplink"


def test_marks():
    (row,) = surface([normalise("RT @anna: Lovely weather today, lovely! #sun https://example.org")])
    found = dict(zip(SURFACE, row, strict=True))
    assert found["words"] == 5
    assert found["different_words"] == 4
    assert found["syllables"] == 3 + 2 + 2 + 3 + 1
    assert found["grade_level"] == pytest.approx(0.39 * 5 + 11.8 * 11 / 5 - 15.59)
    assert found["reading_ease"] == pytest.approx(206.835 - 1.015 * 5 - 84.6 * 11 / 5)
    assert [found[name] for name in ("handles", "hashtags", "links", "retweet")] == [1, 1, 1, 1]
    assert surface([]).shape == (0, 14)


def test_marks_alone_can_decide():
    texts = ["day #x #y", "day"] * 20
    proba = DavidsonFeatures().fit(texts, [1, 0] * 20).predict_proba(["day #z #w", "day"])
    assert proba[0] > 0.8 > 0.2 > proba[1]


def test_classes_can_be_balanced():
    few = [1] * 3 + [0] * 37
    plain, balanced = (DavidsonFeatures(class_weight=how).fit(TEXTS, few) for how in (None, "balanced"))
    assert balanced.predict_proba(TEXTS).mean() > plain.predict_proba(TEXTS).mean()
    assert len(Y) == 40
