"""Raters one by one and by group: verdicts that refuse, drift, attributes."""

import math

import numpy as np
import pandas as pd
import pytest

from comoderate.codebook import Codebook, Question
from comoderate.errors import ComoderateError
from comoderate.metrics import Estimate
from comoderate.study import Study
from comoderate.study.rater_attributes import read_raters
from comoderate.study.rater_sections import group_section
from comoderate.study.rater_view import TOO_FEW, drift_verdict, group_table, rater_table, verdict
from comoderate.study.settings import RatersSettings

BOOK = Codebook(question={"bad": Question(text="?", answers=("no", "yes")), "note": Question(text="?", kind="text")})


def crowd(n_posts=200, contrary=(), late=(), seed=0):
    """Six raters on every post; ``contrary`` ones say the opposite, ``late`` ones do so in the second half."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_posts) < 0.5
    rows = []
    for post in range(n_posts):
        for rater in range(6):
            right = rng.random() < 0.9
            if rater in contrary or (rater in late and post >= n_posts // 2):
                right = not right
            answer = "yes" if truth[post] == right else "no"
            rows.append(
                (f"p{post}", f"r{rater}", answer, pd.Timestamp("2026-01-01", tz="UTC") + pd.Timedelta(hours=post))
            )
    frame = pd.DataFrame(rows, columns=["post_id", "rater_id", "answer", "created_at"])
    return frame.assign(question="bad", cohort="v", source="sample", seconds=7.0)


def test_who_contradicts_the_others_is_named():
    table = rater_table(crowd(contrary=(3,)), BOOK).set_index("rater_id")
    assert table.loc["r3", "verdict"] == "contradicts the others"
    assert table.loc["r0", "verdict"] in {"agrees more than is usual", "in line with the others"}
    assert table.loc["r0", ["n_annotations", "n_shared", "seconds"]].tolist() == [200, 200, 7.0]
    assert (table["low"] < table["value"]).all()


def test_nobody_is_judged_on_few_posts():
    table = rater_table(crowd(n_posts=29, contrary=(3,)), BOOK)
    assert set(table["verdict"]) == {TOO_FEW}
    assert table["reason"].str.contains("too few").all()


def test_drift_over_the_campaign():
    table = rater_table(crowd(late=(2,)), BOOK).set_index("rater_id")
    assert table.loc["r2", "drift_verdict"] == "agreement has fallen"
    assert table.loc["r2", "drift_high"] < 0
    backwards = crowd(late=(2,)).iloc[::-1]  # the order of rows says nothing, times do
    again = rater_table(backwards, BOOK).set_index("rater_id")
    assert again.loc["r2", "drift"] == pytest.approx(table.loc["r2", "drift"])
    untimed = rater_table(crowd(late=(2,)).assign(created_at=pd.NaT), BOOK)
    assert set(untimed["drift_verdict"]) == {"cannot be said: answers have no times"}


def test_unknown_raters_and_gold_answers_have_no_rows():
    assert rater_table(crowd(n_posts=3).assign(rater_id=None), BOOK).empty
    assert rater_table(crowd(n_posts=3).assign(source="gold"), BOOK).empty


@pytest.mark.parametrize(
    ("value", "low", "high", "n", "word"),
    [
        (0.9, 0.8, 0.95, 29, TOO_FEW),
        (-0.4, -0.6, -0.1, 40, "contradicts the others"),
        (0.2, 0.1, 0.4, 40, "agrees less than is usual"),
        (0.5, 0.3, 0.7, 40, "in line with the others"),
        (0.9, 0.8, 0.95, 40, "agrees more than is usual"),
    ],
)
def test_verdicts(value, low, high, n, word):
    assert verdict(Estimate(value, low=low, high=high), n, 0.6) == word


def test_an_undefined_verdict_gives_the_reason():
    assert verdict(Estimate.undefined("why"), 40, 0.6) == "cannot be said: why"
    assert drift_verdict(Estimate.undefined("why")) == "cannot be said: why"
    assert drift_verdict(Estimate(0.1, low=-0.1, high=0.3)) == "no clear change"
    assert drift_verdict(Estimate(0.2, low=0.1, high=0.3)) == "agreement has risen"


def test_groups_that_read_the_question_differently():
    notes = crowd(contrary=(3, 4, 5))
    group = pd.Series({"r0": "x", "r1": "x", "r2": "x", "r3": "y", "r4": "y", "r5": None})
    table = group_table(notes, BOOK, group).set_index(["group", "other"])
    assert set(table.index) == {(a, b) for a in ("not known", "x", "y") for b in ("not known", "x", "y") if a <= b}
    assert table.loc[("x", "x"), "value"] > 0.4
    assert table.loc[("y", "y"), "value"] > 0.4
    assert table.loc[("x", "y"), "value"] < 0
    assert table.loc[("x", "x"), ["n_raters", "n_shared"]].tolist() == [3, 200]
    assert math.isnan(table.loc[("not known", "not known"), "value"])  # one rater alone
    assert table.loc[("not known", "not known"), "n_shared"] == 0


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_reading_raters(tmp_path):
    file = write(tmp_path / "raters.csv", "id,land\na,IE\nb,\na,IE\n")
    found = read_raters(file, RatersSettings(rater_id="id", attributes={"country": "land"}))
    assert found["rater_id"].tolist() == ["a", "b"]
    assert found["country"].tolist() == ["IE", None]


def test_a_rater_with_two_sets_of_attributes(tmp_path):
    file = write(tmp_path / "raters.csv", "id,land\na,IE\nb,FR\na,DE\n")
    with pytest.raises(ComoderateError, match="row 3: rater 'a' has two different sets"):
        read_raters(file, RatersSettings(rater_id="id", attributes={"country": "land"}))
    last = read_raters(file, RatersSettings(rater_id="id", attributes={"country": "land"}, duplicates="last"))
    assert last.set_index("rater_id").loc["a", "country"] == "DE"


def test_raters_of_a_study(ran, little):
    table = Study.open(ran).raters()
    mine = table[(table["question"] == "problem") & (table["cohort"] == "volunteers")]
    counts = little.volunteers().query("question == 'problem'")["rater"].value_counts()
    assert mine.set_index("rater_id")["n_annotations"].to_dict() == counts.to_dict()
    with pytest.raises(ComoderateError, match="no question 'tone' with answers"):
        Study.open(ran).raters(question="tone")


def test_groups_of_a_study(changing, little):
    raters = sorted(set(little.volunteers()["rater"]))
    lines = [f"{rater},{'young' if n % 2 else 'old'}" for n, rater in enumerate(raters)]
    write(changing / "people.csv", "\n".join(["who,age", *lines]) + "\n")
    with pytest.raises(ComoderateError, match="no attribute 'age'"):
        Study.open(changing).rater_groups("age")
    toml = changing / "study.toml"
    extra = '\n[raters]\npath = "people.csv"\nrater_id = "who"\nattributes = { age = "age" }\n'
    toml.write_text(toml.read_text(encoding="utf-8") + extra, encoding="utf-8")
    table = Study.open(changing).rater_groups("age", question="problem")
    assert set(table[table["cohort"] == "volunteers"]["group"]) == {"old", "young"}
    section = group_section(Study.open(changing))
    assert section is not None
    assert len(section.figures) == len(section.tables) > 0
    assert "each other" in set(section.tables[0][1]["with"])
    with pytest.raises(ComoderateError, match="no attribute 'income'"):
        Study.open(changing).rater_groups("income")
