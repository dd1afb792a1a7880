import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study, predicted, surfaces
from comoderate.surface import ArmCalibration

NAMES = ("bakers", "ferrymen", "gardeners")
KNOWN = 150

SETTINGS = """
[scorer.bakers]
kind = "recorded"
compare = false

[scorer.ferrymen]
kind = "recorded"
compare = false

[scorer.gardeners]
kind = "recorded"
compare = false

[surface.attribute.group]
kind = "predicted"
scorers = { bakers = "bakers", ferrymen = "ferrymen", gardeners = "gardeners" }
rest = "nobody"
truth = "truly"
"""


@pytest.fixture(scope="module")
def guessed(audited, tmp_path_factory):
    """The audit with every post judged, its group guessed, and known for some."""
    posts = audited.posts()
    rng = np.random.default_rng(4)
    group = posts["group"].fillna("nobody").to_numpy()
    logit = rng.normal(0, 1.2, (len(posts), 3)) + 3.0 * (group[:, None] == np.array(NAMES)) - 1.5
    truly = np.where(np.arange(len(posts)) < KNOWN, group, None)

    def write(surface="", more=SETTINGS, judges=audited.JUDGES, **columns):
        folder = tmp_path_factory.mktemp("guessed")
        if begun and judges == audited.JUDGES:
            shutil.copytree(begun[0], folder, dirs_exist_ok=True)
        toml = audited.TOML.replace('group = "group"', 'truly = "truly"')
        recorded = 'older = "older", bakers = "bakers", ferrymen = "ferrymen", gardeners = "gardeners"'
        toml = toml.replace('older = "older"', recorded)
        toml = toml.replace("min_posts = 10", f"min_posts = 10\n{surface}")
        table = posts.drop(columns=["rude", "group"]).assign(truly=truly)
        table[list(NAMES)] = 1 / (1 + np.exp(-logit))
        (folder / "study.toml").write_text(toml + judges + more)
        table.assign(**columns).to_csv(folder / "posts.csv", index=False)
        return audited.judged(folder)

    begun: list[Path] = []  # with what the usual settings make before the surface: of others it is made anew
    study = Study.open(write())
    study.agree()
    study.draw("all")
    for name in ("service", *NAMES):
        study.score(name)
    begun.append(study.folder)
    return write


def errors(study, audited):
    """Mean squared error of the accuracies of topics by true group."""
    posts = audited.posts()
    right = (posts["service"] > 0.5) == posts["rude"]
    truth = right.groupby([posts["group"].fillna("nobody"), posts["topic"]]).mean()
    found = study.surface("service").arms.set_index(["group", "topic"])["value"].reindex(truth.index)
    return float(((found - truth)[truth.index.get_level_values(0) != "nobody"] ** 2).mean())


def test_posts_count_for_the_arms_that_they_may_be_in(guessed, audited):
    study = Study.open(guessed())
    told = study.surface("service")
    belief = surfaces.assessed(study, "service").arms.belief
    assert (belief.assignment, belief.calibration, belief.known) == ("em", "full", KNOWN)
    assert np.allclose(belief.proba.sum(axis=1), 1)
    known = belief.proba[:KNOWN].toarray()
    assert np.allclose(known.max(axis=1), 1)
    assert belief.hit > 0.6
    assert told.about.predicted == ("group",)
    assert told.about.known == KNOWN
    assert told.arms["posts"].sum() == pytest.approx(720, abs=10)
    assert told.arms["labels"].sum() == pytest.approx(720, abs=10)
    assert told.arms["here"].isna().all()
    assert told.arms.iloc[0][["group", "topic"]].tolist() == ["bakers", "music"]
    assert "The group of a post is predicted, and known for 150 of the 720 posts." in " ".join(told.sentences)


@pytest.mark.slow
def test_allowing_for_mistakes_is_better_than_believing_the_likeliest(guessed, audited):
    found = {way: errors(Study.open(guessed(f'assignment = "{way}"')), audited) for way in ("hard", "fractional", "em")}
    assert found["em"] < 0.8 * found["hard"]
    assert found["em"] < found["fractional"]


@pytest.mark.parametrize("kind", ["raw", pytest.param("temperature", marks=pytest.mark.slow), "full"])
def test_every_calibration_can_be_asked_for(guessed, kind):
    study = Study.open(guessed(f'calibration = "{kind}"\nassignment = "fractional"'))
    assert study.surface("service").about.calibration == kind
    belief = surfaces.assessed(study, "service").arms.belief
    assert belief.some(np.arange(720) < 10).proba.shape == (10, len(belief.arms))


def test_every_loss_drift_and_post_has_its_number(guessed):
    study = Study.open(guessed())
    study.score("older")
    rate = study.surface("service", loss="false_positive")
    assert rate.arms["value"].between(0, 1).all()
    assert rate.arms["here"].isna().all()
    assert len(study.surface_drift("service", other="older").arms) >= 12
    weak = surfaces.weak_arm_score(study, "service")
    assert len(weak) == 720
    assert weak.between(0, 1).all()
    assert len(study.assess("service", size=5).batch) == 0  # all is labelled


