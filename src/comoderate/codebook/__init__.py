"""What raters are asked, and what their answers mean for a policy."""

from comoderate.codebook.conditions import Answers, Condition, holds
from comoderate.codebook.questions import Codebook, Kind, Question
from comoderate.codebook.targets import Aggregation, Target, Ties

__all__ = ["Aggregation", "Answers", "Codebook", "Condition", "Kind", "Question", "Target", "Ties", "holds"]
