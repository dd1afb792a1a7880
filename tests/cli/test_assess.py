"""The command assess: rounds, views, and what it says of bad input."""

import pandas as pd
import pytest


@pytest.fixture
def folder(audited, tmp_path):
    return audited.write(tmp_path / "audit")


def test_a_round_proposes_posts_and_the_next_takes_answers(cli, folder, audited):
    first = cli("--quiet", "assess", folder)
    assert first.code == 0
    assert "No post has a label yet" in first.out
    assert "label the 60 posts in" in first.out
    batch = pd.read_csv(folder / "surface" / "service" / "to_label.csv", dtype=str)
    assert len(batch) == 60
    answers = audited.answers(batch, folder / "answers.csv")
    second = cli("--quiet", "assess", folder, "--answers", answers, "--next", 20, "--rows", 5)
    assert second.code == 0
    assert second.out.startswith("60 answers read, 60 of them new")
    assert "This rests on 60 labels" in second.out
    assert "… and 11 more arms" in second.out
    assert "label the 20 posts in" in second.out
    third = cli("--quiet", "assess", folder, "--scorer", "service", "--next", 0, "--json").json
    assert third["about"]["labels"] == 60
    assert third["batch"] == []
    assert len(third["arms"]) == 16
    assert not third["reached"]


def test_views_propose_nothing(cli, folder, audited):
    batch = pd.DataFrame(cli("--quiet", "assess", folder, "--next", 120, "--json").json["batch"])
    cli("--quiet", "assess", folder, "--next", 0, "--answers", audited.answers(batch, folder / "answers.csv"))
    proposed = (folder / "surface" / "service" / "proposed.parquet").read_bytes()
    grid = cli("--quiet", "assess", folder, "--by", "group,topic")
    assert grid.out.splitlines()[0].split() == ["group", *sorted(audited.TOPICS)]
    assert "?: no label of its own" in grid.out
    rate = cli("--quiet", "assess", folder, "--loss", "false_positive")
    assert rate.out.startswith("The false-positive rate of “service” is about")
    assert "over all negative posts" in rate.out
    assert "of these posts" in rate.out
    brier = cli("--quiet", "assess", folder, "--loss", "brier").out
    assert brier.startswith("The Brier score of “service” is about 0.")
    since = cli("--quiet", "assess", folder, "--since", "2026-05-05", "--rows", 3)
    assert "chance worse" in since.out
    assert since.out.startswith("Since 2026-05-05, the accuracy of “service” over all posts is ")
    told = cli("--quiet", "assess", folder, "--since", "2026-05-05", "--json").json
    assert len(told["arms"]) == 16
    assert told["whole"]["low"] < 0 < told["whole"]["high"]
    assert (folder / "surface" / "service" / "proposed.parquet").read_bytes() == proposed


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--scorer", "nobody"], 1, "no scorer 'nobody'"),
        (["--by", "group"], 2, "two attributes"),
        (["--by", "group,stars"], 1, "no attribute of the surface 'stars'"),
        (["--loss", "stars"], 1, "is no loss"),
        (["--loss", "shame"], 1, "no loss 'shame'"),
        (["--next", "-1"], 2, "--next"),
        (["--strategy", "magic"], 1, "no strategy 'magic'"),
        (["--answers", "nowhere.csv"], 1, "no such file"),
        (["--since", "2030-01-01"], 1, "no post lies on one side"),
        (["--since", "yesterday"], 1, "yesterday"),
        (["--against", "nobody"], 1, "no scorer 'nobody'"),
    ],
)
def test_bad_input_is_one_line(cli, folder, arguments, code, message):
    found = cli("--quiet", "assess", folder, *arguments)
    assert found.code == code
    assert message in found.err
    if code == 1:
        assert found.err.startswith("error: ")
        assert len(found.err.strip().splitlines()) == 1
        assert "mistake in Comoderate" not in found.err