def test_posts_are_proposed_by_their_likeliest_arm(guessed):
    folder = guessed(judges="")
    batch = Study.open(folder).assess("service", size=30).batch
    assert len(set(batch["post_id"])) == 30
    path = folder / "answers.csv"
    batch[["post_id"]].assign(answer=["yes", "no"] * 15).to_csv(path, index=False)
    found = Study.open(folder).assess("service", size=10, answers=path)
    assert found.surface.about.labels == 30
    assert found.surface.about.assignment == "em"


def test_without_a_known_value_predictions_are_believed(guessed):
    folder = guessed(truly=None)
    told = Study.open(folder).surface("service")
    assert told.about.calibration == "raw"
    assert told.about.hit is None
    assert "believed as they are" in " ".join(told.sentences)
    with pytest.raises(ComoderateError, match="needs posts whose true attributes are known"):
        Study.open(guessed('calibration = "full"', truly=None)).surface("service")


def test_true_values_by_the_labels_of_the_scorers_targets(guessed, audited):
    judges = audited.JUDGES.replace('rude = "verdict"', 'rude = "verdict", who = "who"')
    extra = SETTINGS.replace('truth = "truly"\n', "")
    for name in NAMES:
        extra = extra.replace(f"[scorer.{name}]\n", f'[scorer.{name}]\ntarget = "{name}"\nsample = "some"\n')
        extra += f'\n[target.{name}]\nquestion = "who"\npositive = ["{name}"]\n'
    extra += '\n[codebook.question.who]\ntext = "Whom?"\nanswers = ["bakers", "ferrymen", "gardeners", "nobody"]\n'
    extra += '\n[sample.some]\ndesign = "uniform"\nsize = 100\n'
    folder = guessed(more=extra, judges=judges)
    judged = pd.read_csv(folder / "judged.csv")
    judged.assign(who=audited.posts()["group"].fillna("nobody")).to_csv(folder / "judged.csv", index=False)
    study = Study.open(folder)
    told = study.surface("service")
    assert told.about.known == 100
    assert told.about.hit > 0.6


def test_a_strange_true_value_is_named(guessed):
    folder = guessed(more=SETTINGS.replace('rest = "nobody"\n', ""))
    with pytest.raises(ComoderateError, match="'nobody' is no value of the predicted attribute 'group'"):
        Study.open(folder).surface("service")


def test_a_scorer_that_the_study_does_not_have(guessed):
    with pytest.raises(ComoderateError, match="no scorer 'millers'"):
        Study.open(guessed(more=SETTINGS.replace('bakers = "bakers",', 'bakers = "millers",')))


def test_shares_and_odds():
    said = np.array([[0.5, 0.5], [0.9, 0.1], [np.nan, 0.2]])
    odds = predicted._shares(said, rest=True)
    assert np.allclose(odds[0], 1 / 3)
    assert np.allclose(odds[1] / odds[1, 2], [9, 1 / 9, 1])
    assert np.allclose(odds.sum(axis=1), 1)
    plain = predicted._shares(said, rest=False)
    assert np.allclose(plain[1], [0.9, 0.1])
    assert np.allclose(plain[2], np.array([0.7, 0.2]) / 0.9)
    with pytest.raises(ComoderateError, match="gives no probability"):
        predicted._shares(np.array([[np.nan, 0.5]]), rest=True)


def test_chunks_and_rare_arms_change_nothing_that_matters(monkeypatch):
    rng = np.random.default_rng(1)
    tables = [rng.dirichlet(np.ones(3), 50), rng.dirichlet([9, 1], 50)]
    arms = np.array([(a, b) for a in range(3) for b in range(2)])
    model = ArmCalibration(kind="raw").fit([t[:0] for t in tables], np.zeros((0, 2), dtype=int), arms=arms)
    whole = predicted._in_chunks(model, tables).toarray()
    monkeypatch.setattr(predicted, "CELLS", 20)
    assert np.allclose(predicted._in_chunks(model, tables).toarray(), whole)
    assert np.allclose(whole, model.predict_proba(tables), atol=2e-3)
    kept, proba = predicted._kept(arms, predicted._in_chunks(model, tables))
    assert np.allclose(proba.sum(axis=1), 1)
    assert len(kept) == proba.shape[1]


def test_too_many_arms_are_refused(monkeypatch, guessed):
    monkeypatch.setattr(predicted, "MOST_ARMS", 10)
    with pytest.raises(ComoderateError, match="combinations, too many"):
        Study.open(guessed()).surface("service")


@pytest.mark.slow
def test_the_published_system_takes_posts_in_parts(guessed):
    told = Study.open(guessed('estimator = "aaa"')).surface("service")
    assert (told.about.assignment, told.about.calibration, told.about.estimator) == ("fractional", "full", "aaa")
    assert told.arms["value"].between(0, 1).all()
