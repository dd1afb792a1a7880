"""Pages: templates with everything escaped, and what every page shows around its content."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from comoderate.web import keys, words
from comoderate.web.state import signed_in, web_of

if TYPE_CHECKING:
    from comoderate.web.sessions import Session

STATIC = Path(__file__).parent / "static"


def render(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **content: Any
) -> HTMLResponse:
    """The page ``template`` with ``content``; every page also has ``person``, ``csrf``, ``t`` (words) and more.

    Args:
        request: whose language and session count.
        template: name below ``templates``.
        status: HTTP status.
        headers: further headers.
        content: what the template shows; texts are escaped.
    """
    page = environment().get_template(template).render(**surroundings(request), **content)
    return HTMLResponse(page, status, headers=headers)


def surroundings(request: Request) -> dict[str, Any]:
    """What every template may use."""
    web, language = web_of(request), language_of(request)
    fixed = getattr(request.state, "language", None) is not None
    return {
        "request": request,
        "path": request.url.path,
        "person": signed_in(request),
        "csrf": csrf_token(request),
        "t": words.Words(language, web.own_words(language)),
        "language": language,
        "direction": words.direction(language),
        "languages": () if fixed else web.languages,
        "own_names": {code: own.name for code, own in web.study.settings.codebook.language.items()},
        "study": web.study.settings.study,
        "contact": web.study.settings.web.contact,
        "by_password": not web.study.settings.web.user_header,
    }


def csrf_token(request: Request) -> str:
    """The token that forms carry; bound to the session, so that no other site can make one."""
    session: Session = request.scope["session"]
    session.changed = session.changed or session.since == 0.0
    return keys.sign(web_of(request).key, "csrf", session.nonce)


def language_of(request: Request) -> str:
    """The language of a request: the one chosen, else the first that the browser prefers and the study offers.

    A page that is in one language whoever asks sets ``request.state.language``.
    """
    web = web_of(request)
    session: Session = request.scope["session"]
    fixed: str | None = getattr(request.state, "language", None)
    if fixed is not None:
        return fixed
    if session.language in web.languages:
        return str(session.language)
    for part in request.headers.get("accept-language", "").split(","):
        wanted = part.partition(";")[0].strip().lower()
        for code in (wanted, wanted.partition("-")[0]):
            if code in web.languages:
                return code
    return web.languages[0]


@cache
def environment() -> Environment:
    """The templates' environment."""
    found = Environment(
        loader=PackageLoader("comoderate.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=StrictUndefined, finalize=_readable,
    )  # fmt: skip
    found.globals |= {"static": static, "language_name": language_name}
    found.filters["verbatim"] = verbatim
    return found


def language_name(code: str) -> str:
    """What a language calls itself."""
    return words.known(code).get("page.language", code)


def _readable(value: Any) -> Any:
    """Text without control characters and half surrogates, which no page can hold."""
    if isinstance(value, Markup) or not isinstance(value, str) or value.isprintable():
        return value
    bad = {"Cc", "Cs"}
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in bad else "\N{REPLACEMENT CHARACTER}" for c in value
    )


def verbatim(text: str) -> Markup:
    """A post's text, escaped, in a direction of its own: marks in it cannot turn what follows."""
    return Markup('<bdi dir="auto">{}</bdi>').format(escape(_readable(text.replace("\r\n", "\n"))))


@cache
def static(name: str) -> str:
    """The address of a static file, with a digest of its content, so that browsers may keep it for long."""
    digest = hashlib.blake2b((STATIC / name).read_bytes(), digest_size=5).hexdigest()
    return f"/static/{name}?v={digest}"
