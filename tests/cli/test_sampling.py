"""Sampling from files, by the command line: what is wrong with totals, people and sizes is said in one line."""

import pandas as pd
import pytest
from tests.study import peopled

from comoderate.cli import evaluate


@pytest.fixture
def folder(tmp_path):
    return peopled.write(tmp_path / "study")


def changed(folder, file, change):
    frame = pd.read_csv(folder / file)
    change(frame).to_csv(folder / file, index=False)


def sets(column, row, value):
    def change(frame):
        frame[column] = frame[column].astype(object)
        frame.loc[row, column] = value
        return frame

    return change


@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("totals.csv", sets("N", 2, 3), ("the total of 2026-03-04 is 3, less than the", "totals.csv, column N")),
        ("totals.csv", lambda f: f.drop(index=4), ("there are posts of 2026-03-06 but no total", "every day")),
        ("totals.csv", sets("N", 1, -5), ("totals.csv, column N, row 2", "0 or more")),
        ("totals.csv", sets("N", 1, "many"), ("totals.csv, column N, row 2", "many")),
        ("totals.csv", lambda f: pd.concat([f, f.head(1)]), ("the day 2026-03-02 occurs twice",)),
        ("posts.csv", sets("views", 6, -1), ("posts.csv, column views, row 7", "negative")),
        ("population.csv", lambda f: f.assign(handle="@x" + f.index.astype(str)), ("no post mentions any of the 57",)),
        ("population.csv", sets("followers", 8, "lots"), ("population.csv, column followers, row 9", "not a number")),
        ("population.csv", sets("handle", 8, "person_00"), ("the handle 'person_00' occurs twice", "row 9")),
    ],
)
def test_what_is_wrong_is_said_in_one_line(cli, folder, file, change, says):
    changed(folder, file, change)
    ran = cli("--quiet", "sample", folder)
    assert ran.code == 1
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    for part in says:
        assert part in ran.err


def test_days_without_posts_and_silent_people_are_notes(cli, folder):
    more = pd.DataFrame({"day": ["2026-04-01", "2026-04-02"], "N": [40, 50]})
    changed(folder, "totals.csv", lambda f: pd.concat([f, more]))
    ran = cli("sample", folder)
    assert ran.code == 0
    assert "2 days with 90 posts in the totals have none in hand; estimates do not speak of them" in ran.err
    assert "handles of population.csv occur in no post: @person_" in ran.err
    assert "main: " in ran.out


def test_a_whole_study_of_people(cli, folder):
    ran = cli("evaluate", folder, "--json")
    assert ran.code == 0
    units = {(row["unit"], row["domain"]): row for row in ran.json["units"] if row["group"] == "all"}
    assert {"posts", "mentions", "views"} == {unit for unit, _ in units}
    shown = cli("--quiet", "evaluate", folder)
    assert "sample main: estimates of all posts that mention at least one of 57 people" in shown.out
    assert "mentions" in shown.out
    assert {row["scorer"] for row in ran.json["assisted"]} == {"", "words"}
    assert {"journalist", "politician"} <= {row["group"] for row in ran.json["risks"]}
    assert ran.json["concentration"][0]["most"] == 5
    for heading in ("with the help of", "times as likely as others", "share received (interval)"):
        assert heading in shown.out
    assert f"{len(ran.json['risks']) - 12} more rows: --all shows them" in shown.out


def test_long_tables_are_cut_unless_all_is_asked_for(capsys):
    table = pd.DataFrame({"group": range(15), "value": 0.5, "low": 0.4, "high": 0.6})
    for every, lines in ((False, 15), (True, 17)):
        evaluate.more(table, {"group": "group", "estimate": "share"}, every)
        assert capsys.readouterr().out.count("\n") == lines
    evaluate.more(table.head(0), {"group": "group"}, every)
    assert capsys.readouterr().out == ""


def test_release_and_forget(cli, folder, tmp_path):
    ran = cli("--quiet", "release", folder, "--out", tmp_path / "out", "--url", "https://example.org/{post_id}")
    assert (ran.code, ran.err) == (0, "")
    assert "release: " in ran.out
    posts = pd.read_csv(tmp_path / "out" / "posts.csv")
    assert posts["url"].iloc[0].startswith("https://example.org/p")
    assert cli("--quiet", "release", folder, "--out", folder).code == 1
    gone = posts["url"].iloc[0].rsplit("/", 1)[1]
    ran = cli("--quiet", "forget", gone, "--study", folder)
    assert ran.code == 0
    assert "forgotten: 1 posts" in ran.out
    assert "still in your own file" in ran.out
    assert cli("--quiet", "forget", gone, "nobody", "--study", folder, "--json").code == 1
    assert cli("--quiet", "forget", gone, "--study", folder, "--json").json["posts"] == 0
    again = cli("--quiet", "release", folder, "--out", tmp_path / "out", "--json")
    assert again.json["posts"] == len(posts) - 1
    assert gone not in (tmp_path / "out" / "posts.csv").read_text()
