"""The artefacts of a study and what each is made from."""

import pytest

from comoderate.study import Study
from comoderate.study.graph import build


@pytest.fixture(scope="module")
def stages(ran):
    return build(Study.open(ran))


def test_everything_a_study_asks_for_is_a_stage(stages):
    assert set(stages) >= {
        "posts", "annotations:volunteers", "annotations:experts", "labels", "sample:main", "sample:experts",
        "model:words", "model:bayes", "scores:words", "scores:bayes", "scores:service",
        "agreement", "prevalence", "evaluation", "review", "report",
    }  # fmt: skip


def test_inputs_exist_and_there_is_no_circle(stages):
    done = set()
    while len(done) < len(stages):
        free = {name for name, stage in stages.items() if {*stage.inputs, *stage.needs} <= done} - done
        assert free, set(stages) - done
        done |= free


def test_a_drawn_sample_does_not_follow_from_the_scores_that_enriched_it(stages):
    assert stages["sample:main"].inputs == ("posts",)
    assert stages["sample:main"].needs == ("scores:words",)
    assert "sample:main" in stages["sample:experts"].inputs


def test_what_a_model_follows_from(stages):
    assert set(stages["model:bayes"].inputs) == {"labels", "sample:main"}
    assert stages["model:words"].inputs == ()
    assert set(stages["scores:bayes"].inputs) == {"posts", "model:bayes"}
    assert stages["scores:service"].inputs == ("posts",)


def test_a_scorer_that_only_enriches_is_not_compared(fresh, little):
    little.edit(fresh, 'kind = "lexicon"', 'kind = "lexicon"\ncompare = false')
    wishes = build(Study.open(fresh))["evaluation"].wishes
    assert "scores:words" not in wishes
    assert "scores:bayes" in wishes


def test_outputs_lie_in_the_study(stages, ran):
    for stage in stages.values():
        made = not stage.name.startswith("surface:")  # the little study asks for no surface
        assert all(path.is_relative_to(ran) and path.exists() == made for path in stage.outputs)
