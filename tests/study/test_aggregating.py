"""From annotations to labels: ties, medians, models, anchors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate.codebook import Codebook, Question, Target
from comoderate.errors import ComoderateError
from comoderate.study.aggregating import coded, fit, label_table
from comoderate.study.ratings import aggregate, ratings

BOOK = Codebook(
    question={
        "problem": Question(text="?", kind="ordinal", answers=("no", "some", "much")),
        "kind": Question(text="?", kind="multiple", answers=("insult", "threat"), when={"problem": ["some", "much"]}),
    }
)


def notes(*posts, cohort="crowd", question="problem", raters=True):
    """A row an answer: a string a post, its letters the answers n(o), s(ome), m(uch)."""
    names = {"n": "no", "s": "some", "m": "much", "i": "insult", "t": "threat"}
    rows = [
        (f"p{post}", f"{cohort}{rater}" if raters else None, names[letter])
        for post, letters in enumerate(posts)
        for rater, letter in enumerate(letters)
        if letter != "."
    ]
    frame = pd.DataFrame(rows, columns=["post_id", "rater_id", "answer"])
    return frame.assign(cohort=cohort, source="import", question=question)


def labels(frame, cohort="crowd", **rules):
    table = label_table(frame, BOOK, "t", Target(question="problem", at_least=rules.pop("at_least", "some"), **rules))
    return table[table["cohort"] == cohort].set_index("post_id")["y"].tolist()


@settings(max_examples=30)
@given(st.lists(st.text("nsm", min_size=1, max_size=7), min_size=1, max_size=6), st.sampled_from(["some", "much"]))
def test_the_median_of_ordinal_answers_is_the_majority_about_every_cut(posts, cut):
    target = Target(question="problem", at_least=cut)
    frame = notes(*posts)
    by_median = label_table(frame, BOOK, "t", target)
    by_votes = aggregate(ratings(frame, BOOK, target), target)
    pd.testing.assert_frame_equal(by_median, by_votes)


def test_ordinal_answers_are_aggregated_before_they_become_positive_or_not():
    frame = notes("nsm", "nnm", "smm")
    target = Target(question="problem", positive=("some",))
    assert label_table(frame, BOOK, "t", target)["y"].tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("abstain", [np.nan] * 2), ("positive", [1, 1]), ("negative", [0, 0]), ("ordinal-median", [1, 0])],
)
def test_rules_for_even_splits(ties, expected):
    # no, no, much, much lies around "some"; no, no, some, some between "no" and "some", the lower of which counts
    np.testing.assert_equal(labels(notes("nnmm", "nnss"), ties=ties), expected)


def test_experts_settle_even_splits_and_nothing_else():
    frame = pd.concat([notes("nm", "nm", "nm", "mm"), notes("m", "n", "nm", "n", cohort="experts")])
    rules = {"ties": "experts", "tie_cohort": "experts"}
    np.testing.assert_equal(labels(frame, **rules), [1, 0, np.nan, 1])
    np.testing.assert_equal(labels(frame, "experts", **rules), [1, 0, np.nan, 0])


def crowd(n_posts=300, n_raters=9, skill=0.75, seed=1):
    """Answers of a crowd of which two always say the opposite, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_posts) < 0.4
    right = rng.random((n_posts, n_raters)) < skill
    right[:, :2] = False
    said = truth[:, None] == right
    asked = rng.random((n_posts, n_raters)) < 0.5
    posts = [
        "".join("." if not a else "m" if s else "n" for a, s in zip(*row, strict=True)) for row in zip(asked, said)
    ]
    return notes(*posts), pd.Series(truth.astype(float), index=[f"p{i}" for i in range(n_posts)])


@pytest.mark.parametrize("aggregation", ["dawid_skene", "one_coin", "hierarchical"])
def test_models_of_raters_beat_the_majority(aggregation):
    frame, truth = crowd()

    def right(**rules):
        table = label_table(frame, BOOK, "t", Target(question="problem", at_least="some", **rules))
        return (table.set_index("post_id")["y"] == truth.reindex(table["post_id"])).mean()

    assert right(aggregation=aggregation) > right(ties="negative") + 0.05


def test_posteriors_are_soft_labels_and_one_half_is_the_cut():
    frame, _ = crowd()
    table = label_table(frame, BOOK, "t", Target(question="problem", at_least="some", aggregation="dawid_skene"))
    assert table["y_soft"].between(0, 1).all()
    assert ((table["y_soft"] > 0.5) == table["y"].eq(1)).all()
    assert (table["n_positive"] <= table["n_ratings"]).all()


def test_anchors_say_which_class_is_which():
    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.5
    wrong = ["".join("n" if rng.random() < 0.85 else "m" for _ in range(4)) if t else
             "".join("m" if rng.random() < 0.85 else "n" for _ in range(4)) for t in truth]  # fmt: skip
    experts = ["m" if t else "n" for t in truth[:40]]
    frame = pd.concat([notes(*wrong), notes(*experts, cohort="experts")])
    rules = {"aggregation": "dawid_skene"}
    assert np.mean(np.array(labels(frame, **rules)) == truth) < 0.2
    assert np.mean(np.array(labels(frame, **rules, anchor_cohort="experts")) == truth) > 0.9


def test_models_refuse_votes_without_raters():
    frame = notes("nm", "mm", raters=False)
    with pytest.raises(ComoderateError, match="needs to know who answered, and the votes of 'crowd' have no raters"):
        labels(frame, aggregation="dawid_skene")


def test_several_answers_are_positive_or_not():
    base = notes("mmm", "mmm", "mmn")
    ticks = notes("ttt", "iii", "ti.", question="kind")
    target = Target(question="kind", positive=("threat",), aggregation="one_coin")
    found = coded(pd.concat([base, ticks]), BOOK, target)
    assert found.rows.groupby("post_id")["code"].agg(list).to_dict() == {"p0": [1, 1, 1], "p1": [0, 0, 0], "p2": [1, 0]}
    assert fit(found, "crowd", "t", target).probas.shape == (3, 2)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"ties": "experts"}, "tie_cohort go together"),
        ({"tie_cohort": "experts"}, "tie_cohort go together"),
        ({"anchor_cohort": "experts"}, "anchor_cohort needs"),
    ],
)
def test_rules_that_do_not_fit(rules, message):
    with pytest.raises(ValueError, match=message):
        Target(question="problem", at_least="some", **rules)


def test_the_ordinal_median_needs_an_ordinal_question():
    target = Target(question="kind", positive=("threat",), ties="ordinal-median")
    with pytest.raises(ValueError, match="needs an ordinal question"):
        target.positive_answers(BOOK)
