import math

import pandas as pd
import pytest

from comoderate.report import sentences
from comoderate.report.content import PEOPLE


def row(value, low=math.nan, high=math.nan, statistic="fleiss_kappa", reason=None):
    return pd.Series({"value": value, "low": low, "high": high, "statistic": statistic, "reason": reason})


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (-0.2, -0.3, -0.1, "systemic disagreement"),
        (-0.02, -0.1, 0.06, "systemic disagreement, or chance"),
        (0.05, -0.01, 0.11, "agreement can't be told from guessing"),
        (0.1, 0.05, 0.15, "slight agreement"),
        (0.35, 0.3, 0.4, "fair agreement"),
        (0.5, 0.4, 0.6, "moderate agreement"),
        (0.7, 0.6, 0.8, "substantial agreement"),
        (0.9, math.nan, math.nan, "almost perfect agreement"),
        (1.0, 1.0, 1.0, "almost perfect agreement"),
        (math.nan, math.nan, math.nan, "can't be said"),
    ],
)
def test_reading_of_a_coefficient(value, low, high, text):
    assert sentences.reading(row(value, low, high)) == text


def test_equal_answers_are_no_agreement_beyond_chance():
    assert sentences.reading(row(0.93, statistic="percent_agreement")) == "93.0 % of pairs of answers are the same"


def test_the_reading_of_a_question_is_that_of_its_coefficient():
    rows = pd.DataFrame([row(0.93, statistic="percent_agreement"), row(math.nan), row(0.5, 0.4, 0.6, "gwet_ac1")])
    assert sentences.reading_of(rows) == "moderate agreement"


def test_people_do_not_win_the_comparison(make):
    frame = make().evaluation
    frame = frame[frame["truth"] == "experts"].copy()
    frame.loc[(frame["scorer"] == "volunteers") & (frame["metric"] == "average_precision"), "value"] = 0.99
    assert sentences.best(frame, PEOPLE)["scorer"].startswith("tfidf_logistic")
    assert "volunteers" in sentences.as_scorers(frame, PEOPLE)[0]


def test_overlapping_scorers_are_said_to_be_alike(make):
    frame = make().evaluation
    frame = frame[frame["truth"] == "experts"].copy()
    assert len(sentences.best_scorer(frame, PEOPLE)) == 2
    frame.loc[frame["metric"] == "average_precision", ["low", "high"]] = [0.3, 0.9]
    assert "their order may be chance" in sentences.best_scorer(frame, PEOPLE)[-1]


def test_the_best_on_a_few_labels_is_a_hint(make):
    frame = make().evaluation
    frame = frame[frame["truth"] == "experts"].assign(few=True, n=6)
    assert "This rests on 6 labels only" in sentences.best_scorer(frame, PEOPLE)[0]


def test_nothing_to_compare_is_said(make):
    frame = make().evaluation
    assert sentences.best_scorer(frame[frame["metric"] == "recall"], PEOPLE) == [
        "No model or service that scores “abusive” has been measured against these labels."
    ]


def test_an_unknown_share_says_why():
    unknown = row(math.nan, reason="no labels").to_dict()
    told = sentences.share(pd.Series({**unknown, "unit": "posts", "target": "t", "cohort": "v", "few": True}))
    assert told == "The share of posts that are “t” is not known: no labels."


def test_the_nearest_review_fraction_is_told(make):
    told = sentences.review(make().review, 0.04)
    assert told[0].startswith("If moderators read the 5 % of posts")


def test_equal_strategies_are_said_to_be_equal(make):
    frame = make().review
    same = frame["metric"] == "oracle_collaborative_accuracy"
    frame.loc[same, ["value", "low", "high"]] = [0.95, 0.94, 0.96]
    assert sentences.review(frame, 0.05)[0].endswith("of posts right; the toxicity strategy gives the same.")


def test_every_sentence_ends():
    assert [sentences.ended(text) for text in ("a", "a. ", "a?")] == ["a.", "a.", "a?"]


def agreement_row(question, value, statistic="fleiss_kappa", **more):
    fixed = {"cohort": "volunteers", "statistic": statistic, "low": value, "high": value, "n_items": 40, "few": False}
    return {"question": question, "value": value, "reason": None, **fixed, **more}


def test_a_number_from_few_labels_is_a_hint(make):
    few = {"n": 4, "unit": "posts", "target": "t", "cohort": "v", "few": True}
    told = sentences.share(pd.Series({**row(0.2).to_dict(), **few}))
    assert told.endswith("This rests on 4 labels only: take it for a hint, no more.")
    one = sentences.agreement(pd.DataFrame([agreement_row("problem", 0.5, n_items=1, few=True)]))
    assert one.endswith("This rests on 1 post with two answers only: take it for a hint, no more.")
    assert "hint" not in sentences.agreement(pd.DataFrame([agreement_row("problem", 0.5)]))


def test_what_cannot_be_said_is_one_sentence():
    nobody, alike = {"reason": "no item has two ratings"}, {"reason": "all are alike"}
    frame = pd.DataFrame(
        [
            agreement_row("problem", 0.5),
            agreement_row("problem", math.nan, "icc", **alike),
            agreement_row("type", math.nan, "krippendorff_alpha", **nobody),
            *(agreement_row(f"type: {name}", math.nan, **nobody) for name in "abcdefg"),
            *(agreement_row(f"type: {name}", 1.0, "percent_agreement") for name in "abcdefg"),
            agreement_row("medium", math.nan, **nobody),
            agreement_row("tone: rude", math.nan, **alike),
        ]
    )
    assert frame[sentences.can_be_said(frame)]["question"].unique().tolist() == ["problem"]
    assert sentences.unsaid(frame) == [
        "On “type”, 7 answers to “type” and “medium”, the agreement of volunteers can't be said: "
        "no item has two ratings.",
        "On “tone: rude”, the agreement of volunteers can't be said: all are alike.",
    ]
    assert sentences.unsaid(frame[:2]) == []


def test_capacity_is_spoken_of_in_readings_where_posts_are_read_twice(make):
    frame = make().review
    told = sentences.review(frame.assign(posts_read=frame["review_fraction"] * 0.8), 0.05)
    assert told[0].startswith(
        "If moderators have time for readings of 5 % of posts, and read, some of them twice, the 4 % that the"
    )
