"""Write docs/cli.md, docs/study.md and docs/python.md from the code, and docs/benchmarks.md from the runs' files.

`python scripts/generate_docs.py` writes them; a test fails where they are not what the code says.
"""

from __future__ import annotations

import csv
import inspect
import json
import re
import textwrap
import types
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from comoderate.cli.app import app
from comoderate.papers import both_ways
from comoderate.papers.results import markdown
from comoderate.study import Study
from comoderate.study.settings import Settings

DOCS = Path(__file__).parent.parent / "docs"
RUNS = Path(__file__).parent.parent / "benchmark"

BENCHMARKS = """# The three papers, published beside measured

What `comoderate benchmark` found on the data at hand: see [The papers, reproduced](papers.md) for how to run it on
yours. This page is made from the runs' own files, which lie under `benchmark/`.
"""

CLAIMS = """Each claim of the three papers that a run can judge, and on which data its 95 % interval decides it. The
numbers, measures and intervals are in the parts below."""

WORDS = ("holds", "does not hold", "open")

COMMANDS = """# Commands

`comoderate` has a command for each stage of a study, one that does all of them, and one that shows them at work on
invented posts. Each works on a study: a folder with a [`study.toml`](study.md), by default the folder you are in.

```
comoderate init abuse --posts tweets.csv    # a folder with a study.toml whose columns are guessed: look through it
comoderate run abuse                        # everything that it asks for, and the report
comoderate evaluate abuse --by week         # one stage, broken down
comoderate demo                             # the whole loop on invented posts, each estimate beside the truth
```

A command first makes whatever it needs that is missing, or that no longer follows from the files and settings there
are; nothing else is made again, and the time of a file plays no part. Stopped by Ctrl-C, the same command goes on where
it stopped.

Results go to standard output, progress to standard error. `--json` prints a result whole, for programs; tables for
people show four digits and leave columns out, and on a terminal that is too narrow come in parts below each other.

| exit code | meaning |
|---|---|
| 0 | All is well. |
| 1 | The input is wrong. One line says what, where (file, column, row) and what to do; the study is as it was. |
| 2 | The command was written wrongly. |
| 130 | Stopped by Ctrl-C. |
"""

STUDY = """# study.toml

A study is a folder, and its `study.toml` says everything that Comoderate is asked to do in it: where posts and answers
come from, what raters were asked, what counts as positive, how posts are drawn, which scorers are compared. `comoderate
init` writes one to start from. A key that is not in the tables below is refused, with the nearest right one.

## An example

Posts with a time, volunteers who answered, a word list that finds more of what is rare, and two scorers:

```toml
{example}```

`NAME` below stands for a name of your choice: letters, digits, `-` and `_`. Paths are relative to `study.toml`.
"""

EXAMPLE = """[study]
title = "Abuse of candidates"
question = "How many posts to candidates are abusive, and what finds them?"
seed = 2019
format = 1

[posts]
path = "posts.csv"
text = "tweet"
created_at = "sent"
author = "user"
attributes = { party = "party" }
missing_text = "drop"

[totals]                            # where only a part of each day's posts is in hand
path = "totals.csv"

[annotations.volunteers]
form = "long"                       # a row an answer
path = "volunteers.csv"
cohort = "volunteers"
rater_id = "rater"
question = "question"
answer = "answer"
source = "sample"

[codebook.question.problem]
text = "Does the post contain problematic or abusive content?"
kind = "ordinal"
answers = ["No", "Problematic", "Abusive"]

[codebook.question.kind]
text = "Which kinds of abuse?"
kind = "multiple"
answers = ["insult", "threat"]
when = { problem = ["Problematic", "Abusive"] }

[target.abusive]
question = "problem"
at_least = "Problematic"

[sample.main]
design = "stratified"               # by day, in proportion to the totals
size = 3000
enrich = { scorer = "words", size = 500 }

[scorer.words]
kind = "lexicon"
words = ["idiot", "liar"]
compare = false

[scorer.bayes]
kind = "naive_bayes"

[scorer.regression]
kind = "tfidf_logistic"

[evaluate]
by = ["week", "party"]

[review]
capacity = 500
"""


# Commands


def commands_page() -> str:
    """All of docs/cli.md."""
    group: Any = typer.main.get_command(app)
    parts = [COMMANDS, "\n## Before the command\n\n`comoderate [options] command …`\n"]
    parts += _table(("option", "default", "meaning"), map(_option, _shown(group)))
    for name, command in group.commands.items():
        parts.append(
            f"\n## comoderate {name}\n\n{_prose(command.help)}\n\n```\ncomoderate {_usage(name, command)}\n```\n"
        )
        parts += _table(("argument or option", "default", "meaning"), map(_option, _shown(command)))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts).rstrip()) + "\n"


