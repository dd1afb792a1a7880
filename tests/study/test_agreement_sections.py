"""The report's sections on what raters did."""

import numpy as np
import pandas as pd
import pytest

from comoderate.codebook import Codebook, Question
from comoderate.metrics import Estimate
from comoderate.plots import SimplexDisplay
from comoderate.study import Study
from comoderate.study.agreement_sections import agreement_sections, condition_words, domain_section, simplex_section
from comoderate.study.votes import all_votes


@pytest.fixture(scope="module")
def sections(ran):
    return {section.title: section for section in agreement_sections(Study.open(ran)) if section is not None}


def test_the_sections_of_a_study(sections):
    assert list(sections) == [
        "What raters answered",
        "Between three answers",
        "Agreement by group of posts",
        "Raters one by one",
        "Posts that divide raters",
        "Shares from soft labels",
    ]


def test_answers_of_follow_ups_are_shares_of_those_asked(sections, ran):
    per_post, answers = sections["What raters answered"].figures
    assert set(per_post.ratings) == {"volunteers", "experts"}
    problem, kind = answers.questions
    assert problem.condition == ""
    assert kind.asked["volunteers"] < problem.asked["volunteers"]
    assert np.sum(problem.shares["volunteers"]) == pytest.approx(1)


def test_the_triangle_stands_between_two_simulations(sections):
    figure = sections["Between three answers"].figures[0]
    assert isinstance(figure, SimplexDisplay)
    first, *observed, last = figure.counts
    assert (first, last) == ("simulated: perfect agreement", "simulated: pure chance")
    assert observed[0] == "volunteers"
    assert (figure.counts[first] > 0).sum(axis=1).max() == 1


def test_raters_are_numbered_and_never_ranked_by_agreement(sections, little):
    section = sections["Raters one by one"]
    assert "rank nobody" in section.sentences[0]
    frame = section.tables[0][1]
    assert frame["rater"].iloc[0] == "rater 1"
    assert frame["answers"].is_monotonic_decreasing
    assert not set(little.volunteers()["rater"]) & set(frame["rater"])


def test_divided_posts_are_named_by_id_only(sections):
    section = sections["Posts that divide raters"]
    assert all("text" not in frame.columns for _, frame in section.tables)
    assert any("got one more" in sentence for sentence in section.sentences)


def test_soft_and_hard_shares_stand_side_by_side(sections, ran):
    frame = sections["Shares from soft labels"].tables[0][1]
    assert frame["kind of label"].tolist()[:2] == ["hard", "soft"]
    hard, soft = (Study.open(ran).prevalence("abusive", "main", labels=kind)["value"][0] for kind in ("hard", "soft"))
    assert frame["value"].tolist()[:2] == pytest.approx([100 * hard, 100 * soft])
    assert hard != soft


def test_groups_show_how_many_pairs_give_the_same_answer(sections):
    frame = sections["Agreement by group of posts"].tables[0][1]
    assert frame["same answers"].str.endswith("%").all()


def test_a_question_of_two_answers_has_no_triangle():
    book = Codebook(question={"bad": Question(text="?", answers=("no", "yes"))})
    rows = [(f"p{n}", f"r{r}", "no") for n in range(3) for r in range(2)]
    notes = pd.DataFrame(rows, columns=["post_id", "rater_id", "answer"])
    notes = notes.assign(question="bad", cohort="v", source="sample", seconds=np.nan, created_at=pd.NaT)
    assert simplex_section(list(all_votes(notes, book)), book, seed=1) is None


def test_undefined_groups_say_why():
    common = {"question": "q", "cohort": "v", "statistic": "fleiss_kappa", "weighted": False, "domain": "day"}
    rows = [
        {**common, "group": "a", "n_items": 40, "few": False, **Estimate(0.4, low=0.3, high=0.5).as_dict()},
        {**common, "group": "b", "n_items": 0, "few": True, **Estimate.undefined("nothing there").as_dict()},
    ]
    found = domain_section(pd.DataFrame(rows))
    assert found is not None
    assert found.tables[0][1]["note"].tolist() == ["", "nothing there"]
    assert domain_section(pd.DataFrame(rows[1:])) is None
    alone = domain_section(pd.DataFrame(rows[:1]))
    assert alone is not None
    assert "note" not in alone.tables[0][1]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"a": ["x", "y"]}, "a is “x” or “y”"),
        ({"a": ["x"], "b": ["y"]}, "a is “x” and b is “y”"),
        ({"any": [{"a": ["x"]}, {"b": ["y"]}]}, "a is “x” or b is “y”"),
        ({"c": ["z"], "any": [{"a": ["x"]}, {"b": ["y"]}]}, "c is “z” and (a is “x” or b is “y”)"),
    ],
)
def test_conditions_in_words(condition, words):
    assert condition_words(condition) == words
