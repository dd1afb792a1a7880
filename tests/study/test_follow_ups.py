"""A target on a follow-up question speaks of the posts on which it was asked, and of no others."""

import numpy as np
import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.starting import start

SETTINGS = """
[study]
title = "t"
[posts]
path = "posts.csv"
post_id = "(row)"
created_at = "when"
[annotations.one]
form = "wide"
cohort = "one"
rater = "r"
columns = { problem = "problem", kind = "kind" }
recode.kind = { none = "" }
[codebook.question.problem]
text = "A problem?"
answers = ["no", "yes"]
[codebook.question.kind]
text = "Which?"
answers = ["threat", "insult"]
when = { problem = ["yes"] }
[target.problem]
question = "problem"
positive = ["yes"]
[target.threat]
question = "kind"
positive = ["threat"]
[sample.main]
size = 200
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("follow")
    rng = np.random.default_rng(1)
    day = np.repeat([1, 2], 500)
    problem = rng.random(1000) < np.where(day == 1, 0.1, 0.5)
    threat = rng.random(1000) < np.where(day == 1, 0.8, 0.2)
    words = np.array([a + b for a in ("ka", "lo", "mi", "nu", "pe", "ro") for b in ("ta", "ver", "sim", "dol", "gan")])
    frame = pd.DataFrame({"text": [" ".join(rng.choice(words, 12)) for _ in range(1000)]})
    frame["when"] = [f"2026-01-0{d}" for d in day]
    frame["problem"] = np.where(problem, "yes", "no")
    frame["kind"] = np.where(problem, np.where(threat, "threat", "insult"), "none")
    frame.to_csv(folder / "posts.csv", index=False)
    (folder / "study.toml").write_text(SETTINGS, encoding="utf-8")
    study = Study.open(folder)
    study.estimate()
    return study


def test_posts_without_the_question_count_neither_way(study):
    frame = pd.read_csv(study.folder / "posts.csv")
    asked = frame[frame["problem"] == "yes"]
    truth = (asked["kind"] == "threat").mean()
    found = study.prevalence("threat", "main").iloc[0]
    assert found["low"] < truth < found["high"]
    table = study.labelled_with_warnings("threat", "main")
    used = table.frame[table.frame["weight"] > 0]
    assert used["weight"].to_numpy() == pytest.approx(5.0)
    assert len(used) < 120
    assert "follow-up" in " ".join(table.warnings)


def test_the_table_says_what_it_counts(study):
    table = study.result("prevalence").set_index("target")["unit"]
    assert table["problem"] == "posts"
    assert table["threat"] == "posts on which “kind” was asked"


def test_rows_name_posts_where_there_is_no_id(study):
    assert study.posts().frame(["post_id"])["post_id"].tolist()[:3] == ["1", "2", "3"]


def test_a_new_study_lists_the_columns_of_its_file(study, tmp_path):
    text = start(tmp_path / "new", posts=study.folder / "posts.csv").read_text(encoding="utf-8")
    assert 'post_id = "(row)"' in text
    assert 'text = "text"' in text
    assert '"when", "problem", "kind"' in text
    Study.open(tmp_path / "new")


@pytest.mark.slow
def test_a_queue_without_posts_is_said_and_stops_nothing(study):
    text = (study.folder / "study.toml").read_text(encoding="utf-8")
    (study.folder / "study.toml").write_text(
        text.replace('design = "uniform"\nsize = 200', "").replace("size = 200", 'design = "census"')
        + '[scorer.bayes]\nkind = "naive_bayes"\n[evaluate]\nby = ["length"]\n',
        encoding="utf-8",
    )
    full = Study.open(study.folder)
    page = full.run()
    assert full.queue().empty
    assert "queue is empty" in page.read_text(encoding="utf-8")


def test_with_one_rating_a_post_nothing_is_said_of_another(study):
    with pytest.raises(ComoderateError, match="two ratings"):
        study.next_posts(3)
