"""What stages write: models that say what they saw, honest scores, weights that undo enrichment."""

import json

import numpy as np
import pandas as pd
import pytest

from comoderate.corpus import read_metadata
from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.assisting import assisted_section


def test_a_model_says_what_it_was_trained_on(ran):
    card = json.loads((ran / "models" / "bayes" / "comoderate.json").read_text())
    labelled = Study.open(ran).labelled_with_warnings("abusive", "main").frame
    used = labelled[labelled["weight"] > 0]
    assert card["target"] == "abusive"
    assert card["sample"] == "main"
    assert card["cohort"] == "volunteers"
    assert card["posts"] == len(used)
    assert card["positives"] == int(used["y"].sum())
    assert sorted(card["members"].values()) == [0, 1, 2]
    for member, home in card["members"].items():
        assert home not in card["folds"][member]


def test_scores_are_raw_and_versioned(ran):
    study = Study.open(ran)
    card = json.loads((ran / "models" / "bayes" / "comoderate.json").read_text())
    assert (ran / "scores" / f"bayes@{card['version']}" / "manifest.json").exists()
    found = study.scores("bayes")
    assert len(found) == 400
    assert found["proba"].between(0, 1).all()
    assert set(found["target"]) == {"abusive"}
    assert not found["seen"].any()


def test_recorded_scores_are_the_column_itself(ran, little):
    found = Study.open(ran).scores("service").set_index("post_id")["proba"]
    np.testing.assert_array_equal(found.reindex(little.posts()["post_id"]), little.posts()["service"])


def test_files_say_seed_and_version(ran):
    for name in ("samples/main.parquet", "labels/abusive.parquet", "labels/folds.parquet"):
        metadata = read_metadata(ran / name)
        assert metadata["seed"] == "11"
        assert metadata["version"]


@pytest.mark.parametrize("kind", ["tfidf_logistic", "naive_bayes"])
def test_weights_undo_the_enrichment_so_that_half_means_half(imported, little, kind):
    """Mean probabilities near the true share need the weights; a model of the enriched sample alone is far above."""
    little.edit(imported, "size = 150", "size = 120")
    little.edit(imported, 'scorer = "words", size = 40', 'scorer = "service", size = 80')
    both = f'kind = "{kind}"\nsample = "main"\n'
    scorers = f"[scorer.weighted]\n{both}\n[scorer.naive]\n{both}weighted = false\n\n[scorer.bayes]"
    little.edit(imported, "[scorer.bayes]", scorers)
    study = Study.open(imported)
    weighted, naive = study.score("weighted")["proba"], study.score("naive")["proba"]
    truth = study.labels("abusive").query("cohort == 'volunteers'")["y"].mean()
    in_sample = study.labelled_with_warnings("abusive", "main").frame["y"].mean()
    assert in_sample > truth + 0.2
    assert abs(weighted.mean() - truth) < 0.11
    assert naive.mean() > truth + 0.2
    assert abs((weighted > 0.5).mean() - truth) < 0.12
    assert (naive > 0.5).mean() > truth + 0.15


def test_a_scorer_that_saw_the_posts_is_refused(changing, little):
    little.edit(changing, 'kind = "naive_bayes"', 'kind = "naive_bayes"\nfolds = [0, 1]')
    with pytest.raises(ComoderateError, match="scorer 'bayes' was trained on .* of the .* posts"):  # noqa: RUF043
        Study.open(changing).evaluate()
    seen = Study.open(changing).scores("bayes").set_index("post_id")["seen"]
    folds = Study.open(changing).folds().set_index("post_id")["fold"]
    assert seen.reindex(folds.index).equals(folds.isin([0, 1]).rename("seen"))
    little.edit(changing, "[evaluate]", "[evaluate]\nonly_folds = [2]")
    table = Study.open(changing).evaluate()
    assert "bayes" in set(table["scorer"])
    labelled = Study.open(changing).labelled_with_warnings("abusive", "main").frame
    used = (labelled["weight"] > 0) & (labelled["fold"] == 2)
    mine = table[(table["truth"] == "volunteers") & (table["scorer"] == "bayes") & (table["domain"] == "all")]
    assert set(mine["n"]) == {int(used.sum())}
    assisted = Study.open(changing).result("assisted")
    row = assisted[assisted["scorer"] == "bayes"].iloc[0]
    assert row["reason"] == "the scorer was trained on some of these very posts"
    assert row[["value", "width"]].isna().all()
    assert (assisted.loc[assisted["scorer"] == "", "value"] > 0).all()
    shown = assisted_section(assisted).tables[0][1].set_index("with the help of")["share"]
    assert shown["bayes"] == f"– ({row['reason']})"


def test_soft_labels_train(changing, little):
    little.edit(changing, 'kind = "naive_bayes"', 'kind = "naive_bayes"\nsoft = true')
    assert Study.open(changing).train("bayes")["labels"] == "soft"


@pytest.mark.slow
def test_a_census_with_the_full_truth_beside_a_smaller_sample(imported, little):
    little.edit(imported, "[sample.experts]", '[sample.full]\ndesign = "census"\n\n[sample.experts]')
    study = Study.open(imported)
    table = study.estimate(by=[])
    mine = table[(table["target"] == "abusive") & (table["cohort"] == "volunteers")].set_index("sample")
    labels = study.labels("abusive").query("cohort == 'volunteers'")
    assert mine.loc["full", "value"] == pytest.approx(labels["y"].mean(), abs=0.01)
    assert mine.loc["main", "low"] <= mine.loc["full", "value"] <= mine.loc["main", "high"]
    assert mine.loc["full", "n"] > 300


def test_clusters_are_in_the_sample(changing, little):
    little.edit(changing, "size = 150", 'size = 150\ncluster = "author"')
    study = Study.open(changing)
    drawn = study.draw("main")
    authors = study.posts().frame(["post_id", "author"]).set_index("post_id")["author"]
    assert drawn["cluster"].tolist() == authors.reindex(drawn["post_id"]).tolist()
    assert set(study.draw("experts")["cluster"]) <= set(drawn["cluster"])
    table = study.estimate(by=[])
    assert table["value"].notna().any()


def test_gold_answers_neither_measure_nor_train(changing, little):
    before = Study.open(changing).labels("abusive")
    little.edit(changing, 'path = "volunteers.csv"', 'path = "volunteers.csv"\nsource = "gold"')
    study = Study.open(changing)
    table = study.agree()
    assert set(table["cohort"]) == {"experts"}
    assert set(study.labels("abusive")["cohort"]) == {"experts"}
    assert set(before["cohort"]) == {"volunteers", "experts"}
    with pytest.raises(ComoderateError, match="no labelled post for target 'abusive' by volunteers"):
        study.train("bayes", force=True)


def test_an_import_that_is_taken_out_of_the_file_is_gone(changing, little):
    text = (changing / "study.toml").read_text()
    start, end = text.index("[annotations.experts]"), text.index("[codebook]")
    text = text[:start] + text[end:]
    text = text.replace('samples = { experts = "experts" }\n', "")
    (changing / "study.toml").write_text(text)
    study = Study.open(changing)
    assert set(study.agree()["cohort"]) == {"volunteers"}
    assert set(study.annotations()["cohort"]) == {"volunteers"}


def test_revision_and_snapshot(ran):
    study = Study.open(ran)
    with study.store() as store:
        assert read_metadata(ran / "labels" / "annotations.parquet")["revision"] == str(store.revision())
        pd.testing.assert_frame_equal(study.annotations()[["response_id"]], store.snapshot()[["response_id"]])
