"""The command line: one file a command; nothing is computed here."""

from comoderate.cli.app import main

__all__ = ["main"]
