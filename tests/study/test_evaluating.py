"""The scorers' table, against scikit-learn with sample weights."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, precision_recall_fscore_support, roc_auc_score

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.evaluating import CURVE_POINTS, Evaluation, failures, scores_of


def labelled(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(float)
    proba = np.clip(0.2 + 0.4 * y + rng.normal(0, 0.2, n), 0, 1).round(2)
    rows = pd.DataFrame(
        {
            "post_id": [f"p{i}" for i in range(n)],
            "y": y,
            "weight": rng.uniform(1, 5, n),
            "stratum": "s",
            "cluster": None,
        }
    )
    rows.loc[::25, ["y", "weight"]] = np.nan
    posts = pd.DataFrame({"post_id": rows["post_id"], "platform": np.where(np.arange(n) < 25, "river", "square")})
    return rows, posts, proba


@pytest.fixture(scope="module")
def found():
    rows, posts, proba = labelled()
    evaluation = Evaluation(rows, posts, replicates=30, level=0.95, seed=1)
    return evaluation, proba[rows["weight"].notna()]


def test_only_labelled_posts_measure(found):
    evaluation, _ = found
    assert len(evaluation.rows) == 288
    assert evaluation.rows["y"].notna().all()


def test_numbers_are_those_of_scikit_learn(found):
    evaluation, proba = found
    table = pd.DataFrame(evaluation.compare(proba, ("platform",)))
    y, weight = evaluation.y, evaluation.weight
    for group, inside in (
        ("all", np.ones(len(y), bool)),
        ("river", (evaluation.posts["platform"] == "river").to_numpy()),
    ):
        mine = table[table["group"] == group].set_index("metric")["value"]
        threshold = table.loc[table["metric"] == "threshold", "value"].item()
        assert mine["average_precision"] == pytest.approx(
            average_precision_score(y[inside], proba[inside], sample_weight=weight[inside])
        )
        assert mine["auroc"] == pytest.approx(roc_auc_score(y[inside], proba[inside], sample_weight=weight[inside]))
        scores = precision_recall_fscore_support(
            y[inside], proba[inside] > threshold, sample_weight=weight[inside], average="binary"
        )
        assert mine[["precision", "recall", "f1"]].tolist() == pytest.approx(scores[:3])
    best = max(
        precision_recall_fscore_support(y, proba > t, sample_weight=weight, average="binary", zero_division=0)[2]
        for t in np.unique(proba)
    )
    assert table.loc[(table["metric"] == "f1") & (table["group"] == "all"), "value"].item() == pytest.approx(best)


def test_groups_with_few_labels_are_marked(found):
    table = pd.DataFrame(found[0].compare(found[1], ("platform",)))
    assert table.groupby("group")["few"].first().to_dict() == {"all": False, "river": True, "square": False}


def test_intervals_hold_their_value(found):
    table = pd.DataFrame(found[0].compare(found[1]))
    ranked = table[table["metric"].isin(["average_precision", "auroc"])]
    assert ((ranked["low"] < ranked["value"]) & (ranked["value"] < ranked["high"])).all()
    assert (table["level"] == 0.95).all()


def test_a_subset_keeps_the_replicates(found):
    evaluation, _ = found
    inside = np.arange(len(evaluation.y)) % 2 == 0
    part = evaluation.subset(inside)
    assert len(part.rows) == len(part.posts) == len(part.y) == inside.sum()
    np.testing.assert_array_equal(part.replicates[3], evaluation.replicates[3][inside])


def test_curves_end_where_they_should(found):
    curves = {curve["kind"].iloc[0]: curve for curve in found[0].curves(found[1])}
    assert set(curves) == {"precision-recall", "roc"}
    assert curves["roc"]["x"].iloc[[0, -1]].tolist() == pytest.approx([0.0, 1.0])
    assert all(len(curve) <= CURVE_POINTS for curve in curves.values())


def test_a_scorer_that_saw_a_post_is_refused():
    rows = pd.DataFrame({"post_id": ["a", "b"]})
    scores = pd.DataFrame({"post_id": ["b", "a"], "proba": [0.2, 0.1], "seen": [False, False]})
    assert scores_of(rows, scores, "x").tolist() == [0.1, 0.2]
    with pytest.raises(ComoderateError, match="scorer 'x' was trained on 1 of the 2 posts that are to measure it"):
        scores_of(rows, scores.assign(seen=[True, False]), "x")
    with pytest.raises(ComoderateError, match="scorer 'x' has no probability for post 'a'"):
        scores_of(rows, scores[:1], "x")


def test_a_study_compares_all_scorers_against_every_cohort(ran):
    study = Study.open(ran)
    table = study.result("evaluation")
    whole = table[(table["domain"] == "all") & (table["target"] == "abusive")]
    assert set(zip(whole["truth"], whole["scorer"], strict=True)) == {
        ("volunteers", "words"), ("volunteers", "bayes"), ("volunteers", "service"), ("volunteers", "experts"),
        ("experts", "words"), ("experts", "bayes"), ("experts", "service"), ("experts", "volunteers"),
    }  # fmt: skip
    rows = study.labelled_with_warnings("abusive", "main", "volunteers").frame
    rows = rows[rows["weight"] > 0]
    proba = study.scores("service").set_index("post_id")["proba"].reindex(rows["post_id"])
    mine = whole[(whole["truth"] == "volunteers") & (whole["scorer"] == "service")].set_index("metric")["value"]
    assert mine["average_precision"] == pytest.approx(
        average_precision_score(rows["y"], proba, sample_weight=rows["weight"])
    )
    assert mine["auroc"] == pytest.approx(roc_auc_score(rows["y"], proba, sample_weight=rows["weight"]))


def test_volunteers_as_a_classifier_against_experts(ran, little):
    study = Study.open(ran)
    table = study.result("evaluation")
    mine = table[(table["truth"] == "experts") & (table["scorer"] == "volunteers") & (table["domain"] == "all")]
    rows = study.labelled_with_warnings("abusive", "experts", "experts").frame
    rows = rows[rows["weight"] > 0]
    votes = little.volunteers().query("question == 'problem'")
    share = votes["answer"].ne("No").groupby(votes["post_id"]).mean().reindex(rows["post_id"])
    both = share.notna().to_numpy()
    expected = roc_auc_score(rows["y"][both], share[both], sample_weight=rows["weight"][both])
    assert mine.set_index("metric")["value"]["auroc"] == pytest.approx(expected)


def test_posts_on_which_a_scorer_failed_are_left_out(found):
    found = found[0]
    rows = found.rows
    scores = pd.DataFrame({"post_id": rows["post_id"], "proba": 0.5, "seen": False, "error": None})
    scores.loc[[0, 3], ["proba", "error"]] = [np.nan, "timed out"]
    assert failures(scores).sum() == 2
    proba, scored = found.scored(scores_of(rows, scores, "service"))
    assert len(proba) == len(scored.y) == len(found.y) - 2
    np.testing.assert_array_equal(scored.rows["post_id"], rows["post_id"].drop([0, 3]))
    with pytest.raises(ComoderateError, match="has no probability"):
        scores_of(rows, scores.assign(error=None), "service")
    same, whole = found.scored(scores_of(rows, scores.assign(proba=0.5), "service"))
    assert whole is found
    assert len(same) == len(found.y)
