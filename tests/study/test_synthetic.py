import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.errors import ComoderateError
from comoderate.models import Lexicon, TfidfLogistic
from comoderate.models.near_duplicates import duplicate_groups
from comoderate.study.synthetic import (
    ANSWERS,
    LEXICON,
    STATES,
    TARGETS,
    TRUTHS,
    TYPES,
    Raters,
    majority_probability,
    make_study,
)


@pytest.fixture(scope="module")
def study():
    return make_study(3)


@pytest.fixture(scope="module")
def small():
    return make_study(5, n_posts=1200, n_days=12)


def positives(annotations, lowest):
    """How many answers of each post reach the target, in the order of posts."""
    problem = annotations[annotations["question"] == "problem"]
    reached = problem["answer"].map({answer: code for code, answer in enumerate(ANSWERS)}) >= lowest
    return reached.groupby(problem["post_id"]).sum()


def test_shapes(study):
    posts, world, totals = study.posts, study.world, study.totals
    assert list(posts) == [
        "post_id", "text", "created_at", "day", "author", "views", "target_group", "platform", "length"
    ]  # fmt: skip
    assert abs(len(posts) - 20_000) < 60
    assert len(totals) == 60
    assert totals["N"].sum() == len(world)
    assert len(world) > 1.1 * len(posts)
    assert posts["post_id"].is_unique
    assert posts["created_at"].is_monotonic_increasing
    assert (posts["created_at"].dt.strftime("%Y-%m-%d") == posts["day"]).all()
    assert not posts.isna().any().any()
    assert posts["text"].str.len().min() > 5


def test_the_cap_bites_on_burst_days_only(study):
    in_hand = study.posts["day"].value_counts().reindex(study.totals["day"]).to_numpy()
    assert (in_hand == np.minimum(study.totals["N"], study.cap)).all()
    assert 5 <= (in_hand == study.cap).sum() < 30
    assert study.totals["N"].max() > 2 * study.cap


def test_what_is_in_hand_is_random_within_a_day(study):
    capped = study.world[study.world["day"] == study.totals["day"][study.totals["N"].idxmax()]]
    place = np.arange(len(capped))[capped["in_hand"].to_numpy()]
    assert abs(place.mean() / len(capped) - 0.5) < 0.06


def test_same_seed_same_study(small):
    again, other = make_study(5, n_posts=1200, n_days=12), make_study(6, n_posts=1200, n_days=12)
    for name in ("posts", "totals", "world", "volunteers", "experts"):
        pd.testing.assert_frame_equal(getattr(small, name), getattr(again, name))
    assert not small.posts["text"].equals(other.posts["text"])


def test_the_size_of_a_study_as_it_comes(study):
    assert study.truth["abusive"]["true"] > 0
    assert len(study.volunteers) > 60_000


def test_prevalence_is_as_designed(study):
    truth = study.truth["prevalence"]
    assert set(truth["truth"]) == set(TRUTHS)
    assert set(truth["target"]) == set(TARGETS)
    by = truth[truth["target"] == "abusive"].set_index(["truth", "domain", "group"])["value"]
    assert 0.06 < by["true", "all", "all"] < 0.08
    assert 1.4 < by["true", "target_group", "journalists"] / by["true", "target_group", "politicians"] < 2.3
    assert by["true", "platform", "river"] > 1.7 * by["true", "platform", "forum"]
    assert study.truth["severe"]["true"] < 0.6 * study.truth["abusive"]["true"]
    assert 0 < (study.world["state"] == "threat").mean() < 0.012


def test_truth_is_that_of_the_whole_world(small):
    world, table = small.world, small.truth["prevalence"]
    assert (world["y_abusive"] == world["state"].isin(["Problematic", "Abusive", "threat"])).all()
    assert (world["y_severe"] == world["state"].isin(["Abusive", "threat"])).all()
    row = table.query("target == 'severe' and truth == 'experts' and domain == 'platform' and group == 'river'")
    assert row["value"].item() == pytest.approx(world[world["platform"] == "river"]["experts_severe"].mean())
    assert row["N"].item() == (world["platform"] == "river").sum()
    for _, part in table.groupby(["target", "truth", "domain"]):
        assert part["N"].sum() == len(world)
        overall = small.truth[part["target"].iloc[0]][part["truth"].iloc[0]]
        assert np.average(part["value"], weights=part["N"]) == pytest.approx(overall)


