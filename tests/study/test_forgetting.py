"""Forgetting a post: nothing names it any more, strata keep their counts, estimates say what they lost."""

import re

import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.forgetting import is_tombstone, was_forgotten


def everywhere(folder):
    """All bytes of a study, its source files aside; Parquet files as the text of their tables."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or (path.parent == folder and path.suffix == ".csv"):
            continue
        yield path, pd.read_parquet(path).to_csv() if path.suffix == ".parquet" else path.read_bytes().decode("latin-1")


@pytest.fixture
def forgotten(changing):
    study = Study.open(changing)
    labelled = study.labels("abusive")["post_id"]
    drawn = study.sample("main")["post_id"]
    post_id = drawn[drawn.isin(labelled)].iloc[3]
    text = study.posts().frame(["text"], post_ids=[post_id])["text"].item()
    strata = pd.read_parquet(changing / "samples" / "main.strata.parquet")
    return study, post_id, text, strata, study.forget([post_id])


def test_nothing_in_the_study_names_it(forgotten, changing):
    _, post_id, text, strata, found = forgotten
    assert found.posts == 1
    assert "posts" in found.files
    assert any(file.startswith("scores") for file in found.files)
    for path, content in everywhere(changing):
        assert post_id not in content, path
        assert text not in content, path
    pd.testing.assert_frame_equal(pd.read_parquet(changing / "samples" / "main.strata.parquet"), strata)
    assert [path.rsplit("/", 1)[1] for path in found.remain] == ["posts.csv", "volunteers.csv", "experts.csv"]


@pytest.mark.slow
def test_the_next_run_says_what_was_lost(forgotten, changing):
    study, post_id, text, _, _ = forgotten
    page = study.run().read_text()
    assert post_id not in page
    assert text not in page
    assert re.search(r"1 of \d+ drawn posts were forgotten on request", page)
    table = study.result("prevalence")
    assert (table.loc[table["sample"] == "main", "forgotten"] == 1).all()
    drawn = study.sample("main")
    assert is_tombstone(drawn["post_id"]).sum() == 1
    assert len(study.to_label("main")) == len(drawn) - 1
    labelled = study.labelled_with_warnings("abusive", "main", "volunteers").frame
    assert labelled["weight"].sum() == pytest.approx((1 / drawn["pi"]).sum())  # its neighbours stand in for it


def test_it_does_not_come_back(forgotten, changing):
    study, post_id, _, _, _ = forgotten
    study.import_posts(force=True)
    study.import_annotations(force=True)
    assert post_id not in set(study.posts().frame(["post_id"])["post_id"])
    study.agree()
    assert post_id not in set(study.annotations()["post_id"])
    assert was_forgotten(changing, pd.Series([post_id, "p0000x"])).tolist() == [True, False]


def test_again_is_no_error_and_an_unknown_id_changes_nothing(forgotten, changing, little):
    study, post_id, _, _, _ = forgotten
    assert study.forget([post_id]).posts == 0
    before = little.files(changing)
    with pytest.raises(ComoderateError, match="there is no post 'nope'"):
        study.forget([study.sample("main")["post_id"].iloc[0], "nope"])
    assert little.files(changing) == before
