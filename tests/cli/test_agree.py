"""``comoderate agree`` with each of its views."""

import pytest


def test_the_table_has_all_statistics(cli, ran):
    rows = cli("agree", ran, "--json").json
    problem = [r for r in rows if r["question"] == "problem" and r["cohort"] == "volunteers" and not r["weighted"]]
    names = ["fleiss_kappa", "icc", "krippendorff_alpha", "gwet_ac2", "percent_agreement"]
    assert [r["statistic"] for r in problem] == names
    assert {r["statistic"] for r in rows if r["question"] == "type"} == {"krippendorff_alpha"}
    assert any(r["weighted"] for r in rows)  # the main sample is enriched


def test_by_a_grouping(cli, ran):
    rows = cli("agree", ran, "--by", "platform", "--json").json
    assert {r["group"] for r in rows if r["domain"] == "platform"} == {"river", "square"}


def test_raters_come_with_a_caution(cli, ran):
    shown = cli("agree", ran, "--raters", "--question", "problem")
    assert shown.code == 0
    assert "verdict" in shown.out
    assert "rank nobody" in shown.out
    assert {"drift", "verdict", "seconds"} <= set(cli("agree", ran, "--raters", "--json").json[0])


def test_the_next_posts_to_label(cli, ran):
    rows = cli("agree", ran, "--next", 5, "--json").json
    assert len(rows) == 5
    worth = [row["flip_chance"] * row["weight"] for row in rows]
    assert worth == sorted(worth, reverse=True)
    assert all(0 <= row["flip_chance"] <= 1 and "text" not in row for row in rows)


def test_polarised_posts_hide_their_texts_until_asked(cli, ran):
    rows = cli("agree", ran, "--polarised", 3, "--cohort", "volunteers", "--json").json
    assert 0 < len(rows) <= 3
    assert all("text" not in row for row in rows)
    told = cli("agree", ran, "--polarised", 3, "--cohort", "volunteers", "--show-text", "--json").json
    assert [row["post_id"] for row in told] == [row["post_id"] for row in rows]
    assert all("text" in row and "http" not in row["text"] for row in told)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--next", 3, "--target", "rude"), "there is no target 'rude'"),
        (("--next", 3, "--cohort", "robots"), "there is no cohort 'robots'"),
        (("--groups", "age"), "raters have no attribute 'age'"),
        (("--raters", "--question", "tone"), "there is no question 'tone'"),
    ],
)
def test_names_that_the_study_does_not_have(cli, ran, options, message):
    shown = cli("agree", ran, *options)
    assert shown.code == 1
    assert message in shown.err


def test_one_view_at_a_time(cli, ran):
    assert cli("agree", ran, "--raters", "--next", 3).code == 2
