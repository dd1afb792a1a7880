"""The web application: labelling, review desk and dashboard. It computes nothing: every number comes from the study."""

from __future__ import annotations

from importlib.util import find_spec

NEEDED = ("fastapi", "uvicorn", "python_multipart", "itsdangerous", "argon2")
"""What the extra ``comoderate[web]`` brings."""


def missing() -> str | None:
    """The first package of the extra that is not installed; None where all are."""
    return next((name for name in NEEDED if find_spec(name) is None), None)
