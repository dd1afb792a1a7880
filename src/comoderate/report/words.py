"""Names and numbers of frames in a reader's words."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from comoderate.plots import count, number, percent

if TYPE_CHECKING:
    import pandas as pd

METRICS: dict[str, tuple[str, str, bool]] = {
    # name in frames: heading, glossary term, written as a percentage
    "precision": ("Precision", "precision", True),
    "recall": ("Recall", "recall", True),
    "f1": ("F1", "f1", True),
    "threshold": ("Threshold", "threshold", False),
    "average_precision": ("Average precision", "average-precision", False),
    "auroc": ("AUROC", "auroc", False),
    "accuracy": ("Accuracy", "accuracy", True),
    "prevalence": ("Prevalence", "prevalence", True),
    "brier_score": ("Brier score", "brier-score", False),
    "expected_calibration_error": ("Calibration error", "calibration-error", True),
    "oracle_collaborative_accuracy": ("Right decisions", "oc-acc", True),
    "oracle_collaborative_auroc": ("AUROC of the pair", "oc-auroc", False),
    "oracle_collaborative_average_precision": ("Average precision of the pair", "oc-auroc", False),
    "review_efficiency": ("Review efficiency", "review-efficiency", True),
    "review_effectiveness": ("Review effectiveness", "review-effectiveness", True),
}
STATISTIC_TERMS = {"Fleiss' κ": "kappa", "Cohen's κ": "kappa", "ICC(1,1)": "icc", "Krippendorff's α": "alpha"}
STATISTIC_TERMS |= {"Gwet's AC1": "ac1", "Gwet's AC2": "ac1", "Percent agreement": "percent-agreement"}


def is_missing(value: Any) -> bool:
    """Whether a frame's cell holds nothing: None, NaN, NA or NaT."""
    if value is None or isinstance(value, str):
        return value is None
    return str(value) in ("<NA>", "NaT", "nan")


def text_of(value: Any) -> str:
    """A cell as text, empty where it holds nothing."""
    return "" if is_missing(value) else str(value)


def listed(words: Iterable[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    *head, last = list(words) or [""]
    return f"{', '.join(head)} and {last}" if head else last


def quoted(name: Any) -> str:
    """A study's own name for something, in quotation marks."""
    return f"“{name}”"


def metric_name(metric: str) -> str:
    """A metric's heading."""
    return METRICS[metric][0] if metric in METRICS else metric.replace("_", " ").capitalize()


def is_percentage(metric: str) -> bool:
    """Whether a metric or statistic is written as a percentage."""
    return METRICS[metric][2] if metric in METRICS else metric.startswith("percent")


def estimate(row: pd.Series[Any], *, percentage: bool = True) -> str:
    """A row's value with its interval; where it is undefined, why."""
    if is_missing(row["value"]):
        reason = text_of(row["reason"])
        return f"undefined ({reason})" if reason else "undefined"
    low, high = (float("nan") if is_missing(row[end]) else float(row[end]) for end in ("low", "high"))
    return (percent if percentage else number)(float(row["value"]), low, high)


def whole(value: Any) -> str:
    """A count, or 'unknown'."""
    return "unknown" if is_missing(value) else count(float(value))


def several(n: Any, what: str) -> str:
    """'1 post', '1,234 posts', '1 post with two answers', '3 posts with two answers'."""
    thing, space, rest = what.partition(" ")
    return f"{whole(n)} {thing}{'' if n == 1 else 's'}{space}{rest}"


def level(frame: pd.DataFrame) -> str:
    """The nominal level of the frame's intervals ('95 %'), several joined."""
    found = dict.fromkeys(f"{100 * float(v):g} %" for v in frame["level"] if not is_missing(v))
    return listed(found) or "95 %"


def as_day(group: Any) -> str | None:
    """The ISO date of a day (2026-11-30), week (2026-W48) or month (2026-11) named by ``group``; None for others."""
    name = text_of(group).removesuffix(" 00:00:00")
    try:
        if "W" in name:
            return datetime.strptime(f"{name.replace('-', '')}1", "%GW%V%u").date().isoformat()
        return date.fromisoformat(f"{name}-01" if len(name) == 7 else name).isoformat()
    except ValueError:
        return None
