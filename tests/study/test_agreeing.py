"""Agreement among raters, against statsmodels."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa

from comoderate.codebook import Codebook, Question
from comoderate.study import Study
from comoderate.study.agreeing import agreement_table

CODEBOOK = Codebook(
    question={
        "problem": Question(text="?", answers=("no", "yes")),
        "type": Question(text="?", kind="multiple", answers=("insult", "threat"), when={"problem": ["yes"]}),
        "note": Question(text="?", kind="text"),
    },
)


def notes(votes, cohort="v", source="sample", question="problem"):
    """Annotations from a table of votes: a row a post, a column an answer, raters 0, 1, …"""
    rows = []
    for post, counts in enumerate(votes):
        answers = [answer for answer, n in zip(("no", "yes"), counts, strict=True) for _ in range(n)]
        rows += [(f"p{post}", f"r{rater}", question, answer) for rater, answer in enumerate(answers)]
    frame = pd.DataFrame(rows, columns=["post_id", "rater_id", "question", "answer"])
    return frame.assign(cohort=cohort, source=source, seconds=np.nan, created_at=pd.NaT)


def kappa(*arguments, **options):
    """The rows of the table that hold Fleiss' kappa."""
    table = agreement_table(*arguments, **options)
    return table[table["statistic"] == "fleiss_kappa"].reset_index(drop=True)


VOTES = np.array([[3, 0], [0, 3], [1, 2], [3, 0], [2, 1], [3, 0], [0, 3], [3, 0]])
POSTS = pd.DataFrame({"post_id": [f"p{i}" for i in range(8)], "platform": ["x"] * 5 + ["y"] * 3})


def test_kappa_of_a_hand_made_table_is_that_of_statsmodels():
    row = kappa(notes(VOTES), CODEBOOK, POSTS).iloc[0]
    assert row["value"] == pytest.approx(fleiss_kappa(VOTES))
    assert row[["question", "cohort", "n_items", "n_annotations", "n_raters"]].tolist() == ["problem", "v", 8, 24, 3.0]
    assert row["low"] < row["value"] < row["high"]


def test_by_group():
    table = kappa(notes(VOTES), CODEBOOK, POSTS, by=("platform",))
    table = table[table["statistic"] == "fleiss_kappa"].set_index("group")
    assert table.loc["x", "value"] == pytest.approx(fleiss_kappa(VOTES[:5]))
    assert table.loc["y", "value"] == pytest.approx(fleiss_kappa(VOTES[5:]))
    assert table["few"].to_dict() == {"all": True, "x": True, "y": True}


def test_gold_and_tutorial_answers_never_enter():
    bad = [notes(np.array([[1, 2]] * 8), source=source) for source in ("gold", "tutorial", "queue")]
    table = kappa(pd.concat([notes(VOTES), *bad]), CODEBOOK, POSTS)
    assert table["value"][0] == pytest.approx(fleiss_kappa(VOTES))


def test_cohorts_are_kept_apart():
    other = notes(np.array([[2, 0], [0, 2], [2, 0]]), cohort="e")
    table = kappa(pd.concat([notes(VOTES), other]), CODEBOOK, POSTS)
    table = table[table["statistic"] == "fleiss_kappa"].set_index("cohort")
    assert table.loc["v", "value"] == pytest.approx(fleiss_kappa(VOTES))
    assert table.loc["e", "value"] == 1.0


def test_unequal_numbers_of_raters():
    found = kappa(notes(np.array([[3, 0], [1, 4], [2, 0], [0, 1]])), CODEBOOK, POSTS)
    assert found["n_items"][0] == 3  # a single rating says nothing about agreement
    assert found["n_annotations"][0] == 11


def test_votes_have_an_unknown_number_of_raters():
    found = kappa(notes(VOTES).assign(rater_id=None), CODEBOOK, POSTS)
    assert np.isnan(found["n_raters"][0])
    assert found["value"][0] == pytest.approx(fleiss_kappa(VOTES))


def test_a_question_with_several_answers_is_a_row_an_answer():
    base = notes(np.array([[0, 3], [0, 3], [0, 2], [2, 1]]))
    given = [("p0", "r0"), ("p0", "r1"), ("p1", "r0"), ("p1", "r1"), ("p1", "r2"), ("p2", "r0")]
    ticks = pd.DataFrame(given, columns=["post_id", "rater_id"])
    ticks = ticks.assign(answer="insult", question="type", cohort="v", source="sample")
    threat = ticks[:1].assign(rater_id="r2", answer="threat")
    table = kappa(pd.concat([base, ticks, threat]), CODEBOOK, POSTS).set_index("question")
    assert list(table.index) == ["problem", "type: insult", "type: threat"]
    # Asked were three raters on p0 and p1 and two on p2; p3 has one alone, who says nothing about agreement.
    assert table.loc["type: insult", ["n_items", "n_annotations"]].tolist() == [3, 8]
    assert table.loc["type: threat", ["n_items", "n_annotations"]].tolist() == [3, 8]


def test_other_statistics_stand_beside_it():
    table = agreement_table(notes(VOTES), CODEBOOK, POSTS)
    assert set(table["statistic"]) == {"fleiss_kappa", "gwet_ac1", "percent_agreement", "krippendorff_alpha"}
    share = table.loc[table["statistic"] == "percent_agreement", "value"].item()
    assert share == pytest.approx(np.mean([1, 1, 1 / 3, 1, 1 / 3, 1, 1, 1]))


def test_weights_make_it_agreement_on_the_stream():
    whole = pd.Series(np.arange(1, 9), index=POSTS["post_id"])
    repeated = np.repeat(VOTES, whole.to_numpy(), axis=0)
    found = kappa(notes(VOTES), CODEBOOK, POSTS, weight=whole)
    assert found["value"][0] == pytest.approx(fleiss_kappa(repeated))
    assert found["weighted"].all()


def test_agreement_in_a_study(ran, little):
    table = Study.open(ran).agreement(by=["platform"])
    table = table[table["statistic"] == "fleiss_kappa"]
    votes = little.volunteers().query("question == 'problem'")
    counts = pd.crosstab(votes["post_id"], votes["answer"])[["No", "Problematic", "Abusive"]].to_numpy()
    row = table[(table["question"] == "problem") & (table["cohort"] == "volunteers") & (table["domain"] == "all")]
    assert row["value"].item() == pytest.approx(fleiss_kappa(counts))
    assert set(table.loc[table["cohort"] == "experts", "question"]) == {"problem"}  # they were never asked for types
    stored = Study.open(ran).result("agreement")
    assert set(stored["weighted"]) == {False, True}


def test_a_reason_names_the_answer_and_not_its_number():
    found = kappa(notes(np.array([[3, 0], [3, 0], [3, 0], [2, 1], [3, 0]])), CODEBOOK, POSTS)
    told = " ".join(found["reason"].dropna())
    assert "“yes” was chosen on only 1 of 5 posts" in told
    assert "category" not in told
