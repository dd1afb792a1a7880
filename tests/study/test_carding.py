"""Model cards of a study."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

from comoderate import metrics
from comoderate.models.card import UNKNOWN
from comoderate.study import Study, carding
from comoderate.study.surface_tables import About
from comoderate.study.weak_card import weak_lines


@pytest.fixture(scope="module")
def page(ran):
    return (ran / "models" / "bayes" / "README.md").read_text(encoding="utf-8")


def test_a_card_stands_beside_every_compared_model(ran, page):
    assert (ran / "models" / "words" / "README.md").exists()
    study = Study.open(ran)
    assert study.artefacts.record("model:bayes")["summary"]["version"] in page
    labelled = study.labelled_with_warnings("abusive", "main").frame
    assert f"{int((labelled['weight'] > 0).sum())} labelled posts" in page
    assert "3 models, each trained without one fold" in page
    assert "None: nothing was learnt from labels." in (ran / "models" / "words" / "README.md").read_text()


def test_its_numbers_are_those_of_the_comparison(ran, page):
    study = Study.open(ran)
    table = study.result("evaluation")
    mine = table[(table["scorer"] == "bayes") & (table["truth"] == "volunteers") & (table["domain"] == "all")]
    row = mine.set_index("metric").loc["average_precision"]
    shown = [f"{row[name]:.3f}" for name in ("value", "low", "high")]
    assert f"| all posts | average precision | {' | '.join(shown)} | {int(row['n'])} |" in page
    head = yaml.safe_load(page.split("---\n", 2)[1])
    values = {one["type"]: one["value"] for one in head["model-index"][0]["results"][0]["metrics"]}
    assert values["average_precision"] == pytest.approx(row["value"], abs=1e-4)
    rows = study.labelled_with_warnings("abusive", "main").frame.query("weight > 0")
    proba = study.scores("bayes").set_index("post_id")["proba"].reindex(rows["post_id"])
    weight = rows["weight"].to_numpy()
    error = metrics.expected_calibration_error(rows["y"], proba, n_bins=carding.BINS, sample_weight=weight)
    assert values["expected_calibration_error"] == pytest.approx(error, abs=1e-4)


def test_weak_arms_come_from_the_surface_before_or_after(changing):
    study, path = Study.open(changing), changing / "models" / "bayes" / "README.md"
    assert UNKNOWN in path.read_text(encoding="utf-8")
    found = study.surface("bayes")
    page = path.read_text(encoding="utf-8")
    lines = weak_lines(found.arms, found.about)
    assert len(lines) == 1 + found.arms["named"].sum()
    assert all(f"- {line}\n" in page for line in lines)
    carding.write_cards(study, study.result("evaluation"))
    assert path.read_text(encoding="utf-8") == page


def test_arms_in_words():
    about = About(
        scorer="bayes", version="0", target="abusive", cohort="experts", loss="error", estimator="beta",
        attributes=("length", "place"), posts=900, labels=120, value=0.91, low=0.88,
        high=0.94, level=0.95, min_posts=10,
    )  # fmt: skip
    rows = {
        "arm": [f"length: {n}" for n in range(25)], "posts": 40, "labels": 12, "value": 0.6, "low": 0.45, "high": 0.74,
        "counts": True, "named": np.arange(25) < 22,
    }  # fmt: skip
    lines = weak_lines(pd.DataFrame(rows), about)
    assert lines[0] == (
        "Assessed: the accuracy by length, place, 91 % (88 to 94 %) over all posts, from 120 labels. Of the 25 "
        "combinations with 10 posts or more 22 are jointly below that mean, at 95 %."
    )
    assert lines[1] == "length: 0: 60 % (45 to 74); 40 posts, 12 labels"
    assert len(lines) == 22
    assert lines[-1] == "… and 2 more, in surface/bayes/arms.csv"
    (only,) = weak_lines(pd.DataFrame(rows | {"named": False}), about)
    assert "none can be named as below that mean" in only
    (_, second) = weak_lines(pd.DataFrame(rows | {"named": np.arange(25) < 1}), replace(about, loss="false_positive"))
    assert second.startswith("length: 0: 60 %")
