"""From annotations to labels: who was asked, who said what, and what a post's label is."""

import numpy as np
import pandas as pd
import pytest

from comoderate.codebook import Codebook, Question, Target
from comoderate.study.ratings import MEASURING, SURFACE, TRAINING, aggregate, asked, label, ratings

CODEBOOK = Codebook(
    question={
        "problem": Question(text="?", kind="ordinal", answers=("no", "some", "much")),
        "type": Question(text="?", kind="multiple", answers=("insult", "threat"), when={"problem": ["some", "much"]}),
    },
)
ABUSIVE = Target(question="problem", at_least="some")
THREAT = Target(question="type", positive=("threat",))


def notes(*rows, cohort="v", source="sample"):
    frame = pd.DataFrame(rows, columns=["post_id", "rater_id", "question", "answer"])
    return frame.assign(cohort=cohort, source=source)


ROWS = notes(
    ("a", "r1", "problem", "much"), ("a", "r1", "type", "threat"), ("a", "r1", "type", "insult"),
    ("a", "r2", "problem", "some"), ("a", "r2", "type", "insult"),
    ("a", "r3", "problem", "no"),
    ("b", "r1", "problem", "no"),
)  # fmt: skip


def test_who_was_asked():
    assert len(asked(ROWS, CODEBOOK, "problem")) == 4
    assert asked(ROWS, CODEBOOK, "type")[["post_id", "rater_id"]].to_numpy().tolist() == [["a", "r1"], ["a", "r2"]]


def test_ratings_of_a_plain_question():
    found = ratings(ROWS, CODEBOOK, ABUSIVE)
    assert found["positive"].tolist() == [True, True, False, False]


def test_who_was_not_asked_gives_no_rating():
    found = ratings(ROWS, CODEBOOK, THREAT)
    assert found[["post_id", "rater_id", "positive"]].to_numpy().tolist() == [["a", "r1", True], ["a", "r2", False]]
    table = aggregate(found, THREAT)
    assert table["post_id"].tolist() == ["a"]  # b has no label at all, neither 0 nor 1
    assert np.isnan(table["y"][0])  # one of two


def test_asked_and_nothing_ticked_is_a_no():
    rows = notes(("a", "r1", "problem", "much"), ("b", "r1", "problem", "much"), ("b", "r1", "type", "threat"))
    found = ratings(rows, CODEBOOK, THREAT)
    assert dict(zip(found["post_id"], found["positive"], strict=True)) == {"a": False, "b": True}


def test_a_cohort_that_was_never_asked_a_question_gives_no_ratings():
    experts = notes(("a", "e1", "problem", "much"), ("b", "e1", "problem", "much"), cohort="experts")
    found = ratings(pd.concat([ROWS, experts]), CODEBOOK, THREAT)
    assert set(found["cohort"]) == {"v"}


def test_an_answer_under_a_hidden_question_does_not_count():
    rows = notes(
        ("a", "r1", "problem", "no"),
        ("a", "r1", "type", "threat"),
        ("b", "r1", "problem", "some"),
        ("b", "r1", "type", "threat"),
    )
    assert ratings(rows, CODEBOOK, THREAT)["post_id"].tolist() == ["b"]


def test_votes_without_raters():
    rows = notes(("a", None, "problem", "no"), ("a", None, "problem", "much"), ("a", None, "problem", "much"))
    table = aggregate(ratings(rows, CODEBOOK, ABUSIVE), ABUSIVE)
    assert table[["n_ratings", "n_positive", "y"]].to_numpy().tolist() == [[3, 2, 1.0]]


def test_aggregate():
    table = aggregate(ratings(ROWS, CODEBOOK, ABUSIVE), ABUSIVE).set_index("post_id")
    assert table.loc["a", ["n_ratings", "n_positive", "y"]].tolist() == [3, 2, 1.0]
    assert table.loc["a", "y_soft"] == pytest.approx(2 / 3)
    assert table.loc["b", ["n_ratings", "n_positive", "y"]].tolist() == [1, 0, 0.0]


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({}, [0, 0, np.nan, 1, 1]),
        ({"ties": "positive"}, [0, 0, 1, 1, 1]),
        ({"ties": "negative"}, [0, 0, 0, 1, 1]),
        ({"aggregation": "any"}, [0, 1, 1, 1, 1]),
        ({"aggregation": "soft"}, [0, np.nan, np.nan, np.nan, 1]),
    ],
)
def test_label_by_rule(options, labels):
    target = Target(question="problem", at_least="some", **options)
    np.testing.assert_array_equal(label(np.arange(5), np.full(5, 4), target), labels)


def test_what_measures_also_trains_and_gold_does_neither():
    assert set(MEASURING) < set(TRAINING)
    assert set(SURFACE) - set(MEASURING) == {"assess"}
    assert set(TRAINING) - set(SURFACE) == {"queue", "appeal"}
    assert not {"gold", "tutorial"} & set(TRAINING)
