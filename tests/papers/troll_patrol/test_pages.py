import numpy as np
import pytest

from comoderate.papers.troll_patrol import claims, corrections, pages


def row(value, **key):
    return {**key, "value": value, "se": 0.02, "low": value - 0.04, "high": value + 0.04, "n": 400}


def make_campaign(world="davidson", *, again=False, exact=True):
    agreement = [
        row(value, question=question, statistic=statistic, cohort=cohort, weighted=True)
        for question, statistic in (("problem", "fleiss_kappa"), ("problem", "icc"), ("type: other", "fleiss_kappa"))
        for cohort, value in (("volunteers", 0.3), ("experts", 0.6))
    ]
    evaluation = [
        row(value, target="abusive", truth=cohort, scorer=scorer, metric=metric)
        for cohort in ("volunteers", "experts")
        for scorer, value in (("bert", 0.6), ("service", 0.4), ("volunteers", 0.5))
        for metric in pages.METRICS
    ]
    curves = [
        {"target": "abusive", "truth": cohort, "scorer": "bert", "kind": kind, "x": x, "y": y, "threshold": 0.5}
        for cohort in ("volunteers", "experts")
        for kind in ("precision-recall", "roc")
        for x, y in ((0.0, 1.0), (0.5, 0.7), (1.0, 0.2))
    ]
    draws = [
        {"quantity": quantity, "way": way, "truth": 0.1, "bias": bias, "spread": spread, "coverage": 0.95,
         "width": 0.05, "n": n, "draws": 200}
        for quantity in ("abusive", "severe")
        for way, bias, spread, n in (
            ("B", 0.0, 0.02, 900), ("B + F", 0.0, 0.01, 1000), ("B + F, unweighted", 0.03, 0.01, 1000)
        )
    ]  # fmt: skip
    changed = [
        {"correction": "exact-weights", "quantity": "share abusive, volunteers", "way": way, "value": value,
         "low": value - 0.02, "high": value + 0.02, "n": 400, "truth": 0.1}
        for way, value in (("corrected", 0.11), ("as published", 0.2))
    ]  # fmt: skip
    votes = [[5, 3, 0, 0], [2, 1, 2, 0]]
    return {
        "world": world, "seed": 2018, "again": again, "posts": 1000, "exact": exact,
        "confusion": {"volunteers": np.eye(3).tolist(), "experts": np.eye(3).tolist()},
        "truth": {f"abusive {cohort}": 0.1 for cohort in ("volunteers", "experts")},
        "study": {
            "agreement": agreement, "evaluation": evaluation, "curves": curves, "votes": {
                "volunteers": votes, "experts": votes}, "design": {"base": 900, "enrich": 100, "experts": 80},
            "prevalence": [row(0.11, target="abusive", cohort="volunteers")],
        },
        "draws": draws, "changed": changed,
    }  # fmt: skip


def test_claims_are_judged_by_their_own_differences():
    found = {(one.claim, one.measure): one for one in claims.verdicts(make_campaign())}
    agree = found["experts agree more than volunteers", "Fleiss' κ"]
    assert agree.verdict == "holds"
    assert agree.difference.value == pytest.approx(0.3)
    assert found["volunteers agree more on presence than on type", "Fleiss' κ"].verdict == "open"
    left_out, replaced = (one for (claim, _), one in found.items() if claim == "enrichment helps the overall share")
    assert left_out.difference.value == pytest.approx(1.0)
    assert replaced.difference.value == pytest.approx(2 * np.sqrt(0.9) - 1)
    training = next(one for (claim, _), one in found.items() if claim == "enrichment helps training")
    assert training.difference.value == pytest.approx(0.3)


def test_the_page_has_published_beside_measured_and_says_how_far_apart():
    sections = pages.arrange([make_campaign()], annotators=[], off=[])
    by_name = {section.name: section for section in sections if section.name}
    table = by_name["table-1"]
    assert table.shown["published"].tolist()[:2] == ["0.26", "0.54"]
    assert "volunteers on the problem, Fleiss' κ: +0.04 on davidson" in table.sentences[-1]
    assert by_name["table-2-experts"].shown["where"].tolist()[:2] == ["published", "davidson"]
    assert by_name["corrections"].shown.loc[0, "as published"] == "20.0 % (18.0 to 22.0)"
    assert "corrected, 1 of 1; as published, 0 of 1" in by_name["corrections"].sentences[-1]
    for section in sections:
        for figure in section.figures:
            assert figure.display.svg().startswith("<svg")


def test_a_run_as_published_estimates_by_the_printed_weights():
    sections = pages.arrange([make_campaign(exact=False)], annotators=[], off=["exact-weights"])
    table = next(section.table for section in sections if section.name == "estimates")
    assert table["value"].tolist() == [0.2]
    assert "corrections" not in {section.name for section in sections}


def test_one_campaign_of_many_seeds_names_its_seed():
    assert claims.where(make_campaign(again=True)) == "davidson, seed 2018"


def test_real_annotators_have_a_verdict_of_their_own():
    rows = [
        row(value, question=question, statistic="fleiss_kappa", cohort="annotators", weighted=False)
        for question, value in (("problem", 0.6), ("type: a", 0.3), ("type: b", 0.5))
    ]
    (found,) = claims.of_annotators(rows)
    assert found.difference.value == pytest.approx(0.2)
    assert claims.of_annotators([]) == []


def test_intervals_of_the_printed_weights_are_counted(tmp_path):
    section = corrections.section([("a", make_campaign()["changed"])])
    assert section.table["way"].tolist() == ["corrected", "as published"]
