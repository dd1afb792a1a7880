"""Encoders in a study: trained by fold, resumed, and refused where the file is wrong."""

import multiprocessing
import random
import time
from functools import wraps

import numpy as np
import pytest

from comoderate.errors import ComoderateError
from comoderate.models import Encoder
from comoderate.study import Study, training

FROZEN = "frozen = true, epochs = 2, layers = 1, max_length = 16, random_features = 32"
TUNED = "layers = 1, max_length = 12, epochs = 2, batch_size = 16"


def with_encoder(folder, little, options, more=""):
    scorer = f'[scorer.deep]\nkind = "encoder"\noptions = {{ {options} }}\n{more}\n\n[evaluate]'
    little.edit(folder, "[evaluate]", scorer)
    return folder


def kept(folder):
    """What is left of trainings that were broken off."""
    return list((folder / ".comoderate").glob("training/*"))


@pytest.fixture(scope="module")
def drawn(little, tmp_path_factory):
    """The little study with labels and samples, before anything is trained."""
    pytest.importorskip("torch")
    folder = little.write(tmp_path_factory.mktemp("training") / "drawn")
    study = Study.open(folder)
    study.draw("main")
    study.agree()
    return folder


@pytest.fixture
def own(drawn, little, tmp_path):
    return little.copy(drawn, tmp_path / "own")


@pytest.mark.slow
def test_an_encoder_says_how_sure_it_is(own, little):
    study = Study.open(with_encoder(own, little, f'{FROZEN}, method = "sngp"'))
    card = study.train("deep")
    assert card["posts"] > 100
    table = study.score("deep")
    assert table["proba"].between(0, 1).all()
    assert (table["epistemic"] > 0).all()
    np.testing.assert_allclose(table["total"], table["aleatoric"] + table["epistemic"], atol=1e-9)
    assert not table["seen"].any()
    assert not kept(own)


@pytest.mark.slow
def test_one_model_on_some_folds(own, little):
    study = Study.open(with_encoder(own, little, FROZEN, "folds = [0, 1]"))
    study.train("deep")
    table = study.score("deep").set_index("post_id")
    folds = study.folds().set_index("post_id")["fold"]
    assert table.loc[folds.index, "seen"].tolist() == folds.isin([0, 1]).tolist()
    assert [path.name for path in (own / "models" / "deep").iterdir() if path.is_dir()] == ["all"]


@pytest.mark.slow
def test_ctrl_c_between_members_costs_only_the_one_under_way(own, little, monkeypatch, tmp_path):
    with_encoder(own, little, FROZEN)
    plain = Study.open(little.copy(own, tmp_path / "plain")).train("deep")["version"]
    began = []
    fit = Encoder.fit

    @wraps(fit)
    def stopped(self, *arguments, **options):
        began.append(options["checkpoint"])
        if len(began) == 3:
            raise KeyboardInterrupt
        return fit(self, *arguments, **options)

    monkeypatch.setattr(Encoder, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        Study.open(own).train("deep")
    assert len(kept(own)) == 1
    assert Study.open(own).train("deep")["version"] == plain
    assert len(began) == 4
    assert not kept(own)


def test_progress_names_the_model_and_the_time_left(own, little):
    heard = little.Heard()
    Study.open(with_encoder(own, little, FROZEN), listener=heard).train("deep")
    lines = [text for stage, text in heard.notes if stage == "model:deep"]
    assert lines
    assert any(line.startswith("model 3 of 3, ") and line.endswith(" left") for line in lines)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("epocs = 3", "encoder has no option 'epocs'. Did you mean 'epochs'"),
        ("epochs = 0.5", "option 'epochs' of encoder is 0.5"),
        ('method = "sngb"', "method is 'sngb'"),
    ],
)
def test_wrong_options_are_found_before_anything_is_trained(own, little, options, problem):
    with_encoder(own, little, options)
    with pytest.raises(ComoderateError) as error:
        Study.open(own)
    assert problem in str(error.value)
    assert "study.toml, scorer.deep.options" in str(error.value)


def test_posts_in_other_languages_warn_for_the_english_encoder(own, little):
    with_encoder(own, little, FROZEN)
    little.edit(own, '{ platform = "platform" }', '{ language = "platform" }')
    little.edit(own, 'by = ["platform"]', 'by = ["language"]')
    study = Study.open(own)
    study.import_posts()
    (warning,) = training._languages(study, study.settings.scorer["deep"])
    assert "400 of 400 posts are not in English (most of these: square)" in warning
    assert "backbone" in warning
    assert not training._languages(study, study.settings.scorer["bayes"])


TRAIN = "from comoderate.study import Study\nStudy.open(folder).train('deep')"


@pytest.fixture(scope="module")
def processes():
    """Processes that need not import torch again."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["comoderate.study", "comoderate.models.encoders.fitting", "transformers"])
    return context


@pytest.mark.slow
def test_killed_at_random_five_times_the_model_is_the_same(own, little, tmp_path, processes):
    with_encoder(own, little, TUNED)
    began = time.monotonic()
    plain = Study.open(little.copy(own, tmp_path / "plain")).train("deep")["version"]
    whole = time.monotonic() - began
    chance = random.Random(3)
    kills = 0
    while kills < 5:
        process = processes.Process(target=exec, args=(TRAIN, {"folder": str(own)}))
        process.start()
        process.join(chance.uniform(0.1, 0.5) * whole)
        if process.is_alive():
            process.kill()
            kills += 1
        else:
            Study.open(own).artefacts.forget("model:deep")  # it was done before it could be killed: once more
        process.join()
    card = Study.open(own).train("deep")
    assert card["version"] == plain
    assert not kept(own)