def brute_majority(pool, lowest):
    """Every ordered triple and every pattern of answers, one by one."""
    yes, activity = pool.confusion[:, :, lowest:].sum(axis=2), pool.activity / pool.activity.sum()
    total = np.zeros(len(STATES))
    for i in range(len(activity)):
        for j in range(len(activity)):
            for k in range(len(activity)):
                if len({i, j, k}) == 3:
                    left = 1 - activity[i]
                    chance = activity[i] * activity[j] / left * activity[k] / (left - activity[j])
                    for pattern in np.ndindex(2, 2, 2):
                        if sum(pattern) >= 2:
                            parts = [yes[r] if said else 1 - yes[r] for r, said in zip((i, j, k), pattern)]
                            total += chance * np.prod(parts, axis=0)
    return total


@given(st.integers(0, 10_000), st.integers(3, 6), st.sampled_from([1, 2]))
def test_majority_equals_brute_force(seed, size, lowest):
    rng = np.random.default_rng(seed)
    confusion = rng.dirichlet(np.ones(3), (size, len(STATES)))
    pool = Raters(np.arange(size), confusion, np.ones(size), rng.random(size) + 0.05)
    assert np.allclose(majority_probability(pool, lowest), brute_majority(pool, lowest))


@pytest.mark.parametrize("cohort", ["volunteers", "experts"])
@pytest.mark.parametrize("target", list(TARGETS))
def test_majority_equals_simulation(study, cohort, target):
    world = study.world
    expected = world.groupby("state", observed=True)[f"{cohort}_{target}"].first()
    for state in STATES:
        ids = world.loc[world["state"] == state, "post_id"].iloc[:1500]
        rounds = [positives(study.annotate(ids, cohort, seed=seed), TARGETS[target]) for seed in range(4)]
        votes = np.concatenate(rounds)
        p = expected[state]
        assert (votes >= 2).mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(votes)) + 1e-3)


def test_answers_follow_the_confusion_matrices(study):
    answers = study.volunteers.query("question == 'problem'").merge(study.world[["post_id", "state"]], on="post_id")
    pool = study.raters["volunteers"]
    busiest = int(np.argmax(pool.activity))
    own = answers[answers["rater_id"] == pool.rater_id[busiest]]
    seen = pd.crosstab(own["state"], own["answer"], normalize="index").reindex(index=STATES, columns=ANSWERS)
    counts = own["state"].value_counts().reindex(list(STATES)).to_numpy()
    error = np.abs(seen.fillna(0).to_numpy() - pool.confusion[busiest])
    assert (error <= 4 * np.sqrt(0.25 / counts)[:, None]).all()
    shares = answers["rater_id"].value_counts().reindex(pool.rater_id).to_numpy() / len(answers)
    assert np.corrcoef(shares, pool.activity)[0, 1] > 0.97


def test_annotations(study):
    ids = study.posts["post_id"].iloc[:300]
    made = study.annotate(ids, "volunteers")
    assert list(made) == ["post_id", "rater_id", "cohort", "question", "answer", "created_at", "seconds"]
    problem, kind = made[made["question"] == "problem"], made[made["question"] == "type"]
    assert len(problem) == 900
    assert not problem.duplicated(["post_id", "rater_id"]).any()
    assert not kind.duplicated(["post_id", "rater_id", "answer"]).any()
    assert set(problem["answer"]) == set(ANSWERS)
    assert set(kind["answer"]) <= set(TYPES)
    asked = set(map(tuple, problem.loc[problem["answer"] != "No", ["post_id", "rater_id"]].to_numpy()))
    assert set(map(tuple, kind[["post_id", "rater_id"]].to_numpy())) == asked
    assert kind.groupby(["post_id", "rater_id"]).size().max() == 2
    assert made["created_at"].min() > study.posts["created_at"].iloc[0]
    assert made["seconds"].between(4, 64).all()


def test_answers_do_not_depend_on_what_else_is_asked(study):
    ids = study.posts["post_id"].iloc[:40].tolist()
    together = study.annotate(ids, "volunteers")
    alone = study.annotate(ids[17:18], "volunteers").reset_index(drop=True)
    pd.testing.assert_frame_equal(together[together["post_id"] == ids[17]].reset_index(drop=True), alone)
    more = study.annotate(ids, "volunteers", overlap=5)
    keys = ["post_id", "rater_id", "question", "answer"]
    assert set(map(tuple, together[keys].to_numpy())) <= set(map(tuple, more[keys].to_numpy()))
    assert not study.annotate(ids, "volunteers", seed=99)[keys].equals(together[keys])


