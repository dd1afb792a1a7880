"""What review buys, and the queue with its audit."""

import numpy as np
import pandas as pd
import pytest

from comoderate import metrics, review
from comoderate.study import Study
from comoderate.study.evaluating import Evaluation
from comoderate.study.reviewing import build_experiment, build_queue, review_curves


def stream(n=1000):
    rng = np.random.default_rng(3)
    return pd.DataFrame({"post_id": [f"p{i}" for i in range(n)], "proba": rng.random(n)}), rng.random(n)


def test_the_queue_is_in_order_of_the_review_score():
    scores, u = stream()
    queue = build_queue(scores, u, strategy="toxicity", capacity=100, audit_share=0.2, target="abusive")
    assert len(queue) == 100
    assert queue["rank"].tolist() == list(range(1, 101))
    assert queue["post_id"].is_unique
    own = queue[queue["source"] == "queue"]
    assert own["proba"].is_monotonic_decreasing
    assert own["proba"].min() >= np.sort(scores["proba"])[-105]
    assert set(queue["target"]) == {"abusive"}


def test_the_audit_is_random_among_all_posts_with_a_known_chance():
    scores, u = stream()
    queue = build_queue(scores, u, strategy="uncertainty", capacity=100, audit_share=0.2, target="x")
    audit = queue[queue["source"] == "audit"]
    assert len(audit) == 20
    np.testing.assert_allclose(audit["pi"], 20 / 1000)
    assert queue.loc[queue["source"] == "queue", "pi"].isna().all()  # a queue is no sample
    assert set(audit["post_id"]) == set(scores["post_id"].iloc[np.argsort(u)[:20]])
    assert audit["reason"].str.contains("random").all()
    assert not queue.loc[queue["source"] == "queue", "reason"].str.contains("random").any()


@pytest.mark.parametrize(("capacity", "share", "audit"), [(5, 0.0, 0), (5, 1.0, 5), (5000, 0.1, None)])
def test_queues_at_the_ends(capacity, share, audit):
    scores, u = stream(50)
    queue = build_queue(scores, u, strategy="toxicity", capacity=capacity, audit_share=share, target="x")
    assert len(queue) == min(capacity, 50)
    if audit is not None:
        assert (queue["source"] == "audit").sum() == audit


def test_curves():
    rng = np.random.default_rng(0)
    n = 400
    rows = pd.DataFrame({"post_id": [f"p{i}" for i in range(n)], "y": (rng.random(n) < 0.3) * 1.0, "weight": 2.0})
    rows = rows.assign(stratum="s", cluster=None)
    proba = np.clip(0.3 * rows["y"] + rng.random(n) * 0.6, 0, 1).to_numpy()
    evaluation = Evaluation(rows, rows[["post_id"]], replicates=20, level=0.9, seed=1)
    table = pd.DataFrame(review_curves(evaluation, proba, fractions=(0.01, 0.1), threshold=0.5))
    assert set(table["strategy"]) == {"toxicity", "uncertainty"}
    assert set(table["metric"]) >= {"oracle_collaborative_accuracy", "oracle_collaborative_auroc", "review_efficiency"}
    assert len(table) == 2 * 2 * table["metric"].nunique()
    one = table.query(
        "strategy == 'uncertainty' and review_fraction == 0.1 and metric == 'oracle_collaborative_accuracy'"
    )
    expected = metrics.oracle_collaborative_accuracy(
        evaluation.y, proba, -np.abs(proba - 0.5), review_fraction=0.1, sample_weight=evaluation.weight
    )
    assert one["value"].item() == pytest.approx(expected)
    accuracy = table[table["metric"] == "oracle_collaborative_accuracy"].pivot(
        index="review_fraction", columns="strategy", values="value"
    )
    assert (accuracy.loc[0.1] >= accuracy.loc[0.01]).all()  # review never hurts


def test_the_review_of_a_study(ran):
    study = Study.open(ran)
    table, queue = study.result("review"), study.queue()
    assert set(table["review_fraction"]) == {0.05, 0.2}
    assert set(table["scorer"]) == {"words", "bayes", "service"}
    assert set(table["truth"]) == {"volunteers", "experts"}
    assert len(queue) == 20
    assert (queue["source"] == "audit").sum() == 5
    assert queue.loc[queue["source"] == "audit", "pi"].nunique() == 1
    labels = study.labels("abusive")
    assert not set(queue["post_id"]) & set(labels.loc[labels["y"].notna(), "post_id"])
    assert queue["proba"].between(0, 1).all()
    scores = study.scores("service").set_index("post_id")["proba"]  # the best scorer's
    np.testing.assert_allclose(queue["proba"], scores.reindex(queue["post_id"]))


def test_two_strategies_share_one_queue_beside_the_audit():
    rng = np.random.default_rng(3)
    n = 500
    scores = pd.DataFrame({"post_id": [f"p{i}" for i in range(n)], "proba": rng.random(n)})
    known = review.strategies()
    queue = build_experiment(
        scores, rng.random(n), rng.random(n), strategies=(known["toxicity"], known["uncertainty"]), extras={},
        share=0.5, capacity=100, audit_share=0.1, target="t",
    )  # fmt: skip
    assert len(queue) == 100
    assert queue["post_id"].is_unique
    audit = queue["source"] == "audit"
    assert audit.sum() == 10
    assert queue.loc[audit, ["arm", "chance", "rank_first"]].isna().all(axis=None)
    assert queue.loc[~audit, "chance"].isin([0.5, 1.0]).all()
    assert {"first", "second"} <= set(queue.loc[~audit, "arm"])
    second = queue[queue["arm"] == "second"]
    assert (second["reason"] == known["uncertainty"].explain()).all()
    np.testing.assert_allclose(second["review_score"], second["proba"] * (1 - second["proba"]))


def test_where_posts_are_read_twice_curves_count_readings():
    rng = np.random.default_rng(1)
    n, shares = 300, (0.1, 0.4, 1.0)
    rows = pd.DataFrame({"post_id": [f"p{i}" for i in range(n)], "y": (rng.random(n) < 0.3) * 1.0, "weight": 1.0})
    proba = np.clip(0.3 * rows["y"] + rng.random(n) * 0.6, 0, 1).to_numpy()
    evaluation = Evaluation(rows.assign(stratum="s", cluster=None), rows[["post_id"]], replicates=5, level=0.9, seed=1)
    score = -np.abs(proba - 0.5)
    asked = {"threshold": 0.5, "scores": {"uncertainty": score}}
    once = pd.DataFrame(review_curves(evaluation, proba, fractions=shares, readings=np.ones(n), **asked))
    plain = pd.DataFrame(review_curves(evaluation, proba, fractions=shares, **asked))
    pd.testing.assert_frame_equal(once, plain)
    assert (plain["posts_read"] == plain["review_fraction"]).all()
    twice = pd.DataFrame(review_curves(evaluation, proba, fractions=shares, readings=np.full(n, 2.0), **asked))
    assert twice["review_fraction"].unique().tolist() == list(shares)
    np.testing.assert_allclose(twice["posts_read"], twice["review_fraction"] / 2)
    halves = pd.DataFrame(review_curves(evaluation, proba, fractions=[s / 2 for s in shares], **asked))
    np.testing.assert_allclose(twice["value"], halves["value"])
