"""Answers to two wordings of a codebook are never read together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comoderate.annotation import Database, campaign_progress, campaigns
from comoderate.errors import ComoderateError
from comoderate.study.loading import FILE

if TYPE_CHECKING:
    from comoderate.study.study import Study


def require_same_codebook(study: Study, db: Database) -> None:
    """Refuse where a campaign has answers to questions that read otherwise under the same name and version.

    Raises:
        ComoderateError: the codebook changed and its version did not.
    """
    codebook = study.settings.codebook
    for one in campaigns(db):
        same = one.codebook.label == codebook.label and one.codebook.digest != codebook.digest
        if same and campaign_progress(db, one.name).answers:
            raise ComoderateError(
                f"campaign {one.name!r} has answers to another wording of the codebook {codebook.label}",
                where=study.folder / FILE,
                do="undo the change, or give the codebook another version and the campaign another name",
            )
