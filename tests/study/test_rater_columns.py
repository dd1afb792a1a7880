"""Importing annotations from a table with a column a rater, end to end, and the targets that need raters."""

import numpy as np
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study

WORDS = ("ash", "bay", "cod", "dew", "elm", "fig", "gem", "hay", "ivy", "jet", "kid", "lip", "map", "net", "oak", "pie")


def _text(number):
    return " ".join(np.random.default_rng(number).choice(WORDS, 7))


POSTS = "id,text\n" + "".join(f"p{n},{_text(n)}\n" for n in range(40))
TOML = """
[study]
title = "Columns"

[posts]
path = "posts.csv"
post_id = "id"

[annotations.team]
form = "raters"
path = "team.csv"
cohort = "team"
rater_question = "bad"
rater_columns = { ann = "A", ben = "B", cy = "C" }
recode.bad = { n = "no", y = "yes" }

[codebook.question.bad]
text = "?"
answers = ["no", "yes"]

[target.bad]
question = "bad"
positive = ["yes"]

[sample.all]
design = "census"
"""


def team():
    rng = np.random.default_rng(4)
    lines = ["id,A,B,C"]
    for n in range(40):
        cells = [letter if rng.random() < 0.8 else "" for letter in rng.choice(["n", "y"], 3, p=[0.6, 0.4])]
        lines.append(",".join([f"p{n}", *(cells if any(cells) else ["n", "", ""])]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def make(tmp_path):
    """Writes the study, with pieces of its file replaced, and opens it."""

    def build(*changes, answers=None):
        toml = TOML
        for old, new in changes:
            assert old in toml
            toml = toml.replace(old, new)
        (tmp_path / "study.toml").write_text(toml, encoding="utf-8")
        (tmp_path / "posts.csv").write_text(POSTS, encoding="utf-8")
        (tmp_path / "team.csv").write_text(answers or team(), encoding="utf-8")
        return Study.open(tmp_path)

    return build


def test_a_column_a_rater(make):
    study = make()
    study.agree()
    notes = study.annotations()
    cells = [line.split(",")[1:] for line in team().splitlines()[1:]]
    assert len(notes) == sum(cell != "" for row in cells for cell in row)
    assert notes.groupby("rater_id").size().to_dict() == {
        name: sum(row[k] != "" for row in cells) for k, name in enumerate(("ann", "ben", "cy"))
    }
    assert set(notes["answer"]) == {"no", "yes"}


def test_an_answer_outside_the_codebook_is_named_by_column_and_row(make):
    study = make(answers="id,A,B,C\np0,n,y,n\np1,n,perhaps,\n")
    with pytest.raises(ComoderateError, match=r"team\.csv, column B, row 2: 'perhaps' is no answer to 'bad'"):
        study.agree()


def test_a_post_twice(make):
    again = "id,A,B,C\np0,n,y,n\np0,y,,\n"
    with pytest.raises(ComoderateError, match="rater 'ann' judged post 'p0' twice"):
        make(answers=again).agree()
    study = make(('cohort = "team"', 'cohort = "team"\nduplicates = "last"'), answers=again)
    study.agree()
    said = study.annotations().set_index("rater_id")["answer"].to_dict()
    assert said == {"ann": "yes", "ben": "yes", "cy": "no"}  # the later row says nothing of the others


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('rater_question = "bad"', ""), "form = 'raters' needs 'rater_question'"),
        (('rater_question = "bad"', 'rater_question = "good"'), "there is no question 'good'"),
        (('cohort = "team"', 'cohort = "team"\nrater_id = "A"'), "names its raters in rater_columns"),
        (("[sample.all]", "[raters]\nattributes = { age = 'age' }\n\n[sample.all]"), "no import of annotations names"),
        (('positive = ["yes"]', 'positive = ["yes"]\nties = "experts"\ntie_cohort = "experts"'), "no cohort 'experts'"),
        (('positive = ["yes"]', 'positive = ["yes"]\nties = "ordinal-median"'), "needs an ordinal question"),
    ],
)
def test_settings_that_do_not_fit(make, change, message):
    with pytest.raises(ComoderateError, match=message):
        make(change)


def test_posteriors_reach_estimates_and_training(make):
    scorer = '[scorer.soft]\nkind = "naive_bayes"\nsoft = true\n\n[sample.all]'
    model = 'positive = ["yes"]\naggregation = "one_coin"'
    study = make(('positive = ["yes"]', model), ("[sample.all]", scorer))
    study.agree()
    study.draw("all")
    soft = study.prevalence("bad", "all", labels="soft")["value"][0]
    assert soft == pytest.approx(study.labels("bad")["y_soft"].mean())
    assert study.train("soft")["labels"] == "soft"


def test_unequal_soft_labels_of_ties_train_too(make):
    scorer = '[scorer.soft]\nkind = "naive_bayes"\nsoft = true\n\n[sample.all]'
    study = make(("[sample.all]", scorer))
    study.agree()
    card = study.train("soft")
    assert study.labels("bad")["y"].isna().any()
    assert card["posts"] == 40


def test_votes_without_raters_refuse_a_model_in_one_line(make):
    counts = 'form = "counts"\npath = "team.csv"\ncohort = "team"\nanswers.bad = { no = "A", yes = "B" }\n'
    old = TOML[TOML.index('form = "raters"') : TOML.index("[codebook.question.bad]")]
    study = make(
        (old, counts + "\n"), ('positive = ["yes"]', 'positive = ["yes"]\naggregation = "dawid_skene"'),
        answers="id,A,B,C\np0,2,1,0\np1,0,3,0\n",
    )  # fmt: skip
    with pytest.raises(ComoderateError, match=r"target\.bad\.aggregation: 'dawid_skene' needs to know who answered"):
        study.agree()


def test_a_model_that_calls_all_posts_alike_is_told(make):
    rng = np.random.default_rng(0)
    lines = ["id,A,B,C", *(",".join([f"p{n}", *rng.choice(["n", "y"], 3, p=[0.3, 0.7])]) for n in range(40))]
    model = 'positive = ["yes"]\naggregation = "hierarchical"'
    study = make(('positive = ["yes"]', model), answers="\n".join(lines) + "\n")
    study.agree()
    alike = study.labels("bad")["y"].nunique() == 1
    told = study.artefacts.record("labels")["summary"]["warnings"]
    assert bool(told) == alike
