"""Does the base work without its extras? Imports every room as if only the base were installed.

What the base brings is computed from the installed packages' own metadata; every other package is hidden from a
subprocess, as if it were not there. Two things must hold: each room can be imported (``web``, which has an extra of
its own, may instead say in one line to install it), and ``comoderate --help`` works. With everything in reach, that
help must still load neither torch nor transformers.

    python scripts/check_bare.py     exit 1 with a line a finding
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
EXTRA = {"web": "comoderate[web]"}  # rooms that may ask for an extra, and the words that must be in their one line
HEAVY = {"torch", "transformers"}

HIDE = """
import json, sys
from importlib.machinery import PathFinder
hidden = set(json.loads(sys.argv[1]))
class Bare:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else PathFinder.find_spec(name, path, target)
sys.meta_path[:] = [Bare if finder is PathFinder else finder for finder in sys.meta_path]
"""
IMPORT = """
import importlib
found = {}
for name in json.loads(sys.argv[2]):
    try:
        importlib.import_module("comoderate." + name)
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""
HELP = """
import json, sys
wanted = json.loads(sys.argv[2])
sys.argv = ["comoderate", "--help"]
code = 0
try:
    from comoderate.cli import main
    code = main()
except SystemExit as stop:
    code = stop.code
loaded = sorted({name.partition(".")[0] for name in sys.modules} & set(wanted))
print(json.dumps([code or 0, loaded]))
"""


def normal(name: str) -> str:
    """A distribution's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def base_distributions() -> set[str]:
    """Every distribution that installing Comoderate without an extra brings, with Comoderate itself."""
    found: set[tuple[str, str]] = set()
    waiting = [("comoderate", "")]
    while waiting:
        pair = waiting.pop()
        if pair in found:
            continue
        found.add(pair)
        try:
            lines = requires(pair[0]) or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, lines):
            if requirement.marker is None or requirement.marker.evaluate({"extra": pair[1]}):
                waiting += [(normal(requirement.name), extra) for extra in ("", *requirement.extras)]
    return {name for name, _ in found}


def outside_base() -> list[str]:
    """Top-level modules that only an extra or a tool of development brings."""
    base = base_distributions()
    return sorted(top for top, owners in packages_distributions().items() if not base & {normal(o) for o in owners})


def child(code: str, *arguments: object) -> tuple[str, str]:
    """Run ``code`` in a fresh interpreter; the last line of its stdout, and its stderr."""
    command = [sys.executable, "-c", code, *(json.dumps(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return (done.stdout.splitlines() or [""])[-1], done.stderr.strip()


def import_findings(hidden: list[str]) -> list[str]:
    """Rooms and shared modules that cannot be imported with ``hidden`` out of reach."""
    source = ROOT / "src" / "comoderate"
    names = sorted(path.parent.name for path in source.glob("*/__init__.py"))
    names += sorted(path.stem for path in source.glob("*.py") if not path.stem.startswith("__"))
    line, errors = child(HIDE + IMPORT, hidden, names)
    if not line:
        return [f"the rooms cannot be imported in a bare process: {errors}"]
    broken = {room: error for room, error in json.loads(line).items() if EXTRA.get(room, "\n") not in error}
    return [f"comoderate.{room} does not import without the extras: {error}" for room, error in broken.items()]


def help_findings(code: str, hidden: list[str], unwanted: set[str], how: str) -> list[str]:
    """What is wrong with ``comoderate --help``."""
    line, errors = child(code, hidden, sorted(unwanted))
    if not line.startswith("["):
        return [f"comoderate --help fails {how}: {(errors.splitlines() or [line])[-1]}"]
    status, loaded = json.loads(line)
    found = [f"comoderate --help exits {status} {how}"] if status else []
    return found + ([f"comoderate --help loads {', '.join(loaded)}"] if loaded else [])


def main() -> int:
    """Print the findings; 1 if there are any."""
    hidden = outside_base()
    found = [
        *import_findings(hidden),
        *help_findings(HIDE + HELP, hidden, set(), "without the extras"),
        *help_findings(HELP, hidden, HEAVY, "with everything installed"),
    ]
    print("\n".join(found) or f"The base works alone ({len(hidden)} modules hidden)")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
