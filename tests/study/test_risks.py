"""Who receives it: risks of groups against all others, and numbers a day."""

import pandas as pd
import pytest

from comoderate.study.demonstration import prepare
from comoderate.study.risks import daily_sentences, risk_section, risk_table


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


def test_the_section_names_only_sure_differences(study):
    table = risk_table(study)
    section = risk_section(table, daily_sentences(study, study.result("prevalence")))
    text = " ".join(section.sentences)
    assert "On an average day" in text
    for row in table.to_dict("records"):
        named = f"“{row['group']}” are" in text and f"“{row['target']}” than" in text
        if row["adjusted"] < 0.05 and not row["few"]:
            assert named
    assert risk_section(table.iloc[:0], []) is None


def test_without_sure_differences_the_section_says_so(study):
    table = risk_table(study).assign(adjusted=1.0)
    assert "No group differs" in " ".join(risk_section(table, []).sentences)
