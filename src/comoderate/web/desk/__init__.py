"""The review desk: moderators read the queue and decide."""

from comoderate.web.desk.pages import router

__all__ = ["router"]
