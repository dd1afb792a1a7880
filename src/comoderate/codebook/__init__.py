"""What raters are asked, and what their answers mean for a policy."""

from comoderate.codebook.conditions import Answers, Condition, holds
from comoderate.codebook.posts import ExamplePost, Qualification, in_language
from comoderate.codebook.questions import Codebook, Kind, Question
from comoderate.codebook.targets import Aggregation, Target, Ties
from comoderate.codebook.translation import Care, Resource, Translation, Video, answer_text, localised

__all__ = [
    "Aggregation", "Answers", "Care", "Codebook", "Condition", "ExamplePost", "Kind", "Qualification", "Question",
    "Resource", "Target", "Ties", "Translation", "Video", "answer_text", "holds", "in_language", "localised",
]  # fmt: skip
