"""What a release holds, and what it must not."""

import json

import numpy as np
import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.sampling import FirstPhase, hajek_mean
from comoderate.study import Study
from comoderate.study.releasing import answers_table


@pytest.fixture(scope="module")
def released(ran, tmp_path_factory):
    folder = tmp_path_factory.mktemp("released") / "out"
    study = Study.open(ran)
    return study, folder, study.release(folder, raters=3)


def test_the_files(released):
    study, folder, found = released
    assert sorted(path.name for path in folder.iterdir()) == [
        "answers.csv", "codebook.json", "datasheet.md", "design.csv", "estimates.csv", "posts.csv",
    ]  # fmt: skip
    posts = pd.read_csv(folder / "posts.csv")
    assert found.posts == len(posts) == len(study.sample("main"))
    assert json.loads((folder / "codebook.json").read_text())["question"]["problem"]["answers"][0] == "No"
    sheet = (folder / "datasheet.md").read_text()
    for heading in ("How posts were drawn", "How far they agree", "Weights", "What is not in it", "Limits"):
        assert f"## {heading}" in sheet
    assert "an estimate of" in sheet
    assert "judge" not in (folder / "answers.csv").read_text()
    assert found.warnings == [
        "cohort 'experts' has 2 raters, fewer than 3: what they said can be traced to a few people"
    ]
    assert "Cohort 'experts' has 2 raters" in sheet


def test_neither_texts_nor_people_are_in_it(released, little):
    _, folder, _ = released
    everything = "".join(path.read_text() for path in folder.iterdir())
    for text in little.posts()["text"]:
        assert text not in everything
    for person in (*little.AUTHORS, *little.volunteers()["rater"].unique(), "judge-a", "@someone", "thread-of"):
        assert person not in everything


def test_the_estimate_can_be_made_again_from_the_files(released):
    study, folder, _ = released
    posts = pd.read_csv(folder / "posts.csv")
    y, weight = posts["abusive_volunteers"].fillna(0), posts["abusive_volunteers_weight"]
    design = pd.read_csv(folder / "design.csv")
    base = design[design["phase"] == "base"].set_index("stratum").loc[posts["stratum"]]
    phase = FirstPhase(posts["stratum"], base["N"], base["in_hand"], base["drawn"], posts["pi"])
    again = hajek_mean(y, weight, stratum=posts["stratum"].astype(str) + posts["pi"].map(str), first_phase=phase)
    stored = study.result("prevalence").iloc[0]
    assert (again.value, again.se) == pytest.approx((stored["value"], stored["se"]))
    assert hajek_mean(y, weight, stratum=posts["stratum"].astype(str)).se > stored["se"]
    assert np.nansum(1 / posts["pi"]) == pytest.approx(design.loc[design["phase"] == "base", "N"].sum(), rel=0.1)


def test_addresses_and_bad_wishes(ran, tmp_path):
    study = Study.open(ran)
    study.release(tmp_path / "out", address="https://example.org/{post_id}")
    posts = pd.read_csv(tmp_path / "out" / "posts.csv")
    assert posts["url"].str.startswith("https://example.org/p").all()
    study.release(tmp_path / "out")  # an earlier release is replaced
    assert "post_id" in pd.read_csv(tmp_path / "out" / "posts.csv")
    with pytest.raises(ComoderateError, match=r"has no \{post_id\}"):
        study.release(tmp_path / "x", address="https://example.org/")
    with pytest.raises(ComoderateError, match="1 or more"):
        study.release(tmp_path / "x", raters=0)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letters.txt").write_text("dear")
    with pytest.raises(ComoderateError, match="holds other things"):
        study.release(tmp_path / "home")
    assert (tmp_path / "home" / "letters.txt").exists()


def test_attributes_of_raters_are_coarse(changing, little):
    raters = little.volunteers()["rater"].unique()
    table = pd.DataFrame({"rater": raters, "country": ["x", "x", "x", "x", "y", "y", "y", "z"]})
    table.to_csv(changing / "raters.csv", index=False)
    toml = '[raters]\npath = "raters.csv"\nrater_id = "rater"\nattributes = { country = "country" }\n\n[codebook]'
    little.edit(changing, "[codebook]", toml)
    study = Study.open(changing)
    study.pipeline.ensure("raters")
    answers, _ = answers_table(study, study.sample("main")["post_id"], 3)
    mine = answers[answers["cohort"] == "volunteers"]
    assert "z" not in set(mine["country"])
    assert set(mine["country"]) <= {"x", "y", "(other)"}
    assert answers["raters"].sum() == answers_table(study, study.sample("main")["post_id"], 1)[0]["raters"].sum()
