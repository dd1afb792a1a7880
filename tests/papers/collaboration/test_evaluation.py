import numpy as np
import pytest

from comoderate import metrics
from comoderate.papers.collaboration import beside, claims, evaluation, extra, models, pages
from comoderate.papers.collaboration.environments import Posts
from comoderate.papers.collaboration.evaluation import COLUMNS, Environment
from comoderate.papers.collaboration.paper import CORRECTIONS, model_name

ON = frozenset(CORRECTIONS)


def make_posts(n=300, seed=0, name="test"):
    rng = np.random.default_rng(seed)
    toxicity = rng.choice([0.0, 0.3, 0.8], n, p=[0.7, 0.2, 0.1])
    texts = [
        ("you are a fool " if t > 0.5 else "thank you for the notes ") + str(i % 37) for i, t in enumerate(toxicity)
    ]
    held = {"female": rng.random(n) < 0.4}
    return Posts(name, "invented", texts, toxicity, rng.uniform(0.5, 2, n), held, above=0.7)


def make_probas(posts):
    rng = np.random.default_rng(1)
    base = rng.normal(size=len(posts.y))
    return {
        model_name(method, loss): 1 / (1 + np.exp(-(3 * posts.y - 2.5 + base + 0.3 * rng.normal(size=len(base)))))
        for method, loss in models.names(("deterministic", "ensemble", "sngp_ensemble"))
    }


def test_columns_are_the_metrics_by_their_names():
    posts = make_posts()
    proba = make_probas(posts)["SNGP ensemble, focal"]
    own = Environment(posts, replicates=5, seed=0, corrected=ON)
    table = own.table(proba)
    assert table.shape == (6, len(COLUMNS))
    w = posts.weight
    assert table[0, COLUMNS.index("auroc")] == pytest.approx(metrics.auroc(posts.y, proba, sample_weight=w))
    assert table[0, COLUMNS.index("accuracy")] == pytest.approx(metrics.accuracy(posts.y, proba, sample_weight=w))


def test_curves_are_those_of_the_metrics_room():
    posts = make_posts()
    proba = make_probas(posts)["SNGP ensemble, focal"]
    curves = Environment(posts, replicates=3, seed=0, corrected=ON).curves(proba, proba)
    known = metrics.oracle_collaborative_auroc(
        posts.y, proba, proba, review_fraction=np.array(evaluation.FRACTIONS), sample_weight=posts.weight
    )
    np.testing.assert_allclose(curves[0, 1], known)


def test_the_published_rules_change_what_they_say():
    posts = make_posts()
    proba = make_probas(posts)["Deterministic, focal"]
    on, off = (Environment(posts, replicates=2, seed=0, corrected=one) for one in (ON, frozenset()))
    same = COLUMNS.index("accuracy")
    assert on.table(proba)[0, same] == off.table(proba)[0, same]
    assert on.table(proba)[0, 0] > off.table(proba)[0, 0] + 0.05
    assert not np.allclose(on.curves(proba, proba)[0, 1], off.curves(proba, proba)[0, 1])


def measured(name, seed=0):
    posts = make_posts(seed=seed, name=name)
    probas = make_probas(posts)
    own = Environment(posts, replicates=20, seed=0, corrected=ON)
    tables = {model: own.table(proba) for model, proba in probas.items()}
    pairs = {
        (model, strategy): own.curves(proba, score)
        for model, proba in probas.items()
        for strategy, score in evaluation.review_scores(proba, proba).items()
    }
    spread = {c: np.mean([t[:, k] for t in tables.values()], axis=0).tolist() for k, c in enumerate(COLUMNS)}
    return {
        "environment": name, "title": f"{name} environment", "posts": name, "seed": 0, "positives": 0.1, "n": 300,
        "again": False, "one_rule": True, "extra": extra.measure(posts, probas, seed=0, corrected=ON),
        "table": pages.table_rows(tables, 300), "curves": pages.curve_rows(pairs, 300),
        "claims": claims.within(tables, pairs, 300), "spread": spread,
    }  # fmt: skip


