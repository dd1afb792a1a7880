"""Who receives it: risks of groups against all others."""

import pandas as pd
import pytest

from comoderate.study.analysis_sections import NAMED, risk_section
from comoderate.study.demonstration import prepare
from comoderate.study.risks import risk_table
from comoderate.study.tables import measured
from comoderate.study.units import CROSS, unit_table

pytestmark = pytest.mark.slow  # a whole study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    study = prepare(tmp_path_factory.mktemp("risks") / "demo", seed=6)
    study.estimate()
    return study


def test_the_group_that_receives_most_is_found(study):
    table = risk_table(study).set_index(["target", "domain", "group"])
    row = table.loc[("abusive", "target_group", "journalists")]
    assert row["value"] > 1.2
    assert row["low"] < 1.8 < row["high"] + 0.5
    truth = pd.read_csv(study.folder / "truth.csv")
    mine = truth[(truth["target"] == "abusive") & (truth["cohort"] == "volunteers") & (truth["domain"] == "platform")]
    river = mine.set_index("group")["truth"]["river"]
    assert table.loc[("abusive", "platform", "river"), "value"] > 1 < river / mine["truth"].min()


@pytest.fixture(scope="module")
def units(study):
    return unit_table(study, measured(study))


def test_the_section_names_only_sure_differences(study, units):
    table = risk_table(study)
    text = " ".join(risk_section(table, units).sentences)
    sure = table[(table["adjusted"] < 0.05) & ~table["few"] & ~table["domain"].str.contains(CROSS)]
    named = [row for row in table.to_dict("records") if f"“{row['group']}” are" in text]
    assert len(named) >= min(len(sure), NAMED)
    assert {row["group"] for row in named} <= set(sure["group"])
    assert risk_section(table.iloc[:0], units) is None


def test_without_sure_differences_the_section_says_so(study, units):
    table = risk_table(study).assign(adjusted=1.0)
    assert "No group differs" in " ".join(risk_section(table, units).sentences)
