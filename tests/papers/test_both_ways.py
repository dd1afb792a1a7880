import json

import pandas as pd
import pytest

from comoderate.papers import PAPERS, both_ways
from comoderate.papers.benchmark import _beside
from comoderate.papers.results import Section

ON, OFF = ({"fix": {"on": on, "what": "it is mended"}} for on in (True, False))


def a_run(paper="troll-patrol", *, on, seeds=(0,), mode="small"):
    return {"paper": paper, "mode": mode, "seeds": list(seeds), "corrections": ON if on else OFF}


def claims(verdicts):
    return pd.DataFrame(
        {
            "claim": "it helps", "where": list("abc"), "measure": "saving", "difference": [0.1, -0.2, 0.0],
            "low": [0.05, -0.3, -0.1], "high": [0.2, 0.1, 0.1], "verdict": verdicts,
        }
    )  # fmt: skip


def troll_patrol(kappa, share, verdicts=("holds", "open", "open")):
    by_cohort = pd.DataFrame(
        {
            "classifier": ["Naive Bayes", "Model of the campaign (BERT)"], "campaign": "tweets",
            "average_precision": [0.1, 0.7], "average_precision published": [0.1, 0.4],
        }
    )  # fmt: skip
    agreement = {"question": "problem", "statistic": "κ", "raters": "experts", "published": 0.54, "tweets": kappa}
    estimate = {"campaign": "tweets", "target": "abusive", "cohort": "experts", "value": share, "truth": 0.1}
    return {
        "table-1": pd.DataFrame([agreement]), "table-2-volunteers": by_cohort, "table-2-experts": by_cohort,
        "estimates": pd.DataFrame([estimate]), "claims": claims(list(verdicts)),
    }  # fmt: skip


def collaboration(auroc):
    models = ["Deterministic, focal", "Monte Carlo dropout, focal", "SNGP, focal", "SNGP ensemble, focal"]
    table = pd.DataFrame({"model": models, "metric": "auroc", "value": [0.9, 0.8, auroc, auroc], "published": 0.97})
    curves = pd.DataFrame(
        {
            "model": models * 2, "strategy": ["uncertainty"] * 4 + ["toxicity"] * 4, "metric": "review_efficiency",
            "review_fraction": 0.05, "value": [0.4] * 4 + [0.2] * 4, "published": 0.3,
        }
    )  # fmt: skip
    return {"table-1-test": table, "curves-test": curves, "claims": claims(["open"] * 3)}


def accuracy_surface(worst, *, seeds=1):
    table = pd.DataFrame(
        {
            "world": "smooth", "estimator": "BetaGP", "labels": [5, 6] * seeds, "seed": [*range(seeds)] * 2,
            "worst": [9.0, worst] * seeds, "coverage": 0.9,
        }
    )  # fmt: skip
    table["worst"] += table["seed"]
    curve = {"world": "smooth", "estimator": "BetaGP", "strategy": "error_reduction", "seed": 0}
    explored = pd.DataFrame([{**curve, "labels": labels, "macro": macro} for labels, macro in ((5, 2.0), (6, 1.0))])
    return {"figure-3": table, "figure-4": explored, "claims": claims(["open"] * 3)}


def test_every_paper_has_headlines():
    assert both_ways.HEADLINES.keys() == PAPERS.keys()


def test_numbers_stand_beside_each_other_and_changed_verdicts_are_told():
    published = troll_patrol(0.5, 0.17, ("open", "open", "does not hold"))
    runs = (a_run(on=True), a_run(on=False, seeds=(0, 1)))
    found = both_ways.section(troll_patrol(0.4, 0.11), published, runs, page=" ([its page](x.md))")
    rows = found.table.set_index("quantity")
    assert rows.loc["κ of experts on the problem", ["corrected", "as published", "published"]].tolist() == [
        0.4, 0.5, 0.54,
    ]  # fmt: skip
    assert rows.loc["share abusive by experts", ["corrected", "as published", "published"]].tolist() == [
        0.11, 0.17, 0.1,
    ]  # fmt: skip
    assert rows.index.str.contains("average precision").sum() == 2
    assert found.shown.columns[-1] == "the paper, or the truth"
    told = "\n".join(found.sentences)
    assert "([its page](x.md))" in told
    assert "has the seeds 0, the one as published 0, 1" in told
    assert "Of 3 verdicts on the paper's claims 2 come out otherwise" in told
    assert "- it helps, a, saving: corrected +0.1 (+0.05 to +0.2) *holds*, as published" in told


def test_nothing_changes_where_nothing_does():
    same = accuracy_surface(2.0)
    found = both_ways.section(same, same, (a_run("accuracy-surface", on=True), a_run("accuracy-surface", on=False)))
    assert "None of the 3 verdicts" in found.sentences[-1]
    assert found.table["quantity"].tolist() == [
        "BetaGP, error of the 50 worst arms", "BetaGP, 95 % intervals cover",
        "BetaGP, labels chosen by error reduction: macro error at the last",
    ]  # fmt: skip
    assert found.table["corrected"].tolist() == found.table["as published"].tolist() == [2.0, 0.9, 1.0]


def test_numbers_are_means_over_the_seeds_that_both_runs_have():
    runs = tuple(a_run("accuracy-surface", on=on, seeds=seeds) for on, seeds in ((True, (0, 1, 2)), (False, (0,))))
    found = both_ways.section(accuracy_surface(2.0, seeds=3), accuracy_surface(3.0), runs).table
    assert found.loc[0, ["corrected", "as published"]].tolist() == [2.0, 3.0]


def test_models_that_a_correction_is_about_have_rows_of_their_own():
    runs = (a_run("collaboration", on=True), a_run("collaboration", on=False))
    rows = both_ways.section(collaboration(0.8), collaboration(0.6), runs).table.set_index("quantity")
    assert rows.loc["AUROC, SNGP", "as published"] == pytest.approx(0.6)
    assert rows.loc["AUROC, Monte Carlo dropout", "as published"] == pytest.approx(0.8)
    assert rows.loc["AUROC, all models", "as published"] == pytest.approx(0.725)
    assert rows.loc["review efficiency at 5 % read by toxicity, all models", "corrected"] == pytest.approx(0.2)


def test_only_a_whole_run_beside_one_without_corrections_compares():
    on, off = a_run(on=True), a_run(on=False)
    assert both_ways.comparable(on, off)
    assert not both_ways.comparable(None, off)
    assert not both_ways.comparable(on, on)
    assert not both_ways.comparable(off, off)
    assert not both_ways.comparable(a_run(on=True, mode="full"), off)
    assert not both_ways.comparable(a_run("collaboration", on=True), off)


def test_a_run_as_published_finds_the_corrected_one_around_its_folder(tmp_path):
    sections = [Section(name, name=name, table=table) for name, table in troll_patrol(0.5, 0.17).items()]
    below = tmp_path / "as-published"
    assert _beside(a_run(on=False), below, sections) == []
    (tmp_path / "tables").mkdir()
    for name, table in troll_patrol(0.4, 0.11).items():
        table.to_csv(tmp_path / "tables" / f"{name}.csv", index=False)
    (tmp_path / "run.json").write_text(json.dumps(a_run(on=True)))
    (found,) = _beside(a_run(on=False), below, sections)
    assert found.table.set_index("quantity").loc["κ of experts on the problem", "corrected"] == 0.4
    assert _beside(a_run(on=True), below, sections) == []
