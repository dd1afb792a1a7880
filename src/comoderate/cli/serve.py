"""``comoderate serve``: the web application."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comoderate.cli.common import StudyPath, open_study
from comoderate.errors import ComoderateError

if TYPE_CHECKING:
    from comoderate.study import Study

NAME = "serve"
NEAR = {"127.0.0.1", "localhost", "::1"}


def command(
    context: typer.Context,
    study: StudyPath = Path(),
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port to listen at.")] = 8000,
    cert: Annotated[Path | None, typer.Option("--cert", help="A TLS certificate with its chain, PEM.")] = None,
    cert_key: Annotated[Path | None, typer.Option("--cert-key", help="The certificate's key, PEM.")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="TLS ends at one of [web] proxies: cookies are sent by TLS only.")
    ] = False,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond this computer without TLS: others can read along.")
    ] = False,
    reset: Annotated[
        str | None,
        typer.Option("--reset", metavar="NAME", help="Print a link with which NAME chooses a new password, and end."),
    ] = None,
) -> None:
    """Serve the pages on which people label, review and coordinate.

    Listens on this computer only, unless TLS is set up. Until there is a coordinator, each start prints an invitation
    for the first one. A coordinator who forgot the password gets a link by --reset, also while the pages are served.
    """
    _check(host, cert, cert_key, behind_proxy=behind_proxy, insecure=insecure)
    from comoderate.web import missing

    gap = missing()
    if gap is not None:
        raise ComoderateError(f"the web application needs {gap}", do="install comoderate[web]")
    opened = open_study(context, study)
    if behind_proxy and not opened.settings.web.proxies:
        raise ComoderateError("--behind-proxy needs the proxy's address", do="name it under [web] proxies")
    address = f"{'https' if cert else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"
    if reset is not None:
        _reset(opened, reset, address)
        return
    from comoderate.web.app import create_app

    secure = cert is not None or behind_proxy
    app = create_app(opened, secure=secure)
    _say(app, address)
    _run(app, host, port, cert, cert_key)


def _check(host: str, cert: Path | None, cert_key: Path | None, *, behind_proxy: bool, insecure: bool) -> None:
    if (cert is None) != (cert_key is None):
        raise typer.BadParameter("--cert and --cert-key go together")
    for file in (cert, cert_key):
        if file is not None and not file.is_file():
            raise ComoderateError("there is no such file", where=file, do="check the path")
    if host not in NEAR and cert is None and not behind_proxy and not insecure:
        raise ComoderateError(
            f"listening at {host} without TLS lets others read names, passwords and posts",
            do="give --cert and --cert-key, or --behind-proxy with TLS there; --insecure if you must",
        )


def _reset(study: Study, name: str, address: str) -> None:
    from comoderate.web.recovery import reset_path

    path = reset_path(study, name)
    typer.echo(f"with this link {name} chooses a new password, once, within 24 hours:", err=True)
    typer.echo(f"{address}{path}")


def _say(app: Any, address: str) -> None:
    from comoderate.web.invitations import first_invitation

    path = first_invitation(app)
    typer.echo(f"serving at {address}; stop with Ctrl-C", err=True)
    if path is not None:
        typer.echo(
            "the first coordinator's invitation, for one person, once; each start prints it until then:", err=True
        )
        typer.echo(f"{address}{path}")


def _run(app: Any, host: str, port: int, cert: Path | None, cert_key: Path | None) -> None:
    import uvicorn

    uvicorn.run(
        app, host=host, port=port, log_level="warning", proxy_headers=False, server_header=False, date_header=False,
        ssl_certfile=cert, ssl_keyfile=cert_key, timeout_graceful_shutdown=10,
    )  # fmt: skip
