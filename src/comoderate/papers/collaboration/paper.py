"""The run: ten models trained and scored one by one, then measured together in both environments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from comoderate import metrics
from comoderate.papers import results
from comoderate.papers.benchmark import Run
from comoderate.papers.cells import Cells
from comoderate.papers.collaboration import claims, elsewhere, evaluation, extra, models, pages
from comoderate.papers.collaboration.environments import Environments, Posts, load
from comoderate.papers.collaboration.evaluation import Environment, Floats

TITLE = "Model–moderator collaboration (Kivlichan et al. 2021): published beside measured"

CORRECTIONS = {
    "one-label-rule": "one label for all metrics; as published AUROC, AUPRC and OC-AUC of CivilComments call a comment "
    "toxic if any rater did, accuracy and review efficiency if more than 70 % did",
    "exact-auroc": "AUROC and OC-AUROC are exact; as published they are trapezia over 200 thresholds",
    "all-passes": "Monte Carlo dropout makes several passes; as published it was evaluated with one",
    "exact-precision": "SNGP's precision matrix is summed over the last epoch; as published it is a moving average of "
    "batch means",
    "mean-field": "SNGP's logits are divided by √(1 + λσ²) with λ = π/8; as published λ = .1",
}
DATA = ("test", "deployment", elsewhere.NAME)
ENVIRONMENTS = {"test": "testing environment", "deployment": "deployment environment"}
REPLICATES = 200
PAPERS_POSTS = 159_571
"""The comments of Wikipedia talk that the paper trains on."""


def seeds(small: bool) -> tuple[int, ...]:
    """One, with a bootstrap over posts; or ten, as published."""
    return (0,) if small else tuple(range(10))


def sections(run: Run) -> Sequence[results.Section]:
    """Run what is not there yet, and arrange the results."""
    data = load(run)
    setting = models.SMALL if run.options.small else models.FULL
    parts = models.parts(data, setting)
    for name in ("test", "deployment"):
        run.data[name] = f"{parts[name].name}: {parts[name].what}, {len(parts[name].texts):,} scored"
    size = len(data.train.texts) if setting.train is None else min(setting.train, len(data.train.texts))
    run.data["training"] = f"{data.train.name}: {size:,} of {len(data.train.texts):,} posts; {_sizes(setting)}"
    scored = {seed: _scored(run, data, setting, seed) for seed in run.seeds}
    measured = [
        _measured(run, name, posts, parts["validation"], scored, seed)
        for name, posts in parts.items() if name in DATA and run.wants(name)
        for seed in run.seeds
    ]  # fmt: skip
    about = _about(setting, size)
    further = _elsewhere(run, data, setting)
    return pages.arrange(measured, elsewhere=further, identities=_identities(run, parts, scored), about=about)


def _about(setting: models.Setting, size: int) -> str:
    """How the models differ from the paper's, from what was really run."""
    told = []
    if (setting.layers, setting.backbone) != (models.FULL.layers, models.FULL.backbone):
        told.append(f"{'all' if setting.layers is None else setting.layers} layers of a small encoder, not BERT-base")
    if size < PAPERS_POSTS:
        told.append(f"{size:,} posts to learn from, not {PAPERS_POSTS:,}")
    for name, words in (("max_length", "tokens a post"), ("epochs", "epochs"), ("members", "members of an ensemble")):
        here, there = getattr(setting, name), getattr(models.FULL, name)
        if here != there:
            told.append(f"{here} {words}, not {there}")
    return f"What differs: {'; '.join(told)}." if told else "The models are trained as the paper's were."


def _sizes(setting: models.Setting) -> str:
    layers = "all layers" if setting.layers is None else f"{setting.layers} layers"
    return (
        f"{layers} of {setting.backbone or 'the small encoder that comes as a package'}, {setting.max_length} tokens, "
        f"{setting.epochs} epochs, ensembles of {setting.members}, {setting.passes} passes"
    )


def _scored(run: Run, data: Environments, setting: models.Setting, seed: int) -> dict[str, dict[str, Any]]:
    """Each model's probabilities of the paper's environments; they lie under ``work``, which is nobody's to publish."""
    own = {"test": data.test.what, "deployment": data.deployment.what}
    return _each(run, data, setting, seed, models.parts(data, setting), "scores", own)


