"""A whole study: what a second run makes, what a change remakes, and how an interrupted run goes on."""

import os
import time

import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.graph import build

RESULTS = {"agreement", "prevalence", "evaluation", "review"}
KNOWN = {
    "posts", "annotations:volunteers", "annotations:experts", "labels", "sample:main", "sample:experts",
    "model:words", "model:bayes", "scores:words", "scores:bayes", "scores:service", *RESULTS,
}  # fmt: skip
"""What these tests speak of; other results may stand beside them."""


def everything(folder, little, heard=None):
    """Make what these tests speak of; gives the names of what of it was made."""
    heard = heard or little.Heard()
    study = Study.open(folder, listener=heard)
    study.agree()
    study.estimate()
    study.review()
    return set(heard.made) & KNOWN


def test_a_second_run_makes_nothing(changing, little):
    before = little.files(changing)
    heard = little.Heard()
    Study.open(changing, listener=heard).run()
    assert heard.made == []
    asked = {name for name in build(Study.open(changing)) if not name.startswith("surface:")}  # no [surface] here
    assert set(heard.up_to_date) == asked
    assert little.files(changing) == before


def test_the_time_of_a_file_plays_no_part(changing, little):
    for path in changing.rglob("*"):
        os.utime(path, (time.time() + 10_000,) * 2)
    heard = little.Heard()
    Study.open(changing, listener=heard).run()
    assert heard.made == []


def test_a_study_can_be_moved(changing, little):
    moved = changing.rename(changing.with_name("moved"))
    heard = little.Heard()
    Study.open(moved, listener=heard).run()
    assert heard.made == []


ANSWERED = {"labels", "model:bayes", "scores:bayes", *RESULTS}
CHANGES = {
    "title": ('title = "A little study"', 'title = "Another"', set()),
    "anonymise": ("[review]", "[privacy]\nanonymise = false\n\n[review]", set()),
    "capacity": ("capacity = 20", "capacity = 21", {"review"}),
    "replicates": ("replicates = 40", "replicates = 41", RESULTS),
    "experts": ("size = 120", "size = 119", {"sample:experts", *RESULTS}),
    "options": (
        'kind = "naive_bayes"', 'kind = "naive_bayes"\noptions = { alpha = 0.7 }',
        {"model:bayes", "scores:bayes", "evaluation", "review"},
    ),
    "folds": ("folds = 3", "folds = 4", ANSWERED),
    "target": ('at_least = "Problematic"', 'positive = ["Abusive"]', ANSWERED),
    # The filter changes, and the sample that it enriched stays as it was drawn.
    "filter": (
        'words = ["numpty", "windbag"]', 'words = ["weasel"]', {"model:words", "scores:words", "evaluation", "review"},
    ),
    "size": ("size = 150", "size = 149", {"sample:main", "sample:experts", "model:bayes", "scores:bayes", *RESULTS}),
}  # fmt: skip


LONG = ("experts", "folds", "options", "target", "replicates", "size", "capacity")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in CHANGES]
)
def test_a_change_remakes_exactly_what_follows_from_it(changing, little, name):
    old, new, made = CHANGES[name]
    sample = (changing / "samples" / "main.parquet").read_bytes()
    little.edit(changing, old, new)
    assert everything(changing, little) == made
    if "sample:main" not in made:
        assert (changing / "samples" / "main.parquet").read_bytes() == sample
    assert everything(changing, little) == set()


@pytest.mark.slow
def test_one_new_answer_remakes_the_labels_and_no_sample(changing, little):
    little.edit(changing, ",Problematic", ",Abusive", file="volunteers.csv")
    assert everything(changing, little) == {"annotations:volunteers", *ANSWERED}


@pytest.mark.slow
def test_another_seed_remakes_everything(changing, little):
    little.edit(changing, "seed = 11", "seed = 12")
    made = everything(changing, little)
    # the answers and the probabilities of a lexicon and of a recorded column hang on no seed
    assert made >= {"posts", "labels", "sample:main", "sample:experts", "model:bayes", "scores:bayes", *RESULTS}


@pytest.mark.slow
def test_the_report_follows_from_all_results(changing, little):
    little.edit(changing, 'title = "A little study"', 'title = "Another <title>"')
    heard = little.Heard()
    page = Study.open(changing, listener=heard).report()
    assert heard.made == ["report"]
    assert "Another &lt;title&gt;" in page.read_text()


