import numpy as np
import pytest
from tests.models.battery import ScorerBattery

from comoderate.errors import ComoderateError
from comoderate.models import Lexicon


class TestLexicon(ScorerBattery):
    def make(self, **settings):
        return Lexicon(words=["dolt", "clown", "get lost"], **settings)

    def test_hits(self):
        texts = ["nothing", "a Dolt!", "dolt dolt", "GET LOST, clown", "get it lost", "clowns"]
        assert np.allclose(self.make().predict_proba(texts), [0, 0.6, 0.84, 0.84, 0, 0])

    def test_labels_are_not_looked_at(self):
        assert self.make().fit(["a"], [0]).predict_proba(["clown"])[0] == 0.6
        assert not Lexicon.learns

    def test_repeated_entries_count_once(self):
        assert Lexicon(words=["Dolt", "dolt"]).predict_proba(["dolt"])[0] == 0.6

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({}, "has no words"),
            ({"words": "dolt"}, "has no words"),
            ({"words": ["dolt", "!?"]}, "'!\\?' has no letter"),
            ({"words": ["dolt"], "per_hit": 1.0}, "per_hit is 1.0"),
        ],
    )
    def test_bad_settings(self, settings, message):
        with pytest.raises(ComoderateError, match=message):
            Lexicon(**settings).fit([], [])
