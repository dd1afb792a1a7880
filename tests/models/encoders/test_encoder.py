import json

import numpy as np
import pytest
from tests.models.battery import TEXTS, ScorerBattery, Y
from transformers import AutoModel, AutoTokenizer

from comoderate import models
from comoderate.errors import ComoderateError

METHODS = ["deterministic", "mc_dropout", "ensemble", "sngp", "sngp_ensemble"]


class TestTuned(ScorerBattery):
    @pytest.fixture(autouse=True)
    def _maker(self, tuned):
        self.make = tuned

    def test_texts_that_hold_nothing_known(self):
        proba = self.fitted().predict_proba(["", "zzz", "qqq"])
        assert np.isfinite(proba).all()
        assert proba[1] == pytest.approx(proba[2])

    def test_each_text_is_scored_by_itself(self):
        scorer = self.fitted()
        alone = [scorer.predict_proba([text])[0] for text in TEXTS[::5]]
        assert scorer.predict_proba(TEXTS)[::5] == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("frozen", [False, True])
def test_methods_keep_what_they_say(tuned, tmp_path, method, frozen):
    scorer = tuned(method=method, frozen=frozen, members=2, passes=3).fit(TEXTS, Y)
    found = scorer.predict_uncertainty(TEXTS, members=True)
    least = 0.001 if frozen else 0.02 if method.startswith("sngp") else 0.3
    assert found.proba[:20].mean() > found.proba[20:].mean() + least
    assert found.total == pytest.approx(found.proba * (1 - found.proba))
    assert found.members.shape == (40, {"deterministic": 1, "mc_dropout": 3, "sngp": 1}.get(method, 2))
    assert found.proba == pytest.approx(found.members.mean(axis=1))
    if method == "deterministic":
        assert np.isnan(found.epistemic).all()
        assert np.isnan(found.aleatoric).all()
    else:
        assert found.total == pytest.approx(found.aleatoric + found.epistemic)
        assert (found.epistemic >= 0).all()
        assert (found.epistemic > 0).any()
    assert np.isnan(found.logit_variance).any() != method.startswith("sngp")
    scorer.save(tmp_path, card={})
    again = models.load(tmp_path).predict_uncertainty(TEXTS, members=True)
    for ours, theirs in zip(found, again, strict=True):
        assert np.array_equal(ours, theirs, equal_nan=True)


def test_a_saved_model_keeps_the_bound_that_it_was_trained_with(tuned, tmp_path):
    scorer = tuned(method="sngp", frozen=True, spectral_bound=0.3).fit(TEXTS, Y)
    scorer.save(tmp_path, card={})
    again = models.load(tmp_path)
    assert again.get_params()["spectral_bound"] == 0.3
    assert np.array_equal(again.predict_proba(TEXTS), scorer.predict_proba(TEXTS))


def test_seeds_and_members_differ(tuned):
    first, second = (tuned(random_state=seed).fit(TEXTS, Y).predict_proba(TEXTS) for seed in (1, 2))
    assert not np.allclose(first, second)
    members = tuned(method="ensemble", members=2).fit(TEXTS, Y).predict_uncertainty(TEXTS, members=True).members
    assert not np.allclose(members[:, 0], members[:, 1])


def test_training_leaves_the_callers_random_numbers_alone(tuned):
    import torch

    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    tuned().fit(TEXTS, Y).predict_proba(TEXTS)
    assert (torch.rand(2) == expected).all()


def test_methods_share_their_members(tuned, tmp_path):
    steps = []
    one = tuned().fit(TEXTS, Y, checkpoint=tmp_path)
    several = tuned(method="ensemble", members=2).fit(TEXTS, Y, checkpoint=tmp_path, progress=steps.append)
    assert {step.member for step in steps} == {2}
    first = several.predict_uncertainty(TEXTS, members=True).members[:, 0]
    assert (first == one.predict_proba(TEXTS)).all()
    steps.clear()
    dropped = tuned(method="mc_dropout").fit(TEXTS, Y, checkpoint=tmp_path, progress=steps.append)
    assert steps == []
    assert dropped.predict_proba(TEXTS) == pytest.approx(several.derive("mc_dropout").predict_proba(TEXTS))
    assert (several.derive("deterministic").predict_proba(TEXTS) == one.predict_proba(TEXTS)).all()


def test_what_can_not_be_derived(tuned):
    scorer = tuned().fit(TEXTS, Y)
    for method in ("sngp", "ensemble"):
        with pytest.raises(ComoderateError, match="can't be read as"):
            scorer.derive(method)


def test_weights_stand_for_repeated_posts(tuned):
    weight = np.resize([1.0, 3.0], 40)
    whole = {"batch_size": 200, "dropout": 0.0, "epochs": 20}
    weighted = tuned(**whole).fit(TEXTS, Y, sample_weight=weight)
    times = weight.astype(int)
    repeated = tuned(**whole).fit(np.repeat(TEXTS, times).tolist(), np.repeat(Y, times))
    assert weighted.predict_proba(TEXTS) == pytest.approx(repeated.predict_proba(TEXTS), abs=1e-3)