@pytest.mark.parametrize(
    "at", [*(pytest.param(at, marks=pytest.mark.slow) for at in ("annotations:experts", "evaluation")), "scores:bayes"]
)
def test_after_ctrl_c_it_goes_on_where_it_stopped(ran, fresh, little, at):
    class Impatient(little.Heard):
        def started(self, stage):
            super().started(stage)
            if stage == at:
                raise KeyboardInterrupt

    impatient = Impatient()
    with pytest.raises(KeyboardInterrupt):
        everything(fresh, little, impatient)
    done = set(impatient.made) - {at}
    assert "posts" in done
    rest = everything(fresh, little)
    assert at in rest
    assert not done & rest
    assert (done | rest) & KNOWN == KNOWN
    assert_same_numbers(fresh, ran)


def test_ctrl_c_in_the_middle_of_a_stage(changing, little):
    class Impatient(little.Heard):
        def progress(self, stage, done):
            if stage == "scores:bayes":
                raise KeyboardInterrupt

    study = Study.open(changing, listener=Impatient())
    before = little.files(changing)
    with pytest.raises(KeyboardInterrupt):
        study.score("bayes", force=True)
    after = little.files(changing)
    assert set(before) - set(after) == {".comoderate/scores-bayes.json"}  # to be made again
    added = set(after) - set(before)
    assert all(path.startswith(".comoderate/scoring/bayes/") for path in added)  # chunks that need not be scored again
    assert "scores:bayes" in everything(changing, little)


@pytest.mark.slow
def test_two_runs_of_one_study_give_the_same_numbers(ran, fresh):
    study = Study.open(fresh)
    study.review()
    study.estimate()
    assert_same_numbers(fresh, ran)


def assert_same_numbers(one, another):
    """Two folders hold the same results, sample and queue."""
    study, other = Study.open(one), Study.open(another)
    for name in ("prevalence", "evaluation", "review"):
        pd.testing.assert_frame_equal(study.result(name), other.result(name))
    pd.testing.assert_frame_equal(study.sample("main"), other.sample("main"))
    pd.testing.assert_frame_equal(study.queue(), other.queue())


def test_names_that_the_study_does_not_have(ran):
    study = Study.open(ran)
    for call in (
        lambda: study.sample("x"),
        lambda: study.scores("x"),
        lambda: study.labels("x"),
        lambda: study.labelled("abusive", "main", "x"),
        lambda: study.cohort_of("x"),
        lambda: study.prevalence("abusive", "x"),
        lambda: study.agreement(by=["x"]),
        lambda: study.draw("x"),
    ):
        with pytest.raises(ComoderateError, match="there is no .* 'x'. The study has: "):  # noqa: RUF043
            call()


def test_before_anything_was_run(fresh):
    study = Study.open(fresh)
    with pytest.raises(ComoderateError, match="comoderate import"):
        study.posts()
    with pytest.raises(ComoderateError, match="Run `comoderate run`"):
        study.result("prevalence")
    with pytest.raises(ComoderateError, match="Run `comoderate score`"):
        study.scores("bayes")


def test_attributes_are_row_for_row(ran):
    found = Study.open(ran).attributes(["p0399", "p0000", "p0399"])
    assert found["post_id"].tolist() == ["p0399", "p0000", "p0399"]
    assert set(found) == {"post_id", "day", "platform", "length"}


def test_weighted_agreement_needs_a_sample_of_the_study(ran):
    study = Study.open(ran)
    assert study.agreement(sample="main")["weighted"].all()
    assert not study.agreement()["weighted"].any()


def test_defaults(ran):
    study = Study.open(ran / "study.toml")
    assert study.cohorts == ("volunteers", "experts")
    assert study.main_sample == "main"
    assert study.cohort_of("abusive") == "volunteers"
    assert study.sample_for("experts") == "experts"
    assert study.sample_for("volunteers") == "main"
    assert study.target_of("bayes") == "abusive"


def test_posts_for_raters_come_in_random_order_without_what_would_sway(ran, tmp_path):
    study = Study.open(ran)
    study.export_sample("main", tmp_path / "main.csv")
    found = pd.read_csv(tmp_path / "main.csv", dtype=str)
    assert found["post_id"].tolist() == study.sample("main")["post_id"].tolist()
    assert not {"author", "thread", "u", "pi", "score_service", "phase"} & set(found)
