"""Codebooks that come with Comoderate, to be copied into a study and edited there."""

from __future__ import annotations

import tomllib
from pathlib import Path

from comoderate.codebook.questions import Codebook

READY = {"troll-patrol": "troll_patrol.toml"}
"""Name → file beside this module."""


def ready_toml(name: str) -> str:
    """The tables of a codebook as they stand in ``study.toml``.

    Raises:
        KeyError: there is none of this name.
    """
    return (Path(__file__).parent / READY[name]).read_text(encoding="utf-8")


def ready_codebook(name: str) -> Codebook:
    """A codebook that comes with Comoderate.

    Raises:
        KeyError: there is none of this name.
    """
    return Codebook.model_validate(tomllib.loads(ready_toml(name))["codebook"])