def test_experts_agree_more_than_volunteers(study):
    for target in TARGETS.values():
        spread = {
            cohort: positives(annotations, target).between(1, 2).mean()
            for cohort, annotations in [("volunteers", study.volunteers), ("experts", study.experts)]
        }
        assert spread["experts"] < 0.6 * spread["volunteers"]


def test_bad_requests(study):
    with pytest.raises(ComoderateError, match="no cohort 'crowd'"):
        study.annotate([], "crowd")
    with pytest.raises(ComoderateError, match="no post 'nobody'"):
        study.annotate([study.posts["post_id"].iloc[0], "nobody"], "experts")
    with pytest.raises(ComoderateError, match="experts are 3: overlap can't be 4"):
        study.annotate([], "experts", overlap=4)
    assert study.annotate([], "experts").empty
    with pytest.raises(ComoderateError, match="too few"):
        make_study(1, n_posts=50, n_days=60)


def test_k_is_what_the_lexicon_says(study):
    flagged = Lexicon(words=LEXICON).predict_proba(study.posts["text"].tolist()) > 0
    assert (flagged == study.world.loc[study.world["in_hand"], "k"].to_numpy()).all()
    assert 0.02 < flagged.mean() < 0.10


def test_a_classifier_is_good_but_not_perfect(study):
    texts, y = study.posts["text"].tolist(), study.world.loc[study.world["in_hand"], "y_abusive"].to_numpy()
    model = TfidfLogistic().fit(texts[::4], y[::4])
    proba, y = model.predict_proba(texts[1::4]), y[1::4]
    above = np.searchsorted(np.sort(proba[y == 0]), proba[y == 1]).mean() / (y == 0).sum()
    assert 0.83 < above < 0.92


@pytest.mark.slow
def test_near_duplicates_are_there(study):
    groups = duplicate_groups(study.posts["text"])
    repeats = study.posts["text"].str.startswith("RT @")
    assert 0.02 < repeats.mean() < 0.06
    assert (np.bincount(groups)[groups[repeats.to_numpy()]] > 1).mean() > 0.75
    assert np.bincount(groups).max() < 60


def test_repeats_share_the_truth_of_what_they_repeat(study):
    stripped = study.posts["text"].map(lambda text: re.sub(r"^RT @\w+: |!$| https://\S+$", "", text))
    state = study.world.loc[study.world["in_hand"], "state"].to_numpy()
    first = stripped.drop_duplicates()
    long = stripped.str.len() > 60
    same = pd.Series(state).groupby(stripped).nunique()
    assert len(first) < len(stripped)
    assert (same.reindex(stripped[long]) == 1).all()


@pytest.mark.slow
def test_intervals_hold_the_truth():
    """Day-stratified samples of 1,500 posts; the majority of three; normal intervals: 20 seeds, three truths."""
    held = []
    for seed in range(20):
        study = make_study(seed)
        rng = np.random.default_rng([seed, 1])
        share = study.totals["N"] / study.totals["N"].sum()
        size = dict(zip(study.totals["day"], np.rint(1500 * share).astype(int)))
        drawn = pd.concat(
            [part.sample(size[day], random_state=rng.integers(2**31)) for day, part in study.posts.groupby("day")]
        )
        truth = study.world.set_index("post_id").loc[drawn["post_id"], "y_abusive"].to_numpy()
        labels = {"true": truth}
        for cohort in ("volunteers", "experts"):
            votes = positives(study.annotate(drawn["post_id"], cohort), 1)
            labels[cohort] = (votes.loc[drawn["post_id"]] >= 2).to_numpy(dtype=float)
        weight = study.totals.set_index("day")["N"].loc[drawn["day"]].to_numpy() / drawn["day"].map(size).to_numpy()
        for name, y in labels.items():
            value = np.average(y, weights=weight)
            half = 1.96 * np.sqrt((weight**2 * (y - value) ** 2).sum()) / weight.sum()
            held.append(abs(value - study.truth["abusive"][name]) <= half)
    assert np.mean(held) >= 0.9
