import sys

import numpy as np
import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study, surfaces


@pytest.fixture(scope="module")
def known(audited, tmp_path_factory):
    """The audit with every post labelled by two judges, imported as a census."""
    folder = audited.judged(audited.write(tmp_path_factory.mktemp("known"), toml=audited.TOML + audited.JUDGES))
    Study.open(folder).surface("service")
    return folder


def test_all_labels_of_a_census_count_alike(known, audited):
    found = surfaces.assessed(Study.open(known), "service")
    posts = audited.posts()
    assert found.cohort == "judges"
    assert (found.right == ((posts["service"] > 0.5) == posts["rude"])).all()
    assert found.known.all()
    assert (found.weight == 1).all()
    assert found.table.n.sum() == len(posts)
    assert (found.relevant == 1).all()


@pytest.mark.parametrize(("loss", "answer"), [("false_positive", False), ("false_negative", True)])
def test_some_losses_concern_posts_of_one_answer_only(known, audited, loss, answer):
    found = surfaces.assessed(Study.open(known), "service", loss=loss)
    posts = audited.posts()
    concerned = posts["rude"] == answer
    assert (np.isfinite(found.right) == concerned).all()
    wrong = (posts["service"] > 0.5) != posts["rude"]
    assert (found.right[concerned] == 1 - wrong[concerned]).all()
    assert found.relevant.mean() == pytest.approx(concerned.mean(), abs=0.1)
    told = Study.open(known).surface("service", loss=loss)
    assert told.about.value == pytest.approx(wrong[concerned].mean(), abs=0.05)
    by = [posts["group"].fillna("missing")[concerned], posts["topic"][concerned]]
    truth = wrong[concerned].groupby(by).mean().reindex(pd.MultiIndex.from_frame(told.arms[["group", "topic"]]))
    some = truth.notna().to_numpy()
    assert np.allclose(told.arms[["here", "here_low", "here_high"]][some], truth.to_numpy()[some, None])
    assert told.arms.iloc[0]["value"] > 0.3
    assert loss.replace("_", "-") in told.sentences[0]


def test_rates_of_the_posts_in_hand_where_only_some_are_labelled(audited, tmp_path):
    folder = audited.write(tmp_path)
    batch = Study.open(folder).assess("service", size=300, strategy="random").batch
    Study.open(folder).assess("service", size=0, answers=audited.answers(batch, folder / "answers.csv"))
    arms = Study.open(folder).surface("service", loss="false_positive").arms
    posts = audited.posts()
    negative, wrong = ~posts["rude"], posts["service"] > 0.5
    by = [posts["group"].fillna("missing")[negative], posts["topic"][negative]]
    truth = wrong[negative].groupby(by).mean().reindex(pd.MultiIndex.from_frame(arms[["group", "topic"]])).to_numpy()
    assert ((arms["here_low"] <= truth + 1e-9) & (truth <= arms["here_high"] + 1e-9)).mean() > 0.85
    assert (arms["here_high"] - arms["here_low"]).mean() < (arms["high"] - arms["low"]).mean()
    assert ((arms["here"] - truth) ** 2).mean() < 0.8 * ((arms["value"] - truth) ** 2).mean()
    assert arms["powered"].isna().all()


def test_arms_without_a_post_that_a_rate_can_concern_say_nothing(audited, tmp_path):
    """All posts on trains are rude: there is no false-positive rate of them."""
    folder = audited.write(tmp_path)
    batch = Study.open(folder).assess("service", size=720).batch
    path = audited.answers(batch, folder / "answers.csv")
    trains = audited.posts().set_index("post_id")["topic"].eq("trains").reindex(batch["post_id"]).to_numpy()
    answers = pd.read_csv(path)
    answers["answer"] = answers["answer"].mask(trains, "yes")
    answers.to_csv(path, index=False)
    Study.open(folder).assess("service", size=0, answers=path)
    told = Study.open(folder).surface("service", loss="false_positive")
    assert not told.arms.loc[told.arms["topic"] == "trains", "counts"].any()
    assert told.arms.loc[told.arms["topic"] == "music", "counts"].any()
    grid = Study.open(folder).surface_grid("service", "group", "topic", loss="false_positive")
    assert grid.loc[grid["topic"] == "trains", "value"].isna().all()
    assert grid.loc[grid["topic"] == "music", "value"].notna().all()
    assert "10 negative posts or more" in told.sentences[0]


