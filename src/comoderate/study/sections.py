"""The sections that a study adds to its report, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comoderate.report import ReportSection
from comoderate.study.agreement_sections import agreement_sections
from comoderate.study.analysis_sections import analysis_sections
from comoderate.study.assisting import assisted_section
from comoderate.study.review_sections import review_sections
from comoderate.study.service_sections import services_section
from comoderate.study.surface_sections import surface_sections

if TYPE_CHECKING:
    from comoderate.study.study import Study


def extra_sections(study: Study) -> list[ReportSection]:
    """All further sections that this study has something for."""
    found = [
        *analysis_sections(study),
        *agreement_sections(study),
        assisted_section(study.result("assisted")),
        *surface_sections(study),
        *review_sections(study),
        services_section(study),
    ]
    return [section for section in found if section is not None]
