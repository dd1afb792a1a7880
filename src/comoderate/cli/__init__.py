"""The command line: one file a command; nothing is computed here."""

import sys

from comoderate.cli.interrupts import INTERRUPTED, STOPPED, after_imports

__all__ = ["main"]


def main() -> None:
    """Run the command line, as :func:`comoderate.cli.app.main` says; Ctrl-C ends it cleanly during imports too."""
    try:
        with after_imports():
            from comoderate.cli.app import main as run

            run()
    except KeyboardInterrupt:
        print(STOPPED, file=sys.stderr)
        sys.exit(INTERRUPTED)