def test_a_loss_of_its_own_column(known, audited):
    found = surfaces.assessed(Study.open(known), "service", loss="harm")
    harm = audited.posts()["harm"]
    assert np.allclose(1 - found.right, harm, equal_nan=True)
    assert found.known.sum() == harm.notna().sum()


def test_a_column_that_is_no_loss_is_refused(known):
    with pytest.raises(ComoderateError, match="is no loss"):
        surfaces.assessed(Study.open(known), "service", loss="stars")
    with pytest.raises(ComoderateError, match="no loss 'length'"):
        surfaces.assessed(Study.open(known), "service", loss="length")


def test_arm_accuracies_are_those_of_the_arms(known, audited):
    found = surfaces.arm_accuracy(Study.open(known), "service")
    posts = audited.posts()
    right = (posts["service"] > 0.5) == posts["rude"]
    truth = right.groupby(found["arm"].to_numpy()).mean()
    assert list(found["post_id"]) == list(posts["post_id"])
    assert np.corrcoef(truth.loc[found["arm"]], found["accuracy"])[0, 1] > 0.9
    weak = surfaces.weak_arm_score(Study.open(known), "service")
    assert np.allclose(weak, 1 - found["accuracy"])
    posts = posts.set_index("post_id")
    worst = weak.groupby([posts["group"].fillna("missing"), posts["topic"]]).mean().idxmax()
    assert worst == ("bakers", "music")


def test_no_post_has_a_part_in_its_own_arm_accuracy(known):
    """The accuracy that a labelled post is given comes from a surface without its fold, on both outcomes alike."""
    study = Study.open(known)
    found, base = surfaces.assessed(study, "service"), surfaces.arm_accuracy(study, "service")
    fold = study.folds().set_index("post_id")["fold"].reindex(base["post_id"]).to_numpy()
    one = fold == fold[0]
    part = found.without(one).table
    surface = surfaces.fit(study, found).surface
    wanted = surface.refit(part.arms, part.n, part.c).predict(part.arms).mean[found.table.index[one]]
    assert np.allclose(base["accuracy"].to_numpy()[one], wanted, atol=2e-3)


def test_without_labels_all_arms_are_alike(audited, tmp_path):
    study = Study.open(audited.write(tmp_path))
    study.score("service")
    weak = surfaces.weak_arm_score(study, "service")
    assert len(weak) == 720
    assert weak.nunique() == 1


def test_sampling_weights_count_within_arms_only():
    codes = np.array([[0], [0], [0], [1], [1]])
    known = np.array([True, True, False, True, True])
    even = surfaces._even(codes, known, np.array([10.0, 30.0, np.nan, 2.0, 2.0]))
    assert np.allclose(even, [0.5, 1.5, 1.0, 1.0, 1.0])


def test_posts_that_a_model_has_learnt_by_heart_do_not_measure_it(ran):
    study = Study.open(ran)
    found = surfaces.assessed(study, "bayes")
    assert found.known.sum() > 50
    seen = study.scores("bayes").set_index("post_id")["seen"].reindex(found.arms.post_id).to_numpy(dtype=bool)
    assert not (found.known & seen).any()


@pytest.fixture(scope="module")
def asked(audited, tmp_path_factory):
    """The audit after it proposed 120 posts, with answers to them in a file."""
    folder = audited.write(tmp_path_factory.mktemp("asked"))
    audited.answers(Study.open(folder).assess("service", size=120).batch, folder / "answers.csv")
    return folder


