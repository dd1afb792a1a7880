"""Scorers trained once for each fold that is left out."""

import json

import numpy as np
import pytest

from comoderate import models
from comoderate.errors import ComoderateError
from comoderate.models.uncertainty import of_members
from comoderate.study.crossfit import CARD, CrossFitted, Material, Workshop, load, save, train, version

RNG = np.random.default_rng(2)
N = 90
FOLD = np.arange(N) % 3
Y = (RNG.random(N) < 0.4).astype(float)
TEXTS = [
    f"{'nasty rude' if y else 'nice kind'} {'abc'[f]}marker word{RNG.integers(9)}" for y, f in zip(Y, FOLD, strict=True)
]

MATERIAL = Material(TEXTS, Y, np.ones(N), FOLD)


def fitted(**options):
    return train("naive_bayes", {}, MATERIAL, seed=0, **options)


def test_every_labelled_post_is_scored_by_the_member_that_did_not_see_it():
    found = fitted()
    assert found.folds == [0, 1, 2]
    assert found.trained == [[1, 2], [0, 2], [0, 1]]
    proba = found.predict_proba(TEXTS, FOLD)
    for home, member in zip(found.folds, found.members, strict=True):
        mine = np.isin(FOLD, home)
        expected = member.predict_proba([text for text, use in zip(TEXTS, mine, strict=True) if use])
        np.testing.assert_array_equal(proba[mine], expected)
    assert not found.saw(FOLD).any()


def test_other_posts_get_the_members_mean():
    found = fitted()
    for fold in (-1, 7):
        proba = found.predict_proba(["nasty word"], np.array([fold]))
        assert proba[0] == pytest.approx(np.mean([member.predict_proba(["nasty word"])[0] for member in found.members]))
        assert not found.saw(np.array([fold])).any()


def test_labels_of_a_fold_never_reach_its_own_scores():
    flipped = np.where(FOLD == 1, 1 - Y, Y)
    other = train("naive_bayes", {}, MATERIAL._replace(y=flipped), seed=0)
    mine = FOLD == 1
    np.testing.assert_array_equal(fitted().predict_proba(TEXTS, FOLD)[mine], other.predict_proba(TEXTS, FOLD)[mine])
    assert not np.array_equal(fitted().predict_proba(TEXTS, FOLD)[~mine], other.predict_proba(TEXTS, FOLD)[~mine])


def test_a_single_model_says_what_it_saw():
    found = fitted(only=(0, 2))
    assert len(found.members) == 1
    assert found.saw(np.array([0, 1, 2, -1])).tolist() == [True, False, True, False]
    assert len(np.unique(found.predict_proba(["nasty"] * 4, np.array([0, 1, 2, -1])))) == 1


def test_a_lexicon_learns_nothing_and_has_seen_nothing():
    found = train("lexicon", {"words": ["nasty"]}, Material.none(), seed=0)
    assert not found.learns
    assert not found.saw(FOLD).any()
    proba = found.predict_proba(["nasty", "nice"], np.array([0, -1]))
    assert proba[0] > 0.5 > proba[1]


def test_all_in_one_fold_cannot_be_trained():
    with pytest.raises(ComoderateError, match="all labelled posts are in one fold"):
        train("naive_bayes", {}, MATERIAL._replace(fold=np.zeros(N, dtype=int)), seed=0)


@pytest.mark.parametrize("options", [{}, {"only": (0, 1)}])
def test_saved_and_loaded(tmp_path, options):
    found = fitted(**options)
    number = save(found, tmp_path / "m", {"name": "bayes"})
    again, card = load(tmp_path / "m")
    assert card["version"] == number == version(tmp_path / "m")
    assert len(number) == 10
    assert (again.folds, again.trained) == (found.folds, found.trained)
    np.testing.assert_array_equal(again.predict_proba(TEXTS, FOLD), found.predict_proba(TEXTS, FOLD))
    np.testing.assert_array_equal(again.saw(FOLD), found.saw(FOLD))
    member = json.loads(next((tmp_path / "m").glob(f"*/{CARD}")).read_text())
    assert member["card"]["name"] == "bayes"
    assert member["card"]["folds"] in found.trained