def _shown(command: Any) -> list[Any]:
    return [parameter for parameter in command.params if parameter.name != "help"]


def _usage(name: str, command: Any) -> str:
    arguments = filter(_is_argument, command.params)
    return " ".join([name, *(_metavar(p) if p.required else f"[{_metavar(p)}]" for p in arguments), "[options]"])


def _metavar(parameter: Any) -> str:
    return str(parameter.name).upper()


def _option(parameter: Any) -> tuple[str, str, str]:
    if _is_argument(parameter):
        return f"`{_metavar(parameter)}`", _default(parameter), parameter.help or ""
    taken = "" if parameter.is_flag else f" {_taken(parameter)}"
    return f"`{', '.join(parameter.opts)}{taken}`", _default(parameter), parameter.help or ""


def _taken(parameter: Any) -> str:
    """The placeholder of an option's value; some help texts begin with their own (``NAME=FILE …``)."""
    first = (parameter.help or "").split(" ")[0].rstrip(":")
    words = {int: "N", float: "NUMBER", Path: "FILE"}
    return first if "=" in first else words.get(parameter.type_descriptor.annotation, "TEXT")


def _is_argument(parameter: Any) -> bool:
    return not str(parameter.opts[0]).startswith("-")


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    value = parameter.default
    return "" if value in (None, False, "", 0) else f"`{value}`"


def _prose(text: str | None) -> str:
    """A help text with its paragraphs filled."""
    return "\n\n".join(_fill(paragraph) for paragraph in (text or "").split("\n\n"))


def _fill(paragraph: str) -> str:
    return textwrap.fill(" ".join(paragraph.split()), 120, break_long_words=False, break_on_hyphens=False)


# Keys of study.toml


def study_page() -> str:
    """All of docs/study.md."""
    parts = [STUDY.replace("{example}", EXAMPLE)]
    for path, model, required in tables(Settings):
        needed = " Required." if required else ""
        parts.append(f"\n## [{path}]\n\n{_fill(_about(model) + needed)}\n")
        rows = [(f"`{n}`", _type(f.annotation, f), _default_value(f), f.description or "") for n, f in keys(model)]
        parts += _table(("key", "type", "default", "meaning"), rows)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts).rstrip()) + "\n"


def tables(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, type[BaseModel], bool]]:
    """Every table of a settings class, outermost first: its path, its class, and whether it must be there."""
    for name, field in model.model_fields.items():
        inner, named = _inner(field.annotation)
        if inner is not None:
            below = f"{path}.{name}".lstrip(".") + (".NAME" if named else "")
            yield below, inner, field.is_required()
            yield from tables(inner, below)


