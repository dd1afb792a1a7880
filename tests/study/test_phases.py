"""Designs beside the stratified one: Poisson, experts' second phase, extension without redrawing."""

import numpy as np
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.demonstration import prepare


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("phases") / "demo", seed=5).folder


def edited(folder, old, new):
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return Study.open(folder)


@pytest.mark.slow
def test_a_larger_sample_holds_the_smaller_one(folder):
    before = Study.open(folder).sample("main")
    after = edited(folder, "size = 3000", "size = 3500").draw("main")
    assert set(before["post_id"]) <= set(after["post_id"])
    assert len(after) > len(before)
    edited(folder, "size = 3500", "size = 3000").draw("main")


@pytest.mark.slow
def test_poisson_chances_follow_the_views_and_the_cap(folder):
    extra = '[sample.seen]\ndesign = "poisson"\nsize = 800\nproportional_to = "views"\n\n[scorer.words]'
    study = edited(folder, "[scorer.words]", extra)
    drawn = study.draw("seen")
    assert 700 < len(drawn) < 900
    posts = study.posts().frame(["post_id", "views", "day"])
    table = drawn.merge(posts, on="post_id")
    high, low = table["views"] > table["views"].median(), table["views"] <= table["views"].median()
    assert table.loc[high, "pi"].mean() > table.loc[low, "pi"].mean()
    world = 1 / drawn["pi"]
    assert world.sum() == pytest.approx(study.posts().count() * 1.19, rel=0.25)
    study.agree()
    found = study.prevalence("abusive", "main").iloc[0]
    assert np.isfinite(found["value"])


@pytest.mark.slow
def test_experts_get_half_of_their_posts_from_the_flagged(folder):
    study = edited(folder, 'of = "main"', 'of = "main"\nrated = 3\nflagged_by = ["words"]')
    drawn = study.draw("experts")
    assert drawn["stratum"].value_counts().to_dict() == {"flagged": 500, "not flagged": 500}
    flagged = drawn[drawn["stratum"] == "flagged"]["pi"].mean()
    assert flagged > drawn[drawn["stratum"] == "not flagged"]["pi"].mean()
    with pytest.raises(ComoderateError, match="exactly 9 ratings"):
        edited(folder, "rated = 3", "rated = 9").draw("experts")


@pytest.mark.slow
def test_a_poisson_sample_needs_a_size(folder):
    with pytest.raises(ComoderateError, match="proportional_to"):
        edited(folder, 'proportional_to = "views"', "")
