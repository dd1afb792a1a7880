"""A campaign that has found nothing yet: prevalence and a report, and a word on the scorers that must wait."""

import pytest

from comoderate.errors import CannotTrainError
from comoderate.study import Study

SETTINGS = """
[study]
title = "t"
[posts]
path = "posts.csv"
[annotations.one]
form = "wide"
cohort = "one"
rater = "r"
columns = { problem = "problem" }
[codebook.question.problem]
text = "A problem?"
answers = ["no", "yes"]
[target.problem]
question = "problem"
positive = ["yes"]
[sample.main]
design = "uniform"
size = 60
[scorer.bayes]
kind = "naive_bayes"
[scorer.words]
kind = "lexicon"
words = ["dolt"]
"""


@pytest.fixture
def study(tmp_path):
    rows = "\n".join(f"p{i},{'abcdefgh'[i % 8] * 5} word{i} {i * i} thing,no" for i in range(80))
    (tmp_path / "posts.csv").write_text(f"post_id,text,problem\n{rows}\n")
    (tmp_path / "study.toml").write_text(SETTINGS)
    return Study.open(tmp_path)


def test_a_scorer_that_cannot_be_trained_stops_nothing_else(study):
    page = study.run().read_text(encoding="utf-8")
    assert "Scorer “bayes” is left out: scorer" in page
    assert study.comparable("problem") == ["words"]
    found = study.result("prevalence").iloc[0]
    assert found["value"] == 0
    assert 0 < found["high"] < 0.1


def test_asked_for_by_name_it_is_refused(study):
    with pytest.raises(CannotTrainError, match="one class only"):
        study.train("bayes")


@pytest.mark.slow
def test_with_labels_of_both_classes_it_joins(study):
    study.run()
    path = study.folder / "posts.csv"
    path.write_text(
        "\n".join(line[:-2] + "yes" if i % 3 == 1 else line for i, line in enumerate(path.read_text().split("\n")))
    )
    later = Study.open(study.folder)
    later.run()
    assert later.comparable("problem") == ["bayes", "words"]
