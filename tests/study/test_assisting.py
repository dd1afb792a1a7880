"""Prevalence with a scorer's help: never worse than without, and shown in the report."""

import numpy as np
import pandas as pd
import pytest

from comoderate.sampling import assisted_mean
from comoderate.study.assisting import assisted_section, assisted_table, known_design
from comoderate.study.demonstration import prepare

slow = pytest.mark.slow  # a whole study


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("capped", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_every_design_of_a_first_phase_is_one_that_the_estimator_takes(finite, capped, clustered):
    generator = np.random.default_rng(0)
    strata = pd.DataFrame(
        {"phase": "base", "N": 100, "in_hand": 60 if capped else 100, "drawn": 20}, index=["2024-05-01", "2024-05-02"]
    )
    authors = [f"a{i % 11}" for i in range(39)] + [None]
    used = pd.DataFrame(
        {
            "post_id": [f"p{i}" for i in range(40)],
            "stratum": np.repeat(strata.index, 20),
            "cluster": authors if clustered else None,
            "pi": 0.2,
        }
    )
    design = known_design(strata, used, finite=finite)
    assert ("first_phase" in design) == (capped and not clustered)
    y, score = (generator.random(40) < 0.3).astype(float), generator.random(40)
    assert assisted_mean(y, np.full(40, 5.0), score, generator.random(200), **design).se > 0


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    study = prepare(tmp_path_factory.mktemp("assist") / "demo", seed=4)
    study.evaluate()
    return assisted_table(study)


@slow
def test_every_scorer_of_a_target_helps_or_does_no_harm(table):
    helped = table[table["scorer"] != ""]
    assert set(helped["scorer"]) == {"words", "bayes", "regression"}
    assert (helped["width"] <= 1.03).all()
    assert helped["width"].min() < 0.995


@slow
def test_the_assisted_estimates_stay_within_the_plain_interval(table):
    plain = table[table["scorer"] == ""].set_index("target")
    helped = table[table["scorer"] != ""]
    for row in helped.itertuples():
        assert plain.loc[row.target, "low"] < row.value < plain.loc[row.target, "high"]


@slow
def test_the_section_speaks_plainly(table):
    section = assisted_section(table)
    assert "narrower" in " ".join(section.sentences)
    assert "labels alone" in section.tables[0][1]["with the help of"].tolist()
    assert assisted_section(table[table["scorer"] == ""]) is None
