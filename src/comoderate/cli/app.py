"""The command ``comoderate`` and how it ends."""

from __future__ import annotations

import sys

import typer

from comoderate import __version__
from comoderate.cli import (
    agree,
    demo,
    draw,
    evaluate,
    importing,
    init,
    report,
    review,
    run,
    score,
    train,
)
from comoderate.cli.common import State
from comoderate.errors import ComoderateError

app = typer.Typer(
    name="comoderate",
    help="Decide where human judgement goes in content moderation, and measure what it bought.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for module in (init, importing, draw, agree, train, score, evaluate, review, report, run, demo):
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
    except ComoderateError as error:
        if debug:
            raise
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("\nstopped; what is finished stays, and the same command goes on from there", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
    except Exception as error:
        if not hasattr(error, "show"):  # not one of the command line parser's own
            raise
        error.show()
        sys.exit(2)
    sys.exit(code or 0)