def keys(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """The keys of one table that are no tables with a heading of their own."""
    held = model.model_fields.items()
    return [(field.alias or name, field) for name, field in held if _inner(field.annotation)[0] is None]


def _inner(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The settings class inside an annotation, if any, and whether names of one's own lead to it."""
    if get_origin(annotation) is dict:
        return _inner(get_args(annotation)[1])[0], True
    if get_origin(annotation) is tuple:
        return _inner(get_args(annotation)[0])
    for part in (annotation, *(get_args(annotation) if _is_union(annotation) else ())):
        if isinstance(part, type) and issubclass(part, BaseModel):
            return part, False
    return None, False


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, types.UnionType)


def _about(model: type[BaseModel]) -> str:
    """The first paragraphs of a class's docstring, without markup that only the code's readers need."""
    paragraphs = (model.__doc__ or "").split("\n\n")
    return " ".join(paragraphs[0].split()).replace("``", "`")


def _type(annotation: Any, field: FieldInfo | None = None) -> str:
    if get_origin(annotation) is Annotated:
        return _type(get_args(annotation)[0])
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if _is_union(annotation):
        kinds = dict.fromkeys(_type(one) for one in arguments if one is not type(None))
        return " or ".join(kinds) + _range(field)
    if get_origin(annotation) is dict:
        return f"table of {_plural(_type(arguments[1]))}"
    if get_origin(annotation) in (list, tuple):
        return f"list of {_plural(_type(arguments[0]))}"
    names: dict[Any, str] = {str: "text", int: "whole number", float: "number", bool: "`true` or `false`", Any: "value"}
    return names.get(annotation, "value") + _range(field)


def _plural(kind: str) -> str:
    if " or " in kind:
        return "values"
    first, space, rest = kind.partition(" of ")
    return (first if first == "text" else f"{first}s") + space + rest


def _range(field: FieldInfo | None) -> str:
    limits = {name: getattr(one, name) for one in (field.metadata if field else ()) for name in vars_of(one)}
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    said = [f"{words[name]} {limits[name]:g}" for name in words if limits.get(name) is not None]
    return f", {', '.join(said)}" if said else ""


def vars_of(one: Any) -> list[str]:
    """Which limits a constraint of a key sets."""
    return [name for name in ("ge", "gt", "le", "lt") if hasattr(one, name)]


def _default_value(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", (), [], {}):
        return ""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _table(heading: tuple[str, ...], rows: Any) -> list[str]:
    lines = [heading, ("---",) * len(heading), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


PYTHON = """# A study in Python

```python
from comoderate.study import Study

study = Study.open("mystudy")                      # the folder with study.toml
study.run()                                        # what is up to date is skipped
table = study.prevalence("abusive", "main", by=["week"])
```

Every stage of the [command line](cli.md) is a method, and every table is a pandas frame. An estimate is a row with
`value`, `se`, `low`, `high`, `level`, `method`, `n`, `n_effective` and `reason`. `help(Study.labelled)` says more, and
so for the others. A mistake in the input raises `comoderate.errors.ComoderateError`, with one line that says what is
wrong, where, and what to do.
"""


def python_page() -> str:
    """All of docs/python.md."""
    members = [(name, member) for name, member in vars(Study).items() if not name.startswith("_")]
    methods = [(name, member) for name, member in members if callable(member) or isinstance(member, classmethod)]
    rows = [(f"`{name}{_call(member)}`", _summary(member)) for name, member in methods]
    return "\n".join([PYTHON, *_table(("method", "what it does"), rows), ""])


def _call(member: Any) -> str:
    parameters = inspect.signature(getattr(member, "__func__", member)).parameters.values()
    shown = [f"{p.name}=" if p.kind is p.KEYWORD_ONLY else p.name for p in parameters if p.name not in {"self", "cls"}]
    return f"({', '.join(shown)})"


def _summary(member: Any) -> str:
    return (inspect.getdoc(member) or "").split("\n\n")[0].replace("\n", " ")


def benchmarks_page() -> str:
    """The page on the papers: their claims, then a part for each run, from the files that it left under benchmark/."""
    runs = sorted(path.parent for path in RUNS.glob("*/run.json"))
    return BENCHMARKS + _claims(runs) + "".join("\n" + _run_part(folder) + _both_ways(folder) for folder in runs)


def _claims(folders: list[Path]) -> str:
    """Every claim that a run judged: on how much of the data it holds, does not hold, or is open."""
    lines = ["", "## Which claims hold, in short", "", CLAIMS, ""]
    lines += ["| claim | holds | does not hold | open |", "|---|---|---|---|"]
    for folder in folders:
        with (folder / "tables" / "claims.csv").open(encoding="utf-8", newline="") as rows:
            verdicts = list(csv.DictReader(rows))
        for claim in dict.fromkeys(row["claim"] for row in verdicts):
            own = [row for row in verdicts if row["claim"] == claim]
            cells = [_places([row for row in own if row["verdict"] == word]) for word in WORDS]
            lines.append(f"| {claim} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _places(rows: list[dict[str, str]]) -> str:
    """On which data, and how many of the measures there if a claim has several."""
    counts = Counter(row["where"] for row in rows)
    return ", ".join(where if count == 1 else f"{where} ({count} measures)" for where, count in counts.items()) or "–"


def _run_part(folder: Path) -> str:
    """A run's own page as a part of another: headings one level lower, links from here."""
    paper = json.loads((folder / "run.json").read_text(encoding="utf-8"))["paper"]
    text = (folder / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"^(#+) ", r"#\1 ", text, flags=re.MULTILINE)
    text = re.sub(r"\]\((tables|figures)/", rf"](../benchmark/{folder.name}/\1/", text)
    return text.replace("\n", f"\n\n`comoderate benchmark {paper}`\n", 1)


def _both_ways(folder: Path) -> str:
    """What a run changes whose corrections are all off, where there is one below the folder of the corrected run."""
    below = folder / "as-published"
    corrected, published = both_ways.run_of(folder), both_ways.run_of(below)
    if corrected is None or published is None or not both_ways.comparable(corrected, published):
        return ""
    page = f" ([that run's own page](../benchmark/{folder.name}/{below.name}/README.md))"
    tables = (both_ways.tables_of(folder), both_ways.tables_of(below))
    part = both_ways.section(*tables, (corrected, published), page=page)
    assert part.shown is not None
    told = [line for sentence in part.sentences for line in (sentence, "")]
    return "\n".join(["", f"### {part.title}", "", *told, *markdown(part.shown), ""])


PAGES = {
    "cli.md": commands_page,
    "study.md": study_page,
    "python.md": python_page,
    "benchmarks.md": benchmarks_page,
}

if __name__ == "__main__":
    DOCS.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