def test_the_page_has_every_claim_table_and_figure():
    posts = make_posts()
    rows = evaluation.by_identity(posts, make_probas(posts), replicates=5, seed=0, corrected=ON).to_dict("records")
    sections = pages.arrange([measured("test"), measured("deployment", 1)], identities=rows)
    names = [section.name for section in sections]
    assert names[0] == "claims"
    assert {"table-1-test", "table-2-test", "table-1-deployment", "table-3-deployment", "curves-test"} <= set(names)
    assert {"curves-deployment", "corrections", "identities"} <= set(names)
    told = set(sections[0].table["claim"])
    assert {"uncertainty beats toxicity review", "focal loss helps ranking", "AUROC falls out of domain"} <= told
    assert claims.CROSSING in told
    assert "[0.97" in sections[1].shown["AUROC"].iloc[0]
    assert "Ours less the paper's" in sections[1].sentences[1]
    figures = {figure.name for section in sections for figure in section.figures}
    wanted = {f"figure-{number}-{loss}" for number in (2, 3, *range(7, 15)) for loss in ("cross-entropy", "focal")}
    assert wanted | {"figure-4-test", "figure-4-deployment", "figure-5", "figure-6"} <= figures
    assert "strategies-oc-auroc-test" in figures
    for section in sections:
        for figure in section.figures:
            assert figure.display.svg().startswith("<svg")


def test_methods_that_read_the_same_networks_share_them(tmp_path):
    pytest.importorskip("torch")
    posts = make_posts(80)
    asked = {"test": posts.take(np.arange(30))}
    setting = models.Setting(60, 30, None, 1, 16, 1, 16, 2, 2, None)
    found = {
        method: models.predictions(
            method, "cross_entropy", posts, asked, setting, seed=0, corrected=ON, checkpoint=tmp_path / "shared"
        )
        for method in ("deterministic", "ensemble")
    }
    one, two = (found[m]["test"]["proba"] for m in ("deterministic", "ensemble"))
    assert len(one) == 30
    first = [found[method]["history"][0][0]["loss"] for method in ("ensemble", "deterministic")]
    assert first[0] == first[1]
    assert not np.allclose(one, two)
    assert np.isfinite(found["ensemble"]["test"]["epistemic"]).all()


def test_the_papers_own_tables_are_judged_by_the_same_code():
    found = beside.claimed("deployment")
    assert found["uncertainty beats toxicity review", "review efficiency at 10 %"] < 0
    assert found["focal loss helps ranking", "AUROC"] == pytest.approx(0.0235, abs=1e-4)
    assert beside.mean("deployment", "auroc") < beside.mean("test", "auroc")
    assert set(beside.MODELS) == {model_name(*one) for one in models.names()}


def test_the_crossing_point_is_where_toxicity_gets_ahead():
    ahead = np.where(extra.GRID < 0.1, 0.4, 0.1)
    assert extra._crossing(ahead, np.full(len(extra.GRID), 0.2)) == pytest.approx(0.1, rel=0.2)
    assert extra._crossing(ahead, np.zeros(len(extra.GRID))) == extra.GRID[-1]
    assert extra._crossing(np.zeros(len(extra.GRID)), ahead) == extra.GRID[0]


def test_corrections_turned_off_give_what_the_public_code_gives():
    posts = make_posts()
    found = extra.measure(posts, make_probas(posts), seed=0, corrected=ON)
    changes = {(row["quantity"], row["off"]): row for row in found["changes"]}
    off = Environment(posts, replicates=2, seed=0, corrected=frozenset())
    both = changes["AUROC", "exact-auroc, one-label-rule"]
    mean = np.mean([off.table(proba)[0, 0] for proba in make_probas(posts).values()])
    assert both["as_published"] == pytest.approx(mean)
    assert both["low"] <= both["change"] <= both["high"]
    assert found["soft"]
    none = extra.measure(posts, make_probas(posts), seed=0, corrected=frozenset())
    assert none["changes"] == []


def test_reliability_has_the_bins_of_the_metrics_room():
    posts = make_posts()
    proba = make_probas(posts)["Deterministic, focal"]
    found = extra.reliability(Environment(posts, replicates=30, seed=0, corrected=ON), proba)
    known = metrics.reliability_diagram(posts.y, proba, sample_weight=posts.weight)
    np.testing.assert_allclose(found["observed"], known.observed)
    np.testing.assert_allclose(found["predicted"], known.mean)
    assert all(low <= high for low, high in zip(found["low"], found["high"], strict=True))
