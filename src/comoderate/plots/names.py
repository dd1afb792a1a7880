"""Readable names of statistics and metrics."""

from __future__ import annotations

STATISTICS: dict[str, str] = {
    "fleiss_kappa": "Fleiss' κ",
    "cohen_kappa": "Cohen's κ",
    "icc": "ICC(1,1)",
    "icc(1,1)": "ICC(1,1)",
    "intraclass_correlation": "ICC(1,1)",
    "krippendorff_alpha": "Krippendorff's α",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2": "Gwet's AC2",
    "percent_agreement": "Percent agreement",
}


def statistic_name(statistic: str) -> str:
    """A coefficient of agreement as it is written: "Fleiss' κ" for ``fleiss_kappa``; unknown ones in plain
    letters. What follows a comma ('weighted') stays."""
    name, comma, rest = statistic.partition(", ")
    return STATISTICS.get(name.lower(), name.replace("_", " ")) + comma + rest
