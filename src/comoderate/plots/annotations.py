"""What raters did: how many answers posts got, and what was answered, follow-ups given their condition."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from comoderate.plots.arrays import Floats, unique
from comoderate.plots.axes import legend_above, legend_height, percent_axis, rows_of_names
from comoderate.plots.display import Display
from comoderate.plots.numbers import count, percent, shorten
from comoderate.plots.style import INK, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 12


class AnnotationsPerPostDisplay(Display):
    """How many posts got one annotation, two, three, …, by cohort (Delisle et al. 2019, Figure 1).

    Args:
        ratings: for each cohort an array with the number of annotations of each of its posts.
        title: what is shown.

    Numbers above 12 share the last bar.
    """

    def __init__(self, ratings: Mapping[str, ArrayLike], *, title: str = "Annotations a post") -> None:
        self.ratings = {name: np.asarray(values, dtype=np.int64).ravel() for name, values in ratings.items()}
        if any((values < 0).any() for values in self.ratings.values()):
            raise ValueError("numbers of annotations must not be negative")
        self.title = title

    @property
    def height(self) -> float:
        """Inches: the axes and the legend."""
        return 2.6 + legend_height(len(self.ratings))

    @property
    def counts(self) -> dict[str, np.ndarray]:
        """Posts by number of annotations (0 to the most, at most 12 and more), for each cohort."""
        top = min(max((int(v.max()) for v in self.ratings.values() if len(v)), default=1), _MOST)
        return {name: np.bincount(np.minimum(v, top), minlength=top + 1) for name, v in self.ratings.items()}

    def _draw(self, ax: Axes, panel: int) -> None:
        counts = self.counts
        width = 0.8 / max(len(counts), 1)
        size = max((len(c) for c in counts.values()), default=1)
        for index, (name, posts) in enumerate(counts.items()):
            place = np.arange(size) + (index - (len(counts) - 1) / 2) * width
            ax.bar(place, posts, width=width, color=colour(index), label=shorten(name, 48))
        more = any((v > _MOST).any() for v in self.ratings.values())
        first = int(not any(c[0] for c in counts.values()))
        names = [str(n) for n in range(first, size - 1)] + [f"{size - 1}+" if more else str(size - 1)]
        ax.set_xticks(range(first, size), labels=names)
        ax.set_xlim(first - 0.6, size - 0.4)
        ax.yaxis.set_major_formatter(lambda v, _: count(v) if float(v).is_integer() else "")
        ax.grid(visible=False, axis="x")
        ax.set_xlabel("annotations a post")
        ax.set_ylabel("posts")
        legend_above(ax)

    def describe(self) -> str:
        """Posts, annotations and the commonest number for each cohort."""
        told = []
        for name, values in self.ratings.items():
            often = int(np.bincount(values).argmax()) if len(values) else 0
            told.append(
                f"{name}: {count(len(values))} posts with {count(float(values.sum()))} annotations, most often {often}"
            )
        return f"Bars: {'; '.join(told)}."


@dataclass(frozen=True)
class Answers:
    """The answers to one question.

    Attributes:
        question: as it was asked.
        answers: the possible answers, in the codebook's order.
        shares: for each cohort the share of its asked annotations (or posts) that gave each answer, in [0, 1]; they
            need not sum to 1 where several answers may be given.
        asked: for each cohort how many were asked.
        condition: when the question is asked ('if not “No”'); empty for the first question.
    """

    question: str
    answers: Sequence[str]
    shares: Mapping[str, ArrayLike]
    asked: Mapping[str, int]
    condition: str = ""


class AnswersDisplay(Display):
    """What was answered, a panel a question; follow-ups among those that were asked (Delisle et al. 2019, Figure 1).

    Args:
        questions: the questions in the order of asking.
        title: what is shown.
    """

    def __init__(self, questions: Sequence[Answers], *, title: str = "What raters answered") -> None:
        if not questions:
            raise ValueError("there must be at least one question")
        self.questions, self.title = list(questions), title
        self.cohorts = unique([cohort for q in self.questions for cohort in q.shares])
        for question in self.questions:
            for cohort, shares in question.shares.items():
                if np.shape(shares) != (len(question.answers),):
                    raise ValueError(f"{question.question}: {cohort} needs {len(question.answers)} shares")

    @property
    def panels(self) -> int:
        """One a question."""
        return len(self.questions)

    @property
    def height(self) -> float:
        """Inches: a line an answer and cohort, and each panel's title."""
        rows = sum(len(q.answers) for q in self.questions)
        per_row = 0.14 + 0.14 * len(self.cohorts)
        return rows * per_row + 0.85 * self.panels + legend_height(len(self.cohorts)) + 0.3

    def _axes(self, ax: Axes | Sequence[Axes] | None) -> list[Axes]:
        if ax is not None:
            return super()._axes(ax)
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width, self.height), layout="constrained")
        rows = [len(q.answers) + 1.0 for q in self.questions]
        grid = figure.subplots(self.panels, 1, squeeze=False, sharex=True, height_ratios=rows)
        return list(grid.ravel())

    def _draw(self, ax: Axes, panel: int) -> None:
        question = self.questions[panel]
        thick = 0.8 / max(len(self.cohorts), 1)
        for index, cohort in enumerate(self.cohorts):
            if cohort in question.shares:
                shares: Floats = np.asarray(question.shares[cohort], dtype=np.float64)
                place = np.arange(len(shares)) + (index - (len(self.cohorts) - 1) / 2) * thick
                ax.barh(place, shares, height=thick, color=colour(index), label=shorten(cohort, 48))
        rows_of_names(ax, [shorten(answer, 26) for answer in question.answers])
        asked = ", ".join(_asked(n, shorten(cohort, 20)) for cohort, n in question.asked.items())
        condition = f"{question.condition}: " if question.condition else ""
        heading = textwrap.wrap(shorten(condition + question.question, 80), 42)
        ax.set_title("\n".join([*heading, f"asked {asked}"]), fontsize=9.5, color=INK, loc="left")
        ax.set_xlim(left=0)
        if panel == self.panels - 1:
            ax.set_xlabel("share of those asked (%)")
        percent_axis(ax, "x")
        if panel == 0 and len(self.cohorts) > 1:
            legend_above(ax, columns=2)
            self._move_title(ax)

    def _move_title(self, ax: Axes) -> None:
        """Room for the legend between a title and its axes."""
        ax.set_title(ax.get_title(loc="left"), fontsize=9.5, color=INK, loc="left", pad=22 * -(-len(self.cohorts) // 2))

    def describe(self) -> str:
        """Each question's answers with their shares."""
        told = []
        for question in self.questions:
            for cohort, shares in question.shares.items():
                given = ", ".join(f"{a} {percent(float(s))}" for a, s in zip(question.answers, np.asarray(shares)))
                when = f" ({question.condition})" if question.condition else ""
                told.append(f"{question.question}{when}, {cohort}: {given}.")
        return "Bars. " + " ".join(told)


def _asked(n: int, cohort: str) -> str:
    return f"{'once' if n == 1 else f'{count(n)} times'} of {cohort}"
