"""The population: who counts, which posts mention them, what is drawn, and what is refused."""

import pandas as pd
import pytest
from tests.study import peopled

from comoderate.errors import ComoderateError
from comoderate.study import Study, population

SMALL = peopled.TOML[: peopled.TOML.index("[annotations.volunteers]")].replace('[totals]\npath = "totals.csv"\n', "")
CODEBOOK = """
[codebook.question.problem]
text = "Is there a problem?"
answers = ["No", "Yes"]

[target.abusive]
question = "problem"
positive = ["Yes"]

[sample.main]
design = "uniform"
size = 300
"""


def study(folder, **changes):
    """A study of posts and population only, its file changed by replacing texts."""
    toml = SMALL + CODEBOOK
    for old, new in changes.values():
        assert old in toml
        toml = toml.replace(old, new)
    return Study.open(peopled.write(folder / "study", toml))


def make(opened):
    opened.draw("main")
    return opened.artefacts.record("population")["summary"]


def test_members_exclusions_and_mentions(tmp_path):
    opened = study(tmp_path)
    summary = make(opened)
    assert summary["people"] == 60
    assert summary["counted"] == 57
    members = pd.read_parquet(opened.folder / population.MEMBERS)
    table = population.exclusions(members, opened.settings.population.include)
    assert table["reason"].tolist() == [
        "in the list", "not: active = yes", "not: followers < 1000000", "mentioned in no post in hand",
    ]  # fmt: skip
    assert table["people"].tolist()[1:3] == [2, 1]
    assert table["left"].tolist()[:3] == [60, 58, 57]
    silent = summary["warnings"][0]
    assert "handles of population.csv occur in no post" in silent
    assert "(row " in silent
    expected = sum(len(set(who) - {3, 4, 5}) for who in peopled.posts()["named"])
    assert summary["mentions"] == expected == members["posts"].sum()


def test_posts_that_mention_nobody_who_counts_are_never_drawn(tmp_path):
    opened = study(tmp_path, size=("size = 300", "size = 5000"))
    drawn = set(opened.draw("main")["post_id"])
    named = peopled.posts().set_index("post_id")["named"]
    assert drawn == {post for post, who in named.items() if set(who) - {3, 4, 5}}
    assert len(drawn) < len(named)


@pytest.mark.parametrize("place", ["path", "column"])
def test_mentions_from_a_file_or_a_column_are_those_of_the_texts(tmp_path, place):
    by_text = make(study(tmp_path / "text"))
    change = {"path": 'path = "said.csv"\nhandle = "who"', "column": 'column = "who"'}[place]
    opened = study(tmp_path, mentions=("[codebook", f"[mentions]\n{change}\n\n[codebook"))
    posts = peopled.posts()
    names = posts["named"].map(lambda who: [f"PERSON_{i:02d}" for i in who])
    posts[["post_id"]].assign(who=names).explode("who").to_csv(opened.folder / "said.csv", index=False)
    frame = pd.read_csv(opened.folder / "posts.csv").assign(text="nobody", who=names.map("; ".join))
    frame.to_csv(opened.folder / "posts.csv", index=False)
    assert make(opened)["mentions"] == by_text["mentions"]


def test_mentions_carry_attributes(tmp_path):
    opened = study(tmp_path)
    ids = opened.draw("main")["post_id"]
    found = population.mentions(opened, ids)
    assert set(found["post_id"]) == set(ids)
    assert set(found.columns) == {"post_id", "handle", "profession", "party"}
    assert not found.duplicated(["post_id", "handle"]).any()
    number = found["handle"].str[-2:].astype(int)
    assert (found["profession"] == number.map(lambda i: peopled.PROFESSIONS[i % 2])).all()


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda f: f.assign(handle="@nobody" + f.index.astype(str)), "no post mentions any of the 57 people"),
        (lambda f: pd.concat([f, f.tail(1)]), "the handle 'person_59' occurs twice"),
        (lambda f: f.assign(handle=f["handle"].where(f.index != 6, "")), "the handle is missing"),
        (lambda f: f.assign(followers="many"), "'many' is not a number"),
        (lambda f: f.assign(active="no"), "the rules of inclusion leave nobody"),
        (lambda f: f.drop(columns="party"), "there is no column 'party'"),
    ],
)
def test_a_bad_list_is_refused_with_a_line(tmp_path, edit, line):
    opened = study(tmp_path)
    path = opened.folder / "population.csv"
    edit(pd.read_csv(path)).to_csv(path, index=False)
    with pytest.raises(ComoderateError, match=line) as caught:
        opened.draw("main")
    assert "population" in str(caught.value)


def test_bad_settings_are_refused(tmp_path):
    with pytest.raises(ComoderateError, match="is no comparison"):
        study(tmp_path / "a", rule=('"active = yes"', '"active"'))
    with pytest.raises(ComoderateError, match="already names something else"):
        study(tmp_path / "b", name=("party = ", "platform = "))
    with pytest.raises(ComoderateError, match="either path or column"):
        study(tmp_path / "c", mentions=("[codebook", '[mentions]\npath = "a"\ncolumn = "b"\n[codebook'))


def test_a_plan_counts_only_posts_that_mention_someone(tmp_path):
    opened = study(tmp_path, size=("size = 300", "size = 5000"))
    assert opened.plan().table["posts"].tolist() == [len(opened.draw("main"))]
