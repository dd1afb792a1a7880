"""What a report says of services that received texts, and of scorers that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from comoderate.report import ReportSection

if TYPE_CHECKING:
    from comoderate.study.study import Study


def services_section(study: Study) -> ReportSection | None:
    """Which services received the texts of how many posts; None where no text left the machine."""
    rows = []
    for name, own in study.settings.scorer.items():
        record = study.artefacts.record(f"scores:{name}")
        if own.service is None or record is None:
            continue
        told = record["summary"]
        failed = sum(told.get("errors", {}).values())
        rows.append(
            {
                "scorer": name,
                "service": own.service.service().host,
                "posts sent": int(told["posts"]),
                "without an answer": failed,
                "version": str(told["version"]),
            }
        )
    if not rows:
        return None
    hosts = ", ".join(dict.fromkeys(row["service"] for row in rows))
    sentences = [
        f"The texts of all posts were sent to: {hosts}. Whoever runs it could read them, and may have kept them.",
        "A version changes when the service answers some fixed texts differently than before; then it scored all anew.",
    ]
    return ReportSection(
        title="Services that received texts", sentences=sentences, tables=[("Services", pd.DataFrame(rows))]
    )


def scorer_warnings(study: Study, target: str) -> list[str]:
    """What to know about the scorers of a target: which are left out and why, which have gaps."""
    found = []
    comparable = study.comparable(target)
    for name, own in study.settings.scorer.items():
        if not own.compare or study.target_of(name) != target:
            continue
        if name not in comparable:
            why = study.pipeline.missing.get(f"scores:{name}", "")
            found.append(f"Scorer “{name}” is left out{f': {why}' if why else ''}.")
            continue
        for stage in (f"model:{name}", f"scores:{name}"):
            told = (study.artefacts.record(stage) or {"summary": {}})["summary"]
            found += [f"Scorer “{name}”: {text}." for text in told.get("warnings", [])]
    return found
