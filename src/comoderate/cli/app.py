"""The command ``comoderate`` and how it ends."""

from __future__ import annotations

import sys

import typer

from comoderate import __version__
from comoderate.cli import (
    agree,
    assess,
    benchmark,
    demo,
    draw,
    evaluate,
    export,
    forget,
    importing,
    init,
    release,
    report,
    review,
    run,
    score,
    serve,
    train,
)
from comoderate.cli.common import State
from comoderate.cli.interrupts import INTERRUPTED, STOPPED, interrupted
from comoderate.errors import ComoderateError

app = typer.Typer(
    name="comoderate",
    help="Decide where human judgement goes in content moderation, and measure what it bought.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for module in (
    init,
    importing,
    draw,
    agree,
    train,
    score,
    evaluate,
    review,
    assess,
    report,
    export,
    release,
    forget,
    run,
    serve,
    demo,
    benchmark,
):
    app.command(module.NAME)(module.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"comoderate {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
    quiet: bool = typer.Option(False, "--quiet", help="Say nothing about progress."),
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Decide where human judgement goes in content moderation, and measure what it bought."""
    context.obj = State(quiet=quiet)


def main() -> None:
    """Run the command line: exit code 0 when all is well, 1 for a mistake in the input, 2 for a mistake in usage."""
    debug = "--debug" in sys.argv[1:]
    try:
        code = app(standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        sys.exit(141)
    except Exception as error:
        if not interrupted(error):
            sys.exit(_failed(error, debug=debug))
        code = INTERRUPTED
    if code == INTERRUPTED:
        typer.echo(STOPPED, err=True)
    sys.exit(code or 0)


def _failed(error: Exception, *, debug: bool) -> int:
    """Say what is wrong; gives the exit code."""
    if hasattr(error, "show"):  # one of the command line parser's own
        error.show()
        return 2
    if debug:
        raise error
    typer.echo(f"error: {_line(error)}", err=True)
    return 1


def _line(error: Exception) -> str:
    if isinstance(error, ComoderateError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    shown = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {shown}. This is a mistake in Comoderate: report it with what --debug shows"