@pytest.mark.parametrize("name", ["logistic_normal", "boosting", "empirical_bayes", "beta_i"])
def test_every_estimator_can_be_asked_for(asked, little, tmp_path, name):
    folder = little.copy(asked, tmp_path / "audit")
    little.edit(folder, "min_posts = 10", f'min_posts = 10\nestimator = "{name}"')
    found = Study.open(folder).assess("service", size=0, answers=folder / "answers.csv")
    assert found.surface.about.estimator == name
    assert found.surface.arms["value"].between(0, 1).all()


def test_drift_against_another_scorer_and_since_a_day(known, audited):
    study = Study.open(known)
    study.score("older")
    found = study.surface_drift("service", other="older")
    table, posts = found.arms, audited.posts()
    now, before = ((posts[name] > 0.5) == posts["rude"] for name in ("service", "older"))
    assert (found.before, found.after) == (pytest.approx(before.mean()), pytest.approx(now.mean()))
    assert found.whole.covers(now.mean() - before.mean())
    assert found.whole.high - found.whole.low < 0.1
    assert found.covered == 1
    assert found.sentences[0].startswith("Compared with “older”, the accuracy of “service” over all posts is ")
    assert "1 is surely worse, the surest group bakers, topic music" in found.sentences[1]
    assert "; 8 are surely better, the surest group gardeners" in found.sentences[1]
    assert (table["surely"] == "better").sum() == 8
    assert len(table) == 16
    assert (table["low"] <= table["change"]).all()
    assert (table["change"] <= table["high"]).all()
    assert table.iloc[0]["group"] == "bakers"
    assert table.iloc[0]["topic"] == "music"
    assert table.iloc[0]["worse"] > 0.9
    assert (table["after"] - table["before"]).mean() > 0.1
    since = study.surface_drift("service", date="2026-05-06")
    assert since.arms["labels_before"].sum() == since.arms["labels_after"].sum() == 360
    assert since.whole.covers(0.0)
    assert "which may be luck" in since.sentences[0]
    rate = study.surface_drift("service", other="older", loss="false_positive")
    false = ~posts["rude"]
    assert rate.before == pytest.approx((posts["older"] > 0.5)[false].mean(), abs=0.02)
    assert rate.after == pytest.approx((posts["service"] > 0.5)[false].mean(), abs=0.02)
    version = study.artefacts.record("scores:service")["summary"]["version"]
    same = study.surface_drift("service", other=f"service@{version}")
    assert np.allclose(same.arms["change"], 0, atol=1e-9)
    assert same.whole.value == 0
    assert 0 < same.whole.high < 0.01


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "two dates or two scorers"),
        ({"date": "2026-05-06", "other": "older"}, "two dates or two scorers"),
        ({"date": "1999-01-01"}, "no post lies on one side"),
        ({"other": "nobody"}, "no scorer 'nobody'"),
        ({"other": "service@0000000000"}, "no version"),
    ],
)
def test_drift_of_nothing_is_refused(known, options, message):
    with pytest.raises(ComoderateError, match=message):
        Study.open(known).surface_drift("service", **options)


def test_two_attributes_against_each_other(known, audited):
    grid = Study.open(known).surface_grid("service", "group", "topic")
    assert grid["posts"].sum() == len(audited.posts())
    assert len(grid) == 16
    with pytest.raises(ComoderateError, match="no attribute of the surface 'stars'"):
        Study.open(known).surface_grid("service", "group", "stars")


