"""Model cards: written when scorers are compared, for only then it is known how good they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate import metrics
from comoderate.corpus import atomic_path
from comoderate.metrics import Estimate
from comoderate.models.card import README, Bin, Card, Measured
from comoderate.study import crossfit, making_surface, tables
from comoderate.study.evaluating import Evaluation, Floats
from comoderate.study.training import LANGUAGES, OF_ENCODERS
from comoderate.study.weak_card import weak_lines
from comoderate.study.wording import estimand_sentence, sample_sentence, target_sentence

if TYPE_CHECKING:
    from comoderate.study.study import Study

NAMES = {
    "average_precision": "average precision",
    "auroc": "AUROC",
    "f1": "F1",
    "precision": "precision",
    "recall": "recall",
}
BINS = 10
DEFAULT_ENCODER = "sentence-transformers/all-MiniLM-L6-v2"


def write_cards(study: Study, evaluation: pd.DataFrame) -> list[Path]:
    """Write ``README.md`` beside every compared model of the study; gives their paths.

    A surface that was assessed before says where the model is weak; one that is assessed later writes that into the
    card itself (:mod:`comoderate.study.weak_card`).

    Args:
        study: whose scorers were compared.
        evaluation: the table of their comparison.
    """
    written = []
    for target, truth, name, proba, found in tables.compared(study):
        own = study.settings.scorer.get(name)
        if own is None or not own.trained or truth != _truth(study, target):
            continue
        mine = evaluation[(evaluation["scorer"] == name) & (evaluation["truth"] == truth)]
        card = _card(study, name, target, truth, mine, (proba, found))
        path = study.folder / "models" / name / README
        with atomic_path(path) as temporary:
            temporary.write_text(card.readme(), encoding="utf-8")
        written.append(path)
    return written


def _truth(study: Study, target: str) -> str:
    """The cohort whose labels a card speaks of."""
    return next(iter(study.settings.evaluate.truth), None) or study.cohort_of(target)


def _card(
    study: Study, name: str, target: str, truth: str, rows: pd.DataFrame, scored: tuple[Floats, Evaluation]
) -> Card:
    s, own = study.settings, study.settings.scorer[name]
    about = crossfit.read_card(study.folder / "models" / name)
    proba, found = scored
    diagram = metrics.reliability_diagram(found.y, proba, n_bins=BINS, sample_weight=found.weight)
    total = float(diagram.weight.sum())
    everyone = rows[rows["domain"] == "all"]
    bins = [Bin(float(p), float(y), float(w) / total) for p, y, w in zip(*diagram, strict=True)]
    return Card(
        name=name,
        version=str(about["version"]),
        kind=own.kind,
        task=target_sentence(s.target[target], s.codebook),
        data=list(_data(study, about)),
        options=dict(own.options),
        study=s.study.title,
        truth=f"“{truth}” on sample “{study.sample_for(truth)}”, weighted to the posts that the sample stands for",
        measured=[
            *_measured(everyone),
            _calibration(proba, found),
            *_measured(rows[rows["domain"] != "all"]),
        ],
        threshold=float(everyone.set_index("metric")["value"].get("threshold", float("nan"))),
        bins=bins,
        weak=_weak(study, name, str(about["version"])),
        notes=_notes(about),
        languages=_languages(study),
        folders=list(about["members"]),
        base=str(own.options.get("backbone") or DEFAULT_ENCODER) if own.kind in OF_ENCODERS else None,
    )


def _weak(study: Study, name: str, version: str) -> Sequence[str]:
    """Where an assessed surface of this version finds the model weak."""
    if study.artefacts.record(f"surface:{name}") is None:
        return ()
    found = making_surface.read(study, name)
    return weak_lines(found.arms, found.about) if found.about.version == version else ()


def _data(study: Study, about: Mapping[str, Any]) -> Iterator[str]:
    """What a model was trained on."""
    if "posts" not in about:
        yield "None: nothing was learnt from labels."
        return
    s = study.settings
    own, capped = s.sample[about["sample"]], s.totals is not None
    yield f"{about['posts']:,} labelled posts, {about['positives']:,} of them positive, labels of {about['cohort']}."
    yield f"How they were drawn: {sample_sentence(own, capped=capped)}"
    yield f"What the sample stands for: {estimand_sentence(s.sample[own.of] if own.of else own, capped=capped)}"
    yield (
        "Each post was weighted by how many posts of the stream it stands for."
        if about["weighted"]
        else ("Posts were not weighted, so positive ones may be as frequent as in the sample only.")
    )
    yield f"Labels: {'the share of raters who said yes' if about['labels'] == 'soft' else 'the majority of raters'}."


def _notes(about: Mapping[str, Any]) -> list[str]:
    """How many models there are, and which folds they saw."""
    count = len(about["members"])
    if count == 1 and "posts" in about:
        folds = ", ".join(map(str, next(iter(about["folds"].values()))))
        return [f"One model, trained on folds {folds}; it was measured on other posts only."]
    if count > 1:
        return [
            f"{count} models, each trained without one fold of the posts. A labelled post is scored by the one that "
            "did not see it, any other post by all of them together."
        ]
    return []


def _measured(rows: pd.DataFrame) -> Iterator[Measured]:
    order = {metric: place for place, metric in enumerate(NAMES)}
    found: list[dict[str, Any]] = rows[rows["metric"].isin(NAMES)].to_dict("records")  # type: ignore[assignment]
    for row in sorted(found, key=lambda row: order[row["metric"]]):
        if row["domain"] == "all" or not row["few"]:
            group = "all posts" if row["domain"] == "all" else f"{row['domain']}: {row['group']}"
            value, low, high = (float(row[name]) for name in ("value", "low", "high"))
            yield Measured(NAMES[row["metric"]], row["metric"], value, low, high, int(row["n"]), group)


def _calibration(proba: Floats, found: Evaluation) -> Measured:
    (error,) = found.estimate(metrics.expected_calibration_error, found.y, proba, n_bins=BINS)
    assert isinstance(error, Estimate)
    name = "expected_calibration_error"
    return Measured("calibration error", name, error.value, error.low, error.high, len(found.y))


def _languages(study: Study) -> list[str]:
    """Codes of the languages that make up at least a hundredth of the posts, where an attribute says them."""
    column = next((name for name in LANGUAGES if name in study.settings.posts.attributes), None)
    if column is None:
        return []
    shares = study.posts().frame([column])[column].dropna().astype(str).str.lower().value_counts(normalize=True)
    return [str(code) for code in shares.index[shares >= 0.01] if 2 <= len(str(code)) <= 3]
