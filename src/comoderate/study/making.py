"""What each stage does: read its inputs from the study's folder, call the room that knows how, write its outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate import __version__
from comoderate.corpus import atomic_folder, write_frame
from comoderate.errors import ComoderateError
from comoderate.study import (
    aggregating,
    annotating,
    assisting,
    carding,
    folding,
    forgetting,
    phases,
    pushed,
    ratings,
    tables,
)
from comoderate.study.loading import FILE
from comoderate.study.mixing import require_same_codebook
from comoderate.study.posts import FIRST_PHASE, import_posts, needed_columns
from comoderate.study.privacy import hash_key

if TYPE_CHECKING:
    from comoderate.study.study import Study

Summary = dict[str, Any]


def posts(study: Study, source: Path | None) -> Summary:
    """Import the posts: those of the file, and those that were pushed."""
    s = study.settings
    inbox = pushed.files(study.folder)
    counts = import_posts(
        None if source is None and inbox else _readable(study, source), s.posts, study.folder / "posts",
        seed=s.study.seed, key=hash_key(study.folder), inbox=inbox,
        progress=lambda done: study.listener.progress("posts", done),
        forgotten=forgetting.screen(study.folder),
    )  # fmt: skip
    return {**counts._asdict(), "columns": len(needed_columns(s.posts))}


def answers(study: Study, name: str, source: Path | None) -> Summary:
    """Import one file of annotations."""
    s = study.settings
    known = pd.Index(study.posts().frame(["post_id"])["post_id"])
    own = s.annotations[name]
    if own.path is None and name not in study.files:
        own = own.model_copy(update={"encoding": s.posts.encoding, "format": s.posts.format})
    with study.store() as store:
        counts = annotating.import_annotations(
            store, name, _readable(study, source), own, codebook=s.codebook, known_posts=known,
            post_id=s.posts.post_id, forgotten=forgetting.screen(study.folder),
        )  # fmt: skip
    return counts._asdict()


def _readable(study: Study, source: Path | None) -> Path:
    if source is None:
        raise ComoderateError(
            "no file of posts is named", where=study.folder / FILE, do="set path under [posts], or give --posts FILE"
        )
    if not source.exists():
        raise ComoderateError("there is no such file", where=source, do="check the path")
    return source


def revision(study: Study) -> int:
    """The number of the newest annotation, decisions of the review desk included; 0 where there is no store yet."""
    from comoderate.study import desk

    if study.settings.web.database is None and not (study.folder / "annotations.db").exists():
        return 0
    with study.store() as store:
        desk.collect(study, store.database)
        return store.revision()


def labels(study: Study) -> Summary:
    """Take a snapshot of the annotations, aggregate them for every target, and assign folds."""
    s, folder = study.settings, study.folder / "labels"
    with study.store() as store:
        require_same_codebook(study, store.database)
        annotating.withdraw_others(store, s.annotations)
        number, snapshot = store.revision(), store.snapshot()
    snapshot = snapshot[~forgetting.is_tombstone(snapshot["post_id"])].reset_index(drop=True)
    if snapshot.empty:
        raise ComoderateError("there are no annotations", where=study.folder, do="import some, see [annotations]")
    other = sorted(set(snapshot["codebook"]) - {s.codebook.label})
    if other:
        raise ComoderateError(
            f"some annotations answer another codebook ({other[0]}; the study has {s.codebook.label})",
            where=study.folder / FILE,
            do="give the codebook the name and version that they answer, or import them again",
        )
    metadata = {"revision": str(number), "seed": str(s.study.seed), "version": __version__}
    write_frame(snapshot, folder / "annotations.parquet", metadata)
    measuring = snapshot.loc[snapshot["source"].isin(ratings.MEASURING), "cohort"]
    counts: Summary = {"annotations": len(snapshot), "revision": number, "cohorts": sorted(measuring.unique())}
    for name, target in s.target.items():
        table = aggregating.label_table(snapshot[snapshot["source"].isin(ratings.TRAINING)], s.codebook, name, target)
        write_frame(table, folder / f"{name}.parquet", metadata)
        counts["warnings"] = [*counts.get("warnings", []), *aggregating.collapsed(table, name, target)]
        counts[name] = {"labelled": int(table["y"].notna().sum()), "positive": int(table["y"].eq(1).sum())}
    columns = [c for c in ("post_id", "text", "author", "thread") if c in study.posts().columns]
    annotated = study.posts().frame(columns, post_ids=snapshot["post_id"].unique())
    folds = folding.fold_table(annotated, n_folds=s.evaluate.folds, seed=s.study.seed)
    write_frame(folds, folder / "folds.parquet", metadata)
    return {**counts, "largest_group": folding.largest_share(folds)}


def sample(study: Study, name: str, *, stored: bool) -> Summary:
    """Draw a sample; ``stored``: by the random number stored with the posts, else by one of the sample's own."""
    draw = phases.draw(study, name, purpose=FIRST_PHASE if stored else f"sample:{name}")
    metadata = {"seed": str(study.settings.study.seed), "version": __version__}
    path = study.folder / "samples" / f"{name}.parquet"
    write_frame(draw.posts, path, metadata)
    write_frame(draw.strata, path.with_suffix(".strata.parquet"), metadata)
    counts = {str(phase): int(count) for phase, count in draw.posts["phase"].value_counts(sort=False).items()}
    return {"drawn": len(draw.posts), "phases": counts, "warnings": list(draw.warnings)}


def agreement(study: Study) -> Summary:
    """Measure agreement among raters."""
    return _save(study, "agreement", tables.agreement(study, study.settings.evaluate.by))


def prevalence(study: Study) -> Summary:
    """Estimate how much there is."""
    return _save(study, "prevalence", tables.prevalence(study, study.settings.evaluate.by))


def assisted(study: Study) -> Summary:
    """Estimate with the help of scorers."""
    return _save(study, "assisted", assisting.assisted_table(study))


def evaluation(study: Study) -> Summary:
    """Compare scorers, and write a card beside each model."""
    table, curves = tables.evaluation(study, study.settings.evaluate.by)
    _save(study, "curves", curves)
    carding.write_cards(study, table)
    return _save(study, "evaluation", table)


def report(study: Study) -> Summary:
    """Write the report."""
    from comoderate.report import render
    from comoderate.study.making_analysis import export_tables
    from comoderate.study.reporting import content

    page = render(content(study))
    with atomic_folder(study.folder / "report") as folder:
        (folder / "index.html").write_text(page, encoding="utf-8")
        export_tables(study, folder / "tables")
    return {"page": str(study.folder / "report" / "index.html"), "characters": len(page)}


def _save(study: Study, name: str, table: pd.DataFrame) -> Summary:
    write_frame(table, study.folder / "results" / f"{name}.parquet", {"version": __version__})
    return {"rows": len(table)}
