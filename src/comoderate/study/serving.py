"""What the web application needs of a study: campaigns with their posts, anonymised, in the order of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comoderate.annotation import Database
    from comoderate.study.study import Study


class Serving:
    """A study as the web application sees it.

    Args:
        study: the study, opened.
    """

    def __init__(self, study: Study) -> None:
        self.study = study

    def load(self, db: Database) -> None:
        """Bring the campaigns and their posts in the database up to what the study says."""
