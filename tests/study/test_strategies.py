"""What strategies need of a study: members, arms, several raters; and what is said where it is missing."""

import numpy as np
import pandas as pd
import pytest

from comoderate import review
from comoderate.corpus import read_dataset, write_dataset
from comoderate.errors import ComoderateError
from comoderate.study import Study, cases, strategies


def add_parts(folder, spoil=()):
    """Give the service's scores a variance between members, and let it fail on some posts."""
    study = Study.open(folder)
    path = study.folder / "scores" / str(study.artefacts.record("scores:service")["summary"]["folder"])
    scores = read_dataset(path)
    rng = np.random.default_rng(0)
    p = scores["proba"].to_numpy(dtype=float)
    epistemic = rng.uniform(0.1, 0.9, len(p)) * p * (1 - p)
    parts = {"total": p * (1 - p), "aleatoric": p * (1 - p) - epistemic, "epistemic": epistemic}
    scores = scores.assign(**parts, error=pd.Series([None] * len(p), dtype=object))
    failed = scores["post_id"].isin(spoil)
    scores.loc[failed, ["proba", *parts]] = np.nan
    scores.loc[failed, "error"] = "timed out"
    schema = {"post_id": "string", "target": "string", "seen": "bool", "scored_at": "timestamp", "error": "string"}
    schema |= dict.fromkeys(("proba", *parts), "double")
    write_dataset(iter([scores[list(schema)]]), path, {}, schema=schema)
    return scores.set_index("post_id")


def test_members_make_two_more_strategies(changing, little):
    scores = add_parts(changing)
    little.edit(changing, "[review]\n", '[review]\nstrategy = "member_variance"\n')
    study = Study.open(changing)
    study.review(force=True)
    case = cases.case_of(study, "abusive")
    assert set(strategies.OF_MEMBERS) <= set(case.strategies())
    got = case.scores(strategies.OF_MEMBERS)
    spread = scores["epistemic"].reindex(case.found.rows["post_id"]).to_numpy()
    np.testing.assert_allclose(got["member_variance"], spread)
    np.testing.assert_allclose(got["mutual_information"], review.information_from_variance(case.proba, spread))
    queue = study.queue()
    own = queue[queue["source"] == "queue"]
    np.testing.assert_allclose(own["review_score"], scores["epistemic"].reindex(own["post_id"]))
    assert set(own["reason"]) == {"the classifiers disagree"}
    compared = set(study.result("advice")["strategy"])
    assert set(strategies.OF_MEMBERS) <= compared


def test_a_strategy_that_the_study_has_too_little_for_says_what_it_needs(changing, little):
    little.edit(changing, "[review]\n", '[review]\nstrategy = "mutual_information"\n')
    study = Study.open(changing)
    with pytest.raises(ComoderateError, match="needs a scorer with members that can differ, and 'service' has none"):
        study.advise()
    add_parts(changing)
    little.edit(changing, "[review]\n", '[review]\nscorer = "bayes"\n')
    with pytest.raises(ComoderateError) as caught:
        Study.open(changing).advise()
    assert caught.value.do == "set scorer under [review] to 'service'"


@pytest.mark.slow
def test_posts_on_which_the_scorer_failed_are_left_out_and_counted(changing):
    before = Study.open(changing)
    case = cases.case_of(before, "abusive")
    judged, queued = case.found.rows["post_id"].iloc[0], before.queue()["post_id"].iloc[1]
    add_parts(changing, spoil=(judged, queued))
    study = Study.open(changing)
    study.evaluate(force=True)
    study.advise(force=True)
    study.review(force=True)
    again = cases.case_of(study, "abusive")
    assert again.failed == len(case.y) - len(again.y) >= 1
    assert judged not in set(again.found.rows["post_id"])
    assert not np.isnan(again.proba).any()
    assert queued not in set(study.queue()["post_id"])
    told = study.artefacts.record("advice")["summary"]["warnings"]
    assert any("service failed on 1 labelled posts" in text for text in told)
    assert any("in no queue" in text for text in study.artefacts.record("review")["summary"]["warnings"])


def test_weak_arms_order_a_queue(changing, little):
    little.edit(changing, "[review]\n", '[review]\nstrategy = "weak_arms"\n')
    study = Study.open(changing)
    study.review()
    queue = study.queue()
    own = queue[queue["source"] == "queue"]
    assert set(own["reason"]) == {"the classifier is weak on posts of this kind"}
    assert own["review_score"].is_monotonic_decreasing
    case = cases.case_of(study, "abusive")
    given = case.extras()
    score = case.scores(["weak_arms"])["weak_arms"]
    # Within an arm the mean expected error is what the surface says of it.
    for arm in np.unique(given["arm"]):
        inside = given["arm"] == arm
        means = [np.average(values[inside], weights=case.weight[inside]) for values in (score, given["arm_accuracy"])]
        assert means[0] == pytest.approx(1 - means[1], abs=1e-6)


def test_no_post_is_ordered_by_its_own_label_through_its_arm(ran):
    study = Study.open(ran)
    case = cases.case_of(study, "abusive")
    table = case.arms
    folds = study.folds().set_index("post_id")["fold"]
    labelled = case.found.rows["post_id"]
    # Labelled posts of one arm and fold share an accuracy; those of different folds need not.
    joined = pd.DataFrame({"arm": table["arm"].reindex(labelled), "fold": folds.reindex(labelled)})
    joined["accuracy"] = table["accuracy"].reindex(labelled)
    assert (joined.groupby(["arm", "fold"])["accuracy"].nunique() == 1).all()
    assert joined.groupby("arm")["accuracy"].nunique().max() > 1


@pytest.mark.slow
def test_doubtful_posts_go_to_two_moderators(changing, little):
    study = Study.open(changing)
    case = cases.case_of(study, "abusive")
    bound = float(np.quantile(review.two_raters_differ(case.soft), 0.7))
    little.edit(changing, "[review]\n", f"[review]\nsecond_reading = {bound}\nper_day = 4\n")
    study = Study.open(changing)
    study.review()
    queue, advice = study.queue(), study.result("advice")
    assert set(queue["readings"]) == {1, 2}
    assert queue["readings"].sum() == 20
    assert (queue["source"] == "audit").sum() == 5  # a quarter of twenty, however often each is read
    twice = cases.case_of(study, "abusive")
    assert 0.1 < (twice.readings > 1).mean() < 0.5
    assert advice["read_twice"].between(0, 1).all()
    score = twice.scores(["uncertainty"])["uncertainty"]
    assert twice.share_read(score) < twice.review_fraction
    value = advice[(advice["metric"] == "value") & (advice["strategy"] == "uncertainty")]["value"].item()
    before = Study.open(changing)
    assert before.result("stream_days")["read"].max() <= 4
    assert value <= 1


def test_without_second_readings_each_post_is_read_once(ran):
    study = Study.open(ran)
    assert set(study.queue()["readings"]) == {1}
    assert study.result("advice")["read_twice"].isna().all()