def test_batches_accumulate(tuned):
    plain = {"dropout": 0.0, "epochs": 10}
    once = tuned(batch_size=40, **plain).fit(TEXTS, Y).predict_proba(TEXTS)
    parts = tuned(batch_size=10, accumulate=4, **plain).fit(TEXTS, Y).predict_proba(TEXTS)
    assert once == pytest.approx(parts, abs=1e-4)


def test_class_weight_moves_the_base_rate(tuned):
    y = [1] * 4 + [0] * 36
    low, high = (tuned(class_weight=how).fit(TEXTS, y).predict_proba(TEXTS).mean() for how in (None, "balanced"))
    assert high > low + 0.1


def test_validation_stops_early_and_keeps_the_best(tuned):
    held = np.arange(40) % 4 == 0
    scorer = tuned(epochs=40, patience=2).fit(TEXTS, Y, validation=held)
    (history,) = scorer.history_
    scores = [row["average_precision"] for row in history]
    assert len(history) < 40
    assert len(history) - 1 - int(np.argmax(scores)) == 2
    assert max(scores) == 1.0


def test_follow_ups(tuned, tmp_path):
    questions = {
        "type": {"answers": ["dolts", "clowns"], "several": True},
        "medium": {"answers": ["text", "image", "other"]},
    }
    asked = np.array(Y, dtype=bool)
    types = np.array([[float("dolt" in text), float("clown" in text)] for text in TEXTS])
    medium = np.eye(3)[[1 if "clown" in text else 0 for text in TEXTS]]
    types[~asked], medium[~asked] = np.nan, np.nan
    scorer = tuned(follow_ups=questions, follow_up_weight=1.0, epochs=15)
    scorer.fit(TEXTS, Y, follow_ups={"type": types, "medium": medium}).save(tmp_path, card={})
    found = models.load(tmp_path).predict_follow_ups(TEXTS)
    assert found["type"].shape == (40, 2)
    assert ((found["type"][asked] > 0.5) == (types[asked] > 0.5)).mean() > 0.8
    assert found["medium"].sum(axis=1) == pytest.approx(np.ones(40))
    assert (found["medium"][asked].argmax(axis=1) == medium[asked].argmax(axis=1)).mean() > 0.8
    with pytest.raises(ValueError, match="answers are needed"):
        tuned(follow_ups=questions).fit(TEXTS, Y)


def test_a_product_leaves_the_listed_words_to_the_lexicon(tuned):
    texts = [*TEXTS, *["good clown"] * 2]
    y = [*Y, 0, 0]
    plain = tuned().fit(texts, y).predict_proba(["clown"])
    product = tuned(debias="product", debias_words=["clown"]).fit(texts, y).predict_proba(["clown"])
    assert product < plain - 0.1


def test_reweighting_is_a_matter_of_weights(tuned):
    from comoderate.models.debias import names_any, reweigh

    own = tuned(debias="reweight", debias_words=["clown"]).fit(TEXTS, Y).predict_proba(TEXTS)
    parted = reweigh(names_any(TEXTS, ["clown"]), Y)
    assert (own == tuned().fit(TEXTS, parted.y, sample_weight=parted.weight).predict_proba(TEXTS)).all()


def test_the_folder_is_a_hugging_face_folder(tuned, tmp_path):
    scorer = tuned().fit(TEXTS, Y)
    scorer.save(tmp_path, card={})
    model = AutoModel.from_pretrained(tmp_path, use_safetensors=True)
    assert AutoTokenizer.from_pretrained(tmp_path)("you clown")["input_ids"][0] == 2
    ours = scorer.networks_[0].backbone.model.state_dict()
    theirs = model.state_dict()
    assert all((theirs[name] == value).all() for name, value in ours.items())
    names = json.loads((tmp_path / "comoderate.json").read_text())["files"]
    assert not [name for name in names if name.rpartition(".")[2] not in {"json", "safetensors", "skops"}]


def test_a_frozen_encoder_that_was_changed_is_refused(tiny, tuned, tmp_path):
    import shutil

    shutil.copytree(tiny, tmp_path / "encoder")
    tuned(frozen=True, backbone=str(tmp_path / "encoder")).fit(TEXTS, Y).save(tmp_path / "model", card={})
    assert not (tmp_path / "model" / "model.safetensors").exists()
    tuned(layers=1).fit(TEXTS, Y).networks_[0].backbone.model.save_pretrained(tmp_path / "encoder")
    from comoderate.models.encoders.backbone import load_frozen

    load_frozen.cache_clear()
    with pytest.raises(ComoderateError, match="not the one that the heads"):
        models.load(tmp_path / "model")


def test_the_packaged_encoder_frozen():
    scorer = models.Encoder(frozen=True, layers=1, epochs=30, learning_rate=1e-2).fit(TEXTS, Y)
    proba = scorer.predict_proba(["you clown, get lost", "what a lovely day"])
    assert proba[0] > 0.6 > 0.4 > proba[1]
