"""What one running application holds, and how a request finds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from starlette.requests import HTTPConnection

from comoderate.web.limits import Limiter

if TYPE_CHECKING:
    from comoderate.annotation import Database, Rater
    from comoderate.study import Study
    from comoderate.study.serving import Serving


@dataclass
class Web:
    """One running application.

    Attributes:
        study: the study that it serves, as it was when the application started.
        db: people, tasks and answers.
        serving: what the pages need of the study.
        key: the application's secret.
        secure: whether pages come by TLS.
        limits: limiters by what they limit.
    """

    study: Study
    db: Database
    serving: Serving
    key: bytes
    secure: bool
    limits: dict[str, Limiter] = field(default_factory=dict)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the study offers."""
        return self.study.settings.web.languages

    def own_words(self, language: str) -> Mapping[str, str]:
        """The study's own words for the pages."""
        translation = self.study.settings.codebook.language.get(language)
        return {} if translation is None else translation.words


def web_of(request: HTTPConnection) -> Web:
    """The application that a request came to."""
    return cast("Web", request.app.state.web)


def signed_in(request: HTTPConnection) -> Rater | None:
    """Who is signed in, where a dependency found out already."""
    return cast("Rater | None", getattr(request.state, "person", None))
