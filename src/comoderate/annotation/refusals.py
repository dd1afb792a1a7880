"""How the annotation room says no; each kind is a status of its own on the web."""

from __future__ import annotations

from comoderate.errors import ComoderateError


def unfit() -> ComoderateError:
    """A value is none that its column can hold: text with NUL in PostgreSQL, a number that is too large."""
    return ComoderateError("the database cannot hold one of these values", do="send text without NUL, smaller numbers")


class NotAllowed(ComoderateError):  # noqa: N818 - a refusal, not a fault
    """The one who asks may not do this."""


class NotFound(ComoderateError):  # noqa: N818
    """There is no such thing, or it is not the asker's to see."""


class Conflict(ComoderateError):  # noqa: N818
    """It contradicts what is stored: a name that is taken, another codebook, a decision made by somebody else."""
