"""Pushed posts wait in the inbox and are imported beside the file's."""

import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.pushed import accept, files, forget

POST = {"text": "The kettle is on", "created_at": "2026-03-04T09:00:00Z", "scores": {"service": 0.25}}


def test_pushed_posts_are_imported_with_the_others(fresh):
    study = Study.open(fresh)
    before = study.import_posts()["written"]
    more = {**POST, "author": "Zed", "thread": "t", "views": 7, "attributes": {"platform": "river"}}
    assert accept(study, [{"post_id": "new1", **POST}, {"post_id": "new2", **more}]) == (2, [])
    assert accept(study, [{"post_id": "new2", **POST}, {"post_id": "p0001", **POST}]) == (0, ["new2", "p0001"])
    study = Study.open(fresh)
    assert study.import_posts()["written"] == before + 2
    rows = study.posts().frame(post_ids=["new1", "new2"]).set_index("post_id")
    assert rows.loc["new2", "platform"] == "river"
    assert rows.loc["new2", "author"] != "Zed"
    assert rows.loc["new1", "day"] == "2026-03-04"
    assert rows.loc["new1", "score_service"] == 0.25
    assert rows["row"].tolist() == [before + 1, before + 2]
    assert len(Study.open(fresh).import_posts())
    study.draw("main")
    assert forget(fresh, ["new1"]) == 1
    assert forget(fresh, ["new2"]) == 1
    assert files(fresh) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": ""}, "needs text"),
        ({"created_at": None}, "needs created_at"),
        ({"attributes": {"mood": "x"}}, "no attribute 'mood'"),
        ({"scores": {}}, "needs the score 'service'"),
    ],
)
def test_a_bad_post_stores_none(fresh, change, said):
    study = Study.open(fresh)
    with pytest.raises(ComoderateError, match=said):
        accept(study, [{"post_id": "ok", **POST}, {"post_id": "bad", **POST, **change}])
    assert files(fresh) == []


def test_a_study_may_have_pushed_posts_only(fresh, little):
    little.edit(fresh, 'path = "posts.csv"\n', "")
    study = Study.open(fresh)
    accept(study, [{"post_id": f"n{n}", **POST} for n in range(5)])
    assert Study.open(fresh).import_posts()["written"] == 5
