"""The JSON API: an application of its own below ``/api``, with bearer tokens and problem bodies."""

from comoderate.web.api.application import make

__all__ = ["make"]
