"""A study: the folder in which posts, samples, labels, models and numbers of one investigation meet."""

from comoderate.study.labelled import LabelWarning
from comoderate.study.study import Study

__all__ = ["LabelWarning", "Study"]
