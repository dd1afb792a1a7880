"""A stream with another base rate than the labelled posts, found without its labels."""

import numpy as np
import pytest

from comoderate.study import Study, cases
from comoderate.study.base_rate import BASE_RATE, shifted
from comoderate.study.review_wording import base_rate_sentences


@pytest.fixture(scope="module")
def case(ran):
    return cases.sample_case(Study.open(ran), "abusive")


def stream_at(case, prior, size=3000, seed=0):
    """Probabilities of posts drawn from the case's own, so many of them positive."""
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < prior
    chance = [case.weight * (case.y == side) for side in (0.0, 1.0)]
    drawn = [rng.choice(len(case.y), size, p=part / part.sum()) for part in chance]
    return case.proba[np.where(positive, drawn[1], drawn[0])]


@pytest.mark.parametrize("prior", [0.02, 0.5])
def test_the_stream_is_found_and_the_case_follows(case, prior):
    moved, table = shifted(case, stream_at(case, prior))
    row = table.iloc[0]
    assert tuple(table.columns) == BASE_RATE
    assert row["used"]
    assert row["labelled"] == pytest.approx(np.average(case.y, weights=case.weight))
    assert row["value"] == pytest.approx(prior, abs=0.06)
    assert row["low"] <= row["value"] <= row["high"]
    assert np.average(moved.y, weights=moved.weight) == pytest.approx(row["value"])
    # Calibration follows: probabilities mean what they say in the stream.
    assert np.average(moved.calibrated, weights=moved.weight) == pytest.approx(row["value"], abs=0.05)
    assert len(moved.found.replicates) == len(case.found.replicates)
    text = base_rate_sentences(table)[0]
    assert "without their labels" in text


def test_an_empty_stream_changes_nothing(case):
    same, table = shifted(case, np.empty(0))
    assert same is case
    assert not table["used"].item()
    assert "is kept" in base_rate_sentences(table)[0]


def test_scores_that_tell_nothing_change_nothing(case):
    same, table = shifted(case, np.zeros(50))
    assert same is case
    assert table["value"].item() == 0


def test_a_study_that_asks_for_the_streams_rate(changing, little):
    little.edit(changing, "[review]\n", '[review]\nbase_rate = "stream"\n')
    study = Study.open(changing)
    study.review()
    table = study.result("base_rate")
    assert set(table["target"]) == {"abusive"}
    moved = cases.case_of(study, "abusive")
    assert np.average(moved.y, weights=moved.weight) == pytest.approx(table["value"].item())
    assert study.result("advice")["value"].notna().any()


def test_by_default_the_sample_speaks(ran):
    assert Study.open(ran).result("base_rate").empty
