"""Agreement on four real data sets, as a table: `python bench/agreement_data.py [FOLDER]`.

FOLDER holds the data sets davidson, convabuse, hatecheck and civil_comments; $COMODERATE_SHARED/data or
../shared/data by default.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from comoderate.agreement import (
    counts_from_annotations,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    intraclass_correlation,
    krippendorff_alpha,
    polarised_posts,
    rater_view,
    ratings_from_annotations,
    ratings_from_counts,
    systemic_disagreement,
)
from comoderate.metrics.estimate import Estimate

SEVERITY = ("is_abuse.1", "is_abuse.0", "is_abuse.-1", "is_abuse.-2", "is_abuse.-3")


def davidson(folder: Path) -> np.ndarray:
    frame = pd.read_csv(folder / "davidson" / "labeled_data.csv")
    return frame[["neither", "offensive_language", "hate_speech"]].to_numpy()


def convabuse(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Item, rater and severity from 0 (not abusive) to 4; a rater's last judgment stands."""
    frame = pd.read_csv(folder / "convabuse" / "ConvAbuseEMNLPfull.csv")
    item = frame.groupby(["conv_id", "prev_agent", "prev_user", "agent", "user"], dropna=False).ngroup()
    frame = frame.assign(item=item).drop_duplicates(["item", "annotator_id"], keep="last")
    rater = pd.factorize(frame["annotator_id"], sort=True)[0]
    return frame["item"].to_numpy(), rater, frame[list(SEVERITY)].to_numpy().argmax(axis=1)


def hatecheck(folder: Path) -> np.ndarray:
    frame = pd.read_csv(folder / "hatecheck" / "test_suite_annotations.csv")
    return frame[["count_label_nh", "count_label_h"]].to_numpy()


def civil_comments(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Item, rater and answer (not toxic 0, in part 1, all toxic 2); a rater's last answer stands."""
    frame = pd.read_csv(folder / "civil_comments" / "annotations.csv")
    frame = frame.drop_duplicates(["comment_id", "worker"], keep="last")
    answer = np.select([frame["not toxic"].astype(bool), frame["all toxic"].astype(bool)], [0, 2], 1)
    return pd.factorize(frame["comment_id"])[0], pd.factorize(frame["worker"])[0], answer


def row(name: str, counts: np.ndarray) -> str:
    """One line of the table; ordinal statistics only where there are three categories or more."""
    ratings = ratings_from_counts(counts)
    many = counts.shape[1] > 2
    found: list[Estimate | None] = [
        fleiss_kappa(counts),
        fleiss_kappa(counts, scale="quadratic") if many else None,
        intraclass_correlation(ratings),
        krippendorff_alpha(ratings, level="ordinal"),
        gwet_ac2(counts) if many else gwet_ac1(counts),
    ]
    cells = ["–" if e is None else str(e) for e in found]
    sizes = f"{(counts.sum(axis=1) > 0).sum():,} | {int(counts.sum()):,}"
    split = len(polarised_posts(counts))
    return f"| {name} | {sizes} | " + " | ".join(cells) + f" | {split:,} |"


def raters(name: str, item: np.ndarray, rater: np.ndarray, answer: np.ndarray) -> str:
    """A sentence on how far raters differ."""
    view = rater_view(item, rater, answer)
    enough = [r for r in view if r.agreement.reason is None]
    values = [r.agreement.value for r in enough]
    worse = sum(r.agreement.high < np.median(values) for r in enough)
    drift = sum(r.drift.low > 0 or r.drift.high < 0 for r in enough)
    return (
        f"{name}: {len(view):,} raters, {len(enough):,} with enough shared posts to judge; their agreement with the "
        f"others is {np.min(values):.2f} to {np.max(values):.2f} (median {np.median(values):.2f}), for {worse} surely "
        f"below that median; {drift} drift."
    )


if __name__ == "__main__":
    default = Path(os.environ.get("COMODERATE_SHARED", Path(__file__).parents[2] / "shared")) / "data"
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    if not data.is_dir():
        raise SystemExit(f"the folder of real data sets is not there: {data}")
    print("| data | posts | annotations | κ | κ quadratic | ICC(1,1) | α ordinal | AC1 or AC2 | polarised |")
    print("|---" * 9 + "|")
    print(row("davidson", davidson(data)))
    judged, workers = convabuse(data), civil_comments(data)
    print(row("convabuse, severity", counts_from_annotations(judged[0], judged[2])))
    print(row("convabuse, abusive or not", counts_from_annotations(judged[0], (judged[2] >= 2).astype(int))))
    print(row("hatecheck", hatecheck(data)))
    print(row("civil_comments", counts_from_annotations(workers[0], workers[2])))
    table = ratings_from_annotations(*judged)
    print("\n" + raters("convabuse", judged[0], judged[1], judged[2]))
    print(raters("civil_comments", *workers))
    print("most ratings of a convabuse item:", int((~np.isnan(table)).sum(axis=1).max()))
    print(systemic_disagreement(fleiss_kappa(counts_from_annotations(workers[0], workers[2]))).sentence)
