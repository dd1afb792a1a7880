"""A model's README: what it was trained on, how good it is, what it is for, and what it must not be trusted with."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

README = "README.md"
LIMITS = (
    "Probabilities are the model's own. Calibrate them on labelled posts of the stream that it is to be used on before "
    "a threshold or a queue relies on them.",
    "The numbers above speak of the posts that the sample stands for, at the time they were drawn. Language changes: "
    "measure again.",
    "A probability says nothing of who wrote a post. Counter-speech, quotation and words that a group has reclaimed "
    "for itself are easily taken for abuse.",
    "Only texts were read: no image, no link, no conversation around the post.",
)
"""What holds for every model that is trained here."""

WEAK = "Where it is known to be weak"
USED = """In a study, as a scorer:

```toml
[scorer.{name}]
kind = "model"
path = "…"          # this folder
```

In Python: `comoderate.models.load(folder).predict_proba(texts)`, where `folder` is {folder}. No code in it is run."""
UNKNOWN = "No accuracy surface of this version has been assessed, so no weak group of posts is known."
ALL = "all posts"
"""The group of measures that speak of all posts."""


class Measured(NamedTuple):
    """One measure of the model, with its interval.

    Attributes:
        name: as people call it.
        key: as the hub calls it.
        value, low, high: the estimate and its interval; NaN where undefined.
        n: posts that it rests on.
        group: which posts: all, or the group of an attribute.
    """

    name: str
    key: str
    value: float
    low: float
    high: float
    n: int
    group: str = ALL


class Bin(NamedTuple):
    """One bin of a reliability diagram: mean probability, share of positives there, share of all weight."""

    predicted: float
    observed: float
    share: float


@dataclass(frozen=True, kw_only=True)
class Card:
    """What a model card says.

    Attributes:
        name: of the scorer.
        version: ten hex digits.
        kind: of the model.
        task: what a positive post is, in a sentence.
        data: what it was trained on, a line each.
        options: settings of the model that were chosen.
        study: title of the study.
        truth: whose labels measure it.
        measured: measures, those on all posts first.
        threshold: where F1 is best on all posts: the probability at which F1, precision and recall are measured.
        bins: reliability of the probabilities.
        weak: arms or groups on which it is known to be weak, a line each.
        use: what it is meant for.
        notes: further limits of this model.
        languages: codes of the languages of the training texts, where known.
        base: name of the encoder that it started from.
        folders: names of the folders of its models; none where the card lies in the model's own folder.
    """

    name: str
    version: str
    kind: str
    task: str
    data: Sequence[str]
    study: str
    truth: str
    measured: Sequence[Measured]
    options: Mapping[str, Any] = field(default_factory=dict)
    bins: Sequence[Bin] = ()
    weak: Sequence[str] = ()
    use: str = "To order posts for human review in the stream that it was measured on."
    notes: Sequence[str] = ()
    languages: Sequence[str] = ()
    base: str | None = None
    threshold: float = math.nan
    folders: Sequence[str] = ()

    def readme(self) -> str:
        """The page: front matter as the Hugging Face hub reads it, then Markdown."""
        parts = [
            f"# {self.name}",
            f"{self.task} Trained in the study “{self.study}”. Version `{self.version}`.",
            _section("Intended use", [f"{self.use} Not for deciding about people without a human who reads the post."]),
            _section("Training data", [_list(self.data)]),
            _section("Settings", [_list([f"`{name}`: {value}" for name, value in self.options.items()])]),
            _section("How to use it", [self._used()]),
            _section("How good it is", [self._measured_by(), _measures(self.measured), _groups(self.measured)]),
            _section("Do its probabilities mean what they say", [_reliability(self.bins)]),
            _section(WEAK, [_list(self.weak) or UNKNOWN]),
            _section("Limits", [_list([*LIMITS, *self.notes])]),
        ]
        return f"{self._front()}\n\n" + "\n\n".join(part for part in parts if part) + "\n"

    def _used(self) -> str:
        listed = ", ".join(f"`{one}`" for one in self.folders)
        several = "one of " if len(self.folders) > 1 else ""
        folder = f"{several}{listed} in this one" if self.folders else "this one"
        return USED.format(name=_key(self.name), folder=folder)

    def _measured_by(self) -> str:
        measured = f"Measured by the labels of {self.truth}."
        if self.threshold != self.threshold:
            return measured
        return (
            f"{measured} F1, precision and recall are those of calling a post positive from a probability of "
            f"{self.threshold:.3f}, where F1 is best on these posts; a cut chosen on the same posts flatters a little."
        )

    def _front(self) -> str:
        """YAML between two lines of dashes; texts are written as JSON, which is YAML too."""
        overall = [one for one in self.measured if one.group == ALL and one.value == one.value]
        metrics = [
            {"type": one.key, "name": f"{one.name} ({one.low:.3f} to {one.high:.3f})", "value": round(one.value, 4)}
            for one in overall
        ]
        result = {
            "task": {"type": "text-classification"},
            "dataset": {"name": self.study, "type": "private"},
            "metrics": metrics,
        }
        keys: dict[str, Any] = {
            "library_name": "comoderate",
            "pipeline_tag": "text-classification",
            "tags": ["content-moderation", self.kind],
            **({"language": list(self.languages)} if self.languages else {}),
            **({"base_model": self.base} if self.base else {}),
            "model-index": [{"name": self.name, "results": [result]}],
        }
        lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in keys.items()]
        return "\n".join(["---", *lines, "---"])


def with_weak(page: str, weak: Sequence[str]) -> str:
    """A card's page with other lines under :data:`WEAK`; unchanged where it has no such section.

    Args:
        page: as :meth:`Card.readme` gave it.
        weak: a line each.
    """
    before, heading, rest = page.partition(f"\n## {WEAK}\n")
    _, following, after = rest.partition("\n## ")
    return f"{before}{heading}\n{_list(weak) or UNKNOWN}\n{following}{after}" if heading else page


def _key(name: str) -> str:
    """A name as TOML's keys are written."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _section(title: str, paragraphs: Sequence[str]) -> str:
    held = [paragraph for paragraph in paragraphs if paragraph]
    return "\n\n".join([f"## {title}", *held]) if held else ""


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _measures(measured: Sequence[Measured]) -> str:
    """The measures on all posts, a row each."""
    rows = [
        (one.group, one.name, *(f"{value:.3f}" if value == value else "–" for value in one[2:5]), f"{one.n:,}")
        for one in measured
        if one.group == ALL
    ]
    return _table(("posts", "measure", "value", "from", "to", "labels"), rows) if rows else ""


def _groups(measured: Sequence[Measured]) -> str:
    """The measures on groups: a row a group, a column a measure."""
    cells = {(one.group, one.name): one for one in measured if one.group != ALL}
    labels: dict[str, int] = {}
    for (group, _), one in cells.items():
        labels[group] = max(labels.get(group, 0), one.n)
    names = dict.fromkeys(name for _, name in cells)
    rows = [(group, f"{n:,}", *(_cell(cells.get((group, name))) for name in names)) for group, n in labels.items()]
    return _table(("posts", "labels", *names), rows) if rows else ""


def _cell(one: Measured | None) -> str:
    if one is None or one.value != one.value:
        return "–"
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" if one.low == one.low else f"{one.value:.3f}"


def _reliability(bins: Sequence[Bin]) -> str:
    rows = [[f"{value:.3f}" for value in one] for one in bins]
    return _table(("mean probability", "share of positive posts", "share of all posts"), rows) if rows else ""
