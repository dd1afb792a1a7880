"""One page that tells a study's results: displays and sentences arranged, nothing computed."""

from comoderate.report.content import ReportContent, ReportSection, SampleNote, TargetNote
from comoderate.report.page import render

__all__ = ["ReportContent", "ReportSection", "SampleNote", "TargetNote", "render"]
