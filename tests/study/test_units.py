"""Posts, mentions and views; scale, typology, who receives it, concentration: against the known truth."""

import numpy as np
import pandas as pd
import pytest
from tests.study import peopled

from comoderate.study import Study
from comoderate.study.analysis_sections import analysis_sections, risk_section
from comoderate.study.scale import every
from comoderate.study.units import CROSS

HELD = {3, 4, 5}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    opened = Study.open(peopled.write(tmp_path_factory.mktemp("units") / "peopled"))
    opened.pipeline.ensure("analysis")
    return opened


@pytest.fixture(scope="module")
def truth():
    """A row a mention of someone who counts, with the post's number of views."""
    posts = peopled.posts()
    rows = posts.assign(who=posts["named"].map(lambda who: [i for i in who if i not in HELD])).explode("who")
    rows = rows.dropna(subset="who")
    return rows.assign(profession=rows["who"].map(lambda i: peopled.PROFESSIONS[i % 2]))


def only(table, **keys):
    for name, value in keys.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_three_units_three_truths(study, truth):
    table = study.result("units")
    posts = truth.drop_duplicates("post_id")
    shares = {
        "posts": posts["positive"].mean(),
        "mentions": truth["positive"].mean(),
        "views": np.average(posts["positive"], weights=posts["views"]),
    }
    for unit, share in shares.items():
        row = only(table, unit=unit, domain="all")
        assert row["low"] - 0.01 < share < row["high"] + 0.01
        assert "posts that mention at least one of 57 people" in row["estimand"]
    assert shares["views"] < 0.7 * shares["posts"]  # what is counted matters
    for profession in peopled.PROFESSIONS:
        row = only(table, unit="mentions", domain="profession", group=profession)
        share = truth.loc[truth["profession"] == profession, "positive"].mean()
        assert row["low"] - 0.02 < share < row["high"] + 0.02


def test_mentions_of_one_post_are_one_cluster(study):
    table = study.result("units")
    one, many = (only(table, unit=unit, domain="all") for unit in ("posts", "mentions"))
    assert many["n"] > 1.5 * one["n"]
    assert many["se"] > 0.8 * one["se"]  # as if independent it would be much smaller


def test_the_scale(study, truth):
    table = study.result("scale")
    posts = truth.drop_duplicates("post_id")
    day, whole = only(table, unit="posts", period="day"), only(table, unit="posts", period="all 12 days")
    assert whole["value"] == pytest.approx(12 * day["value"])
    # Posts that mention nobody who counts stand in the totals all the same: the share is of those that do.
    assert day["value"] == pytest.approx(posts["positive"].mean() * peopled.totals()["N"].mean(), rel=0.15)
    assert "30 seconds" not in set(table["period"])  # less than a post comes in them
    between = every(day)
    assert between.value == pytest.approx(86_400 / day["value"])
    assert between.low == pytest.approx(86_400 / day["high"])
    mentions = only(table, unit="mentions", period="day")
    assert mentions["value"] > 1.3 * day["value"]


def test_the_typology(study):
    table = study.result("typology").set_index("answer")
    assert table.loc["insult", "value"] == 1.0
    assert table.loc["insult", "soft"] == 1.0
    assert 0.25 < table.loc["threat", "low"] < 1 / 3 + 0.05 < table.loc["threat", "high"] + 0.1
    assert table.loc["slur", "value"] == 0.0  # one rater of three
    assert table.loc["slur", "soft"] == pytest.approx(1 / 3)


def test_who_receives_it(study, truth):
    table = study.result("risks")
    row = only(table, unit="mentions", domain="profession", group="politician")
    share = truth.groupby("profession")["positive"].mean()
    assert row["low"] < share["politician"] / share["journalist"] < row["high"]
    assert row["adjusted"] < 0.01
    pairs = table[table["domain"] == f"profession{CROSS}party"]
    assert set(pairs["group"]) >= {f"politician{CROSS}red", f"journalist{CROSS}blue"}
    assert (table["n"] > 0).all()


def test_the_concentration(study, truth):
    row = study.result("concentration").iloc[0]
    sums = truth[truth["positive"]].groupby("who").size().sort_values(ascending=False)
    assert row["low"] - 0.02 < sums.iloc[:5].sum() / sums.sum() < row["high"] + 0.02
    assert row["value"] <= row["apparent"]
    assert row["even"] == pytest.approx(5 / row["people"])


def test_the_sections_say_it(study):
    sections = {section.title: section for section in analysis_sections(study) if section is not None}
    assert list(sections) == [
        "Who was counted", "Posts, mentions and views", "How much that is", "Of what kind", "Who receives it",
        "How unevenly it falls",
    ]  # fmt: skip
    text = {title: " ".join(section.sentences) for title, section in sections.items()}
    assert "a list of 60 people, of whom 57 meet the rules" in text["Who was counted"]
    assert "Of views," in text["Posts, mentions and views"]
    assert "mentions in all posts" in text["Posts, mentions and views"]
    assert "one every" in text["How much that is"]
    assert "100 %" in text["Of what kind"]
    assert "“politician” are" in text["Who receives it"]
    assert "more likely" in text["Who receives it"]
    assert "@" not in text["How unevenly it falls"]
    assert "person_" not in text["How unevenly it falls"]
    for section in sections.values():
        for _, frame in section.tables:
            assert "handle" not in frame.columns


def test_a_hundred_groups_become_thirty(study):
    risks = study.result("risks").iloc[:1]
    many = pd.concat([risks.assign(group=f"g{i}", n=i, domain="town") for i in range(100)], ignore_index=True)
    section = risk_section(many, study.result("units"))
    assert len(section.tables[0][1]) == 30
    assert any("Town has 100 groups" in text for text in section.sentences)
    assert "g99" in set(section.tables[0][1]["group"])
