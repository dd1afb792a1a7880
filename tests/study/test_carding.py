"""Model cards of a study."""

import pytest
import yaml

from comoderate import metrics
from comoderate.study import Study, carding


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


def test_weak_arms_are_handed_in(changing):
    study = Study.open(changing)
    paths = carding.write_cards(study, study.result("evaluation"), weak={"bayes": ["long posts: recall .3"]})
    assert {path.parent.name for path in paths} == {"bayes", "words"}
    assert "- long posts: recall .3" in (changing / "models" / "bayes" / "README.md").read_text()