def test_the_version_is_that_of_what_was_learnt(tmp_path):
    first, same = save(fitted(), tmp_path / "a", {}), save(fitted(), tmp_path / "b", {})
    other = save(train("naive_bayes", {"alpha": 3.0}, MATERIAL, seed=0), tmp_path / "c", {})
    assert first == same != other


def test_half_a_model_is_none(tmp_path):
    save(fitted(), tmp_path / "m", {})
    (tmp_path / "m" / CARD).write_text("{}")
    for folder in (tmp_path / "m", tmp_path / "nowhere"):
        with pytest.raises(ComoderateError, match="no trained model here"):
            load(folder)


def test_members_that_an_earlier_run_finished_are_not_trained_again(tmp_path, monkeypatch):
    plain = save(fitted(), tmp_path / "plain", {})
    began = []
    fit = models.NaiveBayes.fit

    def stopped(self, *arguments, **options):
        began.append(self)
        if len(began) == 3:
            raise KeyboardInterrupt
        return fit(self, *arguments, **options)

    monkeypatch.setattr(models.NaiveBayes, "fit", stopped)
    lines = []
    workshop = Workshop(tmp_path / "workshop", lines.append)
    with pytest.raises(KeyboardInterrupt):
        fitted(workshop=workshop)
    assert save(fitted(workshop=workshop), tmp_path / "resumed", {}) == plain
    assert len(began) == 4  # three, of which the last was stopped, and that one again
    assert lines == ["model 1 of 3", "model 2 of 3", "model 3 of 3", "model 3 of 3"]


class Unsure(models.Lexicon):
    """A lexicon that says how unsure it is."""

    def predict_uncertainty(self, texts):
        proba = self.predict_proba(texts)
        return of_members(np.column_stack([proba, proba / 2]))


def test_posts_outside_the_folds_are_scored_by_an_ensemble_of_the_members():
    members = [Unsure(words=["nasty"], per_hit=share) for share in (0.4, 0.8)]
    found = CrossFitted([0, 1], members, [[1], [0]]).predict(["nasty"] * 3, np.array([0, 1, -1]))
    first, second = (member.predict_uncertainty(["nasty"]) for member in members)
    for part in ("proba", "total", "aleatoric", "epistemic"):
        assert getattr(found, part)[0] == getattr(first, part)[0]
        assert getattr(found, part)[1] == getattr(second, part)[0]
    both = np.array([first.proba[0], second.proba[0]])
    assert found.proba[2] == pytest.approx(both.mean())
    assert found.epistemic[2] == pytest.approx(both.var() + (first.epistemic[0] + second.epistemic[0]) / 2)
    np.testing.assert_allclose(found.total, found.aleatoric + found.epistemic)
    np.testing.assert_allclose(found.total, found.proba * (1 - found.proba))


def test_without_uncertainty_only_the_total_is_known():
    found = fitted().predict(TEXTS, np.where(FOLD == 2, -1, FOLD))
    assert np.isnan(found.epistemic).all()
    np.testing.assert_allclose(found.total, found.proba * (1 - found.proba))


def test_a_single_model_that_was_saved_in_python_scores_every_post(tmp_path):
    model = models.NaiveBayes().fit(TEXTS, Y)
    model.save(tmp_path / "model", card={})
    found, card = load(tmp_path / "model")
    assert card == {}
    assert version(tmp_path / "model") == models.digest(tmp_path / "model")
    np.testing.assert_array_equal(found.predict_proba(TEXTS, np.full(N, -1)), model.predict_proba(TEXTS))
    assert not found.saw(np.full(N, -1)).any()
