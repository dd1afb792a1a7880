"""``python -m comoderate``: the command line, where the folder of installed commands is not on the path."""

from __future__ import annotations

from comoderate.cli import main

if __name__ == "__main__":
    main()
