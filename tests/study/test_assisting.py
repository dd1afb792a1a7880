"""Prevalence with a scorer's help: never worse than without, and shown in the report."""

import pytest

from comoderate.study.assisting import assisted_section, assisted_table
from comoderate.study.demonstration import prepare

slow = pytest.mark.slow  # a whole study


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
