"""The command review and what each of its options prints."""

import pandas as pd
import pytest

from comoderate.cli.common import cell, interval, side_by_side
from comoderate.study import Study


def test_advice(cli, ran):
    found = cli("--quiet", "review", ran)
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0].startswith("With 5 % of posts read, use ")
    assert any(line.startswith("strategy ") for line in lines)
    assert any(line.startswith("platform  river") for line in lines)
    assert lines[-1].startswith("queue: 20 posts in ")
    content = cli("--quiet", "review", ran, "--json").json
    assert set(content) == {"said", "advice", "crossings", "groups", "base_rate"}
    assert content["said"][0] == lines[0]


def test_nothing_is_less_than_nothing():
    frame = pd.DataFrame({"value": [-1e-9], "low": [-2e-7], "high": [0.25], "reason": [None]})
    assert interval(frame, digits=4)["estimate"].tolist() == ["0.0000 (0.0000 to 0.2500)"]
    assert cell(-0.0) == "0"


def test_a_table_wider_than_the_terminal_is_cut_into_parts_that_name_their_rows():
    cells = [["target", "plan", "acted", "read", "left"], ["abusive", "alone", "0.1", "–", "0.9"]]
    widths = [7, 5, 5, 5, 5]
    assert side_by_side(cells, widths, None) == side_by_side(cells, widths, 35) == [[0, 1, 2, 3, 4]]
    assert side_by_side(cells, widths, 34) == [[0, 1, 2, 3], [0, 1, 4]]
    assert side_by_side(cells, widths, 10) == [[0, 1, 2], [0, 1, 3], [0, 1, 4]]
    assert side_by_side([["value"], ["0.1"]], [5], 3) == [[0]]


def test_queue_curves_and_groups(cli, ran):
    assert len(cli("--quiet", "review", ran, "--queue", "3").out.splitlines()) == 4
    curves = cli("--quiet", "review", ran, "--curves")
    assert "review_efficiency" in curves.out
    assert len(cli("--quiet", "review", ran, "--curves", "--json").json) == len(Study.open(ran).result("review"))
    groups = cli("--quiet", "review", ran, "--by", "platform")
    assert groups.out.startswith("by        group")
    assert cli("--quiet", "review", ran, "--by", "colour").code == 1


def test_thresholds(cli, changing, little):
    found = cli("--quiet", "review", changing, "--thresholds")
    assert found.code == 0
    assert found.out.startswith("No threshold is sought: set min_precision")
    little.edit(changing, "[review]\n", "[review]\nmin_precision = 0.5\nper_day = 4\n")
    found = cli("--quiet", "review", changing, "--thresholds")
    assert "act above" in found.out
    assert "three outcomes" in found.out
    assert "mean wait (days)" in found.out
    assert "at least 0.5 of the posts are positive, with 0.95 confidence" in found.out
    content = cli("--quiet", "review", changing, "--thresholds", "--json").json
    assert set(content) == {"thresholds", "outcomes", "costs", "stream"}


@pytest.mark.parametrize("as_json", [False, True])
def test_decisions_and_audit(cli, changing, tmp_path, as_json):
    more = ["--json"] if as_json else []
    assert cli("--quiet", "review", changing, "--audit").out.startswith("There are no decisions yet")
    queue = Study.open(changing).queue()
    frame = pd.DataFrame({"post_id": queue["post_id"], "decision": "negative", "moderator": "a"})
    frame.to_csv(tmp_path / "d.csv", index=False)
    said = cli("--quiet", "review", changing, "--decisions", tmp_path / "d.csv", *more)
    told = cli("--quiet", "review", changing, "--audit", *more)
    assert (said.code, told.code) == (0, 0)
    if as_json:
        assert said.json["audit"] == 5
        assert [row["slice"] for row in told.json] == ["audit", "queue"]
    else:
        assert said.out.startswith("20 decisions: 5 on audit posts, 15 on posts that the strategy chose")
        assert "of nothing else" in told.out
