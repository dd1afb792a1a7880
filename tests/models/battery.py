"""What every scorer must do: the same battery for each kind."""

import json

import numpy as np
import pytest

from comoderate import models
from comoderate.errors import ComoderateError

RUDE = ["you are a dolt", "get lost you clown", "what a clown", "dolt and clown", "get lost dolt"]
KIND = ["lovely morning all", "see you at the match", "what a lovely match", "good morning all", "see the match"]
TEXTS, Y = RUDE * 4 + KIND * 4, [1] * 20 + [0] * 20


class ScorerBattery:
    """Subclass it, with ``make`` that gives an unfitted scorer."""

    def make(self, **settings):
        raise AssertionError("give make")

    def fitted(self):
        return self.make().fit(TEXTS, Y)

    def test_probabilities(self):
        proba = self.fitted().predict_proba(TEXTS)
        assert proba.shape == (40,)
        assert proba.dtype == np.float64
        assert ((proba >= 0) & (proba <= 1)).all()
        assert proba[:20].min() > proba[20:].max()

    def test_no_texts_no_probabilities(self):
        assert self.fitted().predict_proba([]).shape == (0,)

    def test_texts_that_hold_nothing_known(self):
        proba = self.fitted().predict_proba(["", "!!!", "zzz"])
        assert np.isfinite(proba).all()
        assert len(set(proba)) == 1

    def test_each_text_is_scored_by_itself(self):
        scorer = self.fitted()
        together = scorer.predict_proba(TEXTS)
        assert np.allclose(together, [scorer.predict_proba([text])[0] for text in TEXTS], rtol=0, atol=1e-12)

    def test_missing_text(self):
        with pytest.raises(ValueError, match="must be strings"):
            self.fitted().predict_proba(["a", None])

    def test_kept_and_loaded(self, tmp_path):
        scorer = self.fitted()
        scorer.save(tmp_path / "model", card={"folds": [0, 1], "target": "abusive"})
        loaded = models.load(tmp_path / "model")
        assert type(loaded) is type(scorer)
        assert (loaded.predict_proba(TEXTS) == scorer.predict_proba(TEXTS)).all()
        assert models.read_card(tmp_path / "model") == {"folds": [0, 1], "target": "abusive"}
        assert models.read_manifest(tmp_path / "model").kind == scorer.kind
        assert not list((tmp_path / "model").glob("*.partial"))

    def test_same_training_same_digest_whatever_the_card(self, tmp_path):
        for name, card in [("a", {}), ("b", {"note": "another day"})]:
            self.fitted().save(tmp_path / name, card=card)
        models.load(tmp_path / "a").save(tmp_path / "c", card={})
        digests = {models.digest(tmp_path / name) for name in "abc"}
        assert len(digests) == 1
        assert len(digests.pop()) == 10

    def test_saving_again_replaces(self, tmp_path):
        self.fitted().save(tmp_path, card={"round": 1})
        self.fitted().save(tmp_path, card={"round": 2})
        assert models.read_card(tmp_path) == {"round": 2}

    def test_settings_are_kept(self, tmp_path):
        scorer = self.make(random_state=7).fit(TEXTS, Y)
        scorer.save(tmp_path, card={})
        assert models.load(tmp_path).random_state == 7

    def test_a_changed_file_is_refused(self, tmp_path):
        self.fitted().save(tmp_path, card={})
        manifest = json.loads((tmp_path / "comoderate.json").read_text())
        name = next(iter(manifest["files"]))
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"x")
        with pytest.raises(ComoderateError, match="not the one that was saved"):
            models.load(tmp_path)
        (tmp_path / name).unlink()
        with pytest.raises(ComoderateError, match="missing"):
            models.load(tmp_path)


class LearnerBattery(ScorerBattery):
    """Also for scorers that use the labels."""

    def test_one_class(self):
        with pytest.raises(ComoderateError, match="all 40 posts to train on are negative"):
            self.make().fit(TEXTS, [0] * 40)

    def test_no_words(self):
        with pytest.raises(ComoderateError, match="hold no words"):
            self.make().fit(["", "!"], [0, 1])

    def test_not_fitted(self):
        with pytest.raises(ValueError, match="must be fitted"):
            self.make().predict_proba(["a"])

    def test_deterministic(self):
        assert (self.fitted().predict_proba(TEXTS) == self.fitted().predict_proba(TEXTS)).all()

    def test_scale_of_weights_does_not_matter(self):
        weight = np.linspace(1, 3, 40)
        one = self.make().fit(TEXTS, Y, sample_weight=weight).predict_proba(TEXTS)
        many = self.make().fit(TEXTS, Y, sample_weight=weight * 1000).predict_proba(TEXTS)
        assert np.allclose(one, many)

    def test_soft_label_is_two_weighted_rows(self):
        texts, soft = ["you dolt", "what a match", "get lost", "see you"], np.array([0.75, 0.0, 1.0, 0.25])
        as_rows = self.make(min_count=1).fit(texts + texts, [1] * 4 + [0] * 4, sample_weight=np.r_[soft, 1 - soft])
        as_soft = self.make(min_count=1).fit(texts, soft)
        if self.make().kind == "naive_bayes":  # there the same up to the scale of weights against the smoothing
            as_rows = self.make(min_count=1, alpha=0.2 * 6 / 4).fit(
                texts + texts, [1] * 4 + [0] * 4, sample_weight=np.r_[soft, 1 - soft]
            )
            assert np.allclose(as_rows.predict_proba(texts), as_soft.predict_proba(texts))
        order = np.argsort(as_soft.predict_proba(texts))
        assert (np.argsort(as_rows.predict_proba(texts)) == order).all()

    def test_a_softer_label_pulls_down(self):
        hard = self.make().fit(TEXTS, Y).predict_proba(["you clown"])
        soft = self.make().fit(TEXTS, [0.7] * 20 + [0] * 20).predict_proba(["you clown"])
        assert soft < hard