def test_the_same_again_is_up_to_date_and_the_same(known, little):
    before = little.files(known / "surface")
    heard = little.Heard()
    Study.open(known, listener=heard).surface("service")
    assert "surface:service" in heard.up_to_date
    Study.open(known).surface("service", force=True)
    assert little.files(known / "surface") == before


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_arms_that_are_all_right_or_all_wrong(audited, tmp_path, answer):
    """One attribute, one arm, one answer."""
    toml = audited.TOML.replace('attributes = ["group", "topic"]', 'attributes = ["tongue"]')
    toml = toml.replace("[assess]", "[surface.attribute.tongue]\nkind = 'language'\n\n[assess]")
    folder = audited.write(tmp_path, toml=toml)
    batch = Study.open(folder).assess("service", size=40).batch
    posts = audited.posts().set_index("post_id")
    said = posts.loc[batch["post_id"], "service"].gt(0.5).map({True: "yes", False: "no"})
    if answer == "no":
        said = said.map({"yes": "no", "no": "yes"})
    path = folder / "answers.csv"
    pd.DataFrame({"post_id": batch["post_id"], "answer": said.to_numpy()}).to_csv(path, index=False)
    found = Study.open(folder).assess("service", answers=path)
    arms = found.surface.arms
    assert len(arms) == 1
    assert arms["value"].iloc[0] == pytest.approx(float(answer == "yes"), abs=0.05)
    assert np.isfinite(arms[["value", "low", "high", "here", "here_low", "here_high"]]).all(axis=None)
    assert all(found.surface.sentences)


def test_the_squared_error_of_probabilities_is_told_as_a_number(known, audited):
    told = Study.open(known).surface("service", loss="brier")
    posts = audited.posts()
    wanted = ((posts["service"] - posts["rude"]) ** 2).mean()
    assert told.about.value == pytest.approx(wanted, abs=0.02)
    assert f"The Brier score of “service” is about {told.about.value:.3f}" in told.sentences[0]
    assert "%" not in told.sentences[0]
    assert told.arms["here"].iloc[0] > 0.3


def test_the_scorers_own_probabilities_add_to_labels(audited, tmp_path):
    """A service that is sure where it is right, and labels of a third of the posts."""
    folder = audited.write(tmp_path)
    posts = audited.posts()
    right = (posts["service"] > 0.5) == posts["rude"]
    said = 0.5 + np.where(right, 0.45, 0.08) * np.where(posts["service"] > 0.5, 1, -1)
    posts.drop(columns="rude").assign(service=said).to_csv(folder / "posts.csv", index=False)
    batch = Study.open(folder).assess("service", size=240, strategy="random").batch
    found = Study.open(folder).assess("service", size=0, answers=audited.answers(batch, folder / "a.csv")).surface
    arms = found.arms
    truth = right.groupby([posts["group"].fillna("missing"), posts["topic"]]).mean()
    truth = truth.reindex(pd.MultiIndex.from_frame(arms[["group", "topic"]])).to_numpy()
    assert found.about.power > 0.8
    assert ((arms["powered"] - truth) ** 2).mean() < 0.5 * ((arms["here"] - truth) ** 2).mean()
    assert "leave only" in " ".join(found.sentences)
    assert ((arms["powered_low"] <= truth + 1e-9) & (truth <= arms["powered_high"] + 1e-9)).mean() > 0.8


def test_a_service_that_always_says_the_same_of_itself_adds_nothing(known):
    told = Study.open(known).surface("service")
    assert told.about.power is None
    assert told.arms["powered"].isna().all()


def test_the_published_system_needs_its_extra(known, monkeypatch):
    monkeypatch.setitem(sys.modules, "comoderate.surface.aaa", None)
    with pytest.raises(ComoderateError, match="needs torch and gpytorch") as refused:
        surfaces.MAKERS["aaa"]()
    assert "comoderate[surface]" in str(refused.value)


@pytest.mark.slow
def test_the_published_system_whole(known, audited):
    text = (known / "study.toml").read_text().replace("[assess]", 'estimator = "aaa"\n\n[assess]', 1)
    (known / "study.toml").write_text(text)
    told = Study.open(known).surface("service")
    assert told.about.estimator == "aaa"
    assert len(told.curve) == 1
    assert told.arms[["value", "low", "high", "here", "here_low", "here_high"]].notna().all(axis=None)
    assert told.arms.iloc[0][["group", "topic"]].tolist() == ["bakers", "music"]