def _each(
    run: Run, data: Environments, setting: models.Setting, seed: int, posts: dict[str, Posts], folder: str,
    what: dict[str, str],
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """What each model says of some posts, trained if it is not yet."""
    work = run.options.out / "work"
    cells = Cells(work / folder, run.options.listener)
    found = {}
    for method, loss in models.names():
        own = {
            "method": method, "loss": loss, "seed": seed, "setting": vars(setting), "train": data.train.what, **what,
            "corrected": sorted(run.corrected & {"all-passes", "exact-precision", "mean-field"}),
        }  # fmt: skip
        score = partial(
            models.predictions, method, loss, data.train, posts, setting, seed=seed, corrected=run.corrected,
            checkpoint=work / "checkpoints" / f"{loss}-{'sngp' if method.startswith('sngp') else 'plain'}-{seed}",
        )  # fmt: skip
        found[model_name(method, loss)] = cells.get(f"{method}-{loss}-{seed}", own, score)
    return found


def _elsewhere(run: Run, data: Environments, setting: models.Setting) -> list[dict[str, Any]]:
    """The trained models on HateCheck, if it is there."""
    posts = elsewhere.hatecheck(run) if run.wants(elsewhere.NAME) else None
    if posts is None:
        return []
    run.data[elsewhere.NAME] = f"{posts.name}: {posts.what}"
    found = []
    for seed in run.seeds:
        scored = _each(run, data, setting, seed, {elsewhere.NAME: posts}, elsewhere.NAME, {elsewhere.NAME: posts.what})
        probas = {model: _proba(one, elsewhere.NAME) for model, one in scored.items()}
        found.append(elsewhere.measured(run, posts, probas, seed))
    return found


def model_name(method: str, loss: str) -> str:
    """A model's name for tables: "SNGP, focal"."""
    return f"{models.METHODS[method]}, {models.LOSSES[loss]}"


def _measured(
    run: Run, name: str, posts: Posts, validation: Posts, scored: dict[int, dict[str, dict[str, Any]]], seed: int
) -> dict[str, Any]:
    probas = {model: _proba(one, name) for model, one in scored[seed].items()}
    held_out = {model: _proba(one, "validation") for model, one in scored[seed].items()}
    own = {
        "posts": posts.what, "n": len(posts.texts), "seed": seed, "replicates": REPLICATES,
        "corrected": sorted(run.corrected), "scores": pages.digest(probas),
    }  # fmt: skip
    make = partial(_measure, posts, validation, probas, held_out, seed, run)
    found = run.cells.get(f"{name}-{seed}", own, make)
    further = partial(extra.measure, posts, probas, seed=seed, corrected=run.corrected)
    return {
        "environment": name, "title": ENVIRONMENTS[name], "posts": posts.name, "n": len(posts.texts), "seed": seed,
        "again": len(run.seeds) > 1, "one_rule": extra.LABELS in run.corrected, **found,
        "extra": run.cells.get(f"extra/{name}-{seed}", _own(own), further),
    }  # fmt: skip


def _own(settings: dict[str, Any]) -> dict[str, Any]:
    return {**settings, "replicates": extra.REPLICATES, "version": extra.VERSION}


def _proba(scores: dict[str, Any], name: str) -> Floats:
    return np.array(scores[name]["proba"], dtype=np.float64)


def _measure(
    posts: Posts, validation: Posts, probas: dict[str, Floats], held_out: dict[str, Floats], seed: int, run: Run
) -> dict[str, Any]:
    own = Environment(posts, replicates=REPLICATES, seed=seed, corrected=run.corrected)
    tables = {model: own.table(proba) for model, proba in probas.items()}
    pairs: dict[tuple[str, str], Floats] = {}
    for model, proba in probas.items():
        sure = evaluation.calibrated(validation, held_out[model], proba)
        for strategy, score in evaluation.review_scores(proba, sure).items():
            pairs[model, strategy] = own.curves(proba, score)
    n = len(posts.texts)
    return {
        "positives": float(posts.weight @ posts.y / posts.weight.sum()),
        "table": pages.table_rows(tables, n),
        "curves": pages.curve_rows(pairs, n),
        "reliability": {model: _reliability(posts, proba) for model, proba in probas.items()},
        "claims": claims.within(tables, pairs, n),
        "spread": {name: [float(v) for v in _mean(tables, column)] for column, name in enumerate(evaluation.COLUMNS)},
    }  # fmt: skip


def _mean(tables: dict[str, Floats], column: int) -> Floats:
    """(1 + R,) the mean over models of a column and of its replicates."""
    return np.asarray(np.mean([table[:, column] for table in tables.values()], axis=0))


def _reliability(posts: Posts, proba: Floats) -> dict[str, Any]:
    found = metrics.reliability_diagram(posts.y, proba, sample_weight=posts.weight)
    return {"predicted": found.mean.tolist(), "observed": found.observed.tolist()}


def _identities(
    run: Run, parts: dict[str, Posts], scored: dict[int, dict[str, dict[str, Any]]]
) -> list[dict[str, Any]]:
    posts = parts["deployment"]
    if not posts.identities or not run.wants("deployment"):
        run.missing.setdefault("identity groups", "the deployment posts have no identity columns")
        return []
    seed = run.seeds[0]
    probas = {model: _proba(one, "deployment") for model, one in scored[seed].items()}
    frame = evaluation.by_identity(posts, probas, replicates=REPLICATES, seed=seed, corrected=run.corrected)
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
