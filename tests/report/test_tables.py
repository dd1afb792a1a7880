import math

import pandas as pd

from comoderate.report import tables


def test_a_row_a_scorer_and_a_column_a_metric(make):
    frame = make().evaluation
    table = tables.scorers(frame[(frame["truth"] == "experts") & (frame["domain"] == "all")], caption="c")
    names = "Scorer Precision Recall F1 Threshold Average precision AUROC Accuracy Labels"
    assert " ".join(head.text for head in table.head) == names
    assert [row[0].text for row in table.rows] == ["naive_bayes", "tfidf_logistic", "volunteers"]
    assert table.rows[1][0].remark == "version 9b31d0e4c5"
    assert table.rows[1][1].text == "66 % (62 to 70)"


def test_groups_with_few_labels_are_marked(make):
    frame = make().evaluation
    table = tables.scorers(frame[(frame["truth"] == "experts") & (frame["domain"] == "platform")], caption="c")
    marked = {row[0].text: row[-1].remark for row in table.rows}
    assert marked == {"short": "", "long": "few labels"}


def test_known_shares_are_found_by_the_keys_they_have():
    frame = pd.DataFrame({"target": ["t", "t"], "sample": "s", "cohort": ["v", "e"], "domain": "all", "group": "all"})
    both = pd.DataFrame({"target": ["t"], "domain": ["all"], "group": ["all"], "truth": [0.1]})
    assert tables.beside(frame, both, "truth") == [0.1, 0.1]
    one = both.assign(cohort="e")
    known = tables.beside(frame, one, "truth")
    assert math.isnan(known[0])
    assert known[1] == 0.1


def test_agreement_has_a_row_a_question_and_cohort(make):
    table = tables.agreement(make().agreement)
    assert [head.text for head in table.head][2:5] == ["Fleiss' κ", "ICC(1,1)", "In plain words"]
    assert len(table.rows) == 7
    assert table.rows[-1][3].text == "not measured"
    assert table.rows[-1][2].text == "undefined (no post has two answers)"


def test_strata_are_added_up_by_phase(make):
    design = make().design
    table = tables.phases(design)
    drawn = design.groupby("phase")["drawn"].sum()
    assert [row[-1].text for row in table.rows] == [f"{drawn['base']:,}", f"{drawn['enriched']:,}"]


def test_a_doubtful_interval_says_so():
    frame = pd.DataFrame(
        {"sample": "s", "cohort": "v", "unit": "posts", "domain": "d", "group": ["a"], "value": [0.1], "low": [0.0],
         "high": [0.2], "n": [3], "few": [True], "method": [""], "reason": ["one stratum had one post"]}
    )  # fmt: skip
    table = tables.prevalence(frame, {}, caption="c")
    assert table.rows[0][1].remark == "few labels; one stratum had one post"


def test_an_interval_that_misses_the_truth_is_said(make):
    frame = make().prevalence.head(2)
    table = tables.prevalence(frame, {"Truth": [0.0698, 0.2]}, caption="c")
    assert [row[-1].remark for row in table.rows] == ["", "outside the interval"]


def test_readings_stand_beside_posts_where_they_differ(make):
    frame = make().review
    heads = [head.text for head in tables.review(frame, caption="c").head]
    assert "Posts read" in heads
    assert "Readings, of all posts" not in heads
    twice = tables.review(frame.assign(posts_read=frame["review_fraction"] * 0.8), caption="c")
    at = [head.text for head in twice.head].index("Readings, of all posts")
    assert twice.head[at + 1].text == "Posts read"
    assert (twice.rows[0][at].text, twice.rows[0][at + 1].text) == ("0.1 %", "0.08 %")
