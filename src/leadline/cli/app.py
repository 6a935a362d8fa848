"""The program: which command is meant, what the help says, and how every failure is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NoReturn

import click

from leadline.cli.crash import crash_hook
from leadline.cli.exits import ANSWERED, BAD_INPUT, FAILED, INTERRUPTED, MEANINGS
from leadline.cli.late import LateCommands

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_OWN_OPTIONS = ("--help", "-h", "--version")
_ASKING = ("run", "ask", "search")
# What the help lists, by what a person is after; the rest is named below them.
_GROUPS = (
    ("Ask", ("ask", "search")),
    ("Look back", ("runs", "verify")),
    ("Keep", ("index", "memory", "cache")),
    ("Serve", ("serve", "mcp")),
    ("Set up", ("init", "doctor", "trust")),
)
# By the module that has it.
_COMMANDS = {
    "ask": "ask",
    "bench": "bench",
    "cache": "cache",
    "completion": "completion",
    "doctor": "doctor",
    "experiment": "experiment",
    "index": "index",
    "init": "init",
    "keys": "serve",
    "mcp": "mcpserver",
    "memory": "memory",
    "replay": "runfile",
    "run": "run",
    "runs": "runs",
    "search": "search",
    "serve": "serve",
    "trust": "trust",
    "verify": "runfile",
    "worker": "worker",
}


class Program(click.Group):
    """A group whose first argument is a question unless it is the name of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            args = ["--help"]
        elif args and args[0] == "help":
            args = [*(arg for arg in args[1:] if arg in self.commands), "--help"]
        elif args == ["version"]:
            args = ["--version"]
        elif args and args[0] not in self.commands and args[0] not in _OWN_OPTIONS:
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("leadline", "QUESTION [OPTIONS]")
        formatter.write_usage("leadline", "COMMAND [ARGS]", prefix="       ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.commands["run"].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _GROUPS:
            with formatter.section(title):
                formatter.write_dl(
                    [(name, self.commands[name].get_short_help_str(90)) for name in names]
                )
        seldom = sorted(set(self.commands) - {name for _, names in _GROUPS for name in names})
        with formatter.section("Seldom needed (leadline help COMMAND tells more)"):
            formatter.write_text(", ".join(seldom))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from leadline.cli.run import EXAMPLES

        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES, col_max=56)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in MEANINGS])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            return found
        return found + self.commands["run"].shell_complete(ctx, incomplete)


@click.group(
    cls=Program,
    commands=LateCommands(_COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="leadline", message="leadline %(version)s")
def program() -> None:
    """Ask a question; get a report, every sentence of it checked against a passage of a source.

    Leadline plans, searches the web or your documents, stops when new results stop being new, and
    quotes what it found, or has a model of yours write it. It needs no key and no model.
    """


def start(args: Sequence[str] | None = None) -> None:
    """Run the program and exit with its code. A user never sees a traceback unless asked for."""
    import gc

    # One command allocates much and frees little: collecting seldom saves a tenth of its time.
    gc.set_threshold(100_000, 50, 50)
    given = list(sys.argv[1:] if args is None else args)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a character the terminal lacks is written out
            stream.reconfigure(errors="backslashreplace")
    sys.excepthook = crash_hook(show="--debug" in given)
    _leave(outcome(given))


def _leave(code: int) -> NoReturn:
    """End at once: all is written and closed, and taking the interpreter apart piece by piece
    takes longer than rendering a report."""
    import logging

    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever read it has gone away
            stream.flush()
    os._exit(code)


def outcome(args: Sequence[str], obj: Any = None) -> int:
    """The exit code of one call, with every expected failure told in one message on stderr."""
    try:
        code = program.main(list(args), prog_name="leadline", standalone_mode=False, obj=obj)
    except click.ClickException as error:
        _in_quotes(error).show()
        return BAD_INPUT if isinstance(error, click.UsageError) else FAILED
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nInterrupted.", err=True)
        return INTERRUPTED
    except _mendable() as error:
        return _told(error, BAD_INPUT)
    except _expected() as error:
        return _told(error, FAILED)
    return code if isinstance(code, int) else ANSWERED


def _in_quotes(error: click.ClickException) -> click.ClickException:
    """Say why words of a question are unexpected: the shell has taken it apart."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    command = ctx.command.name if ctx else ""
    if command not in _ASKING or "unexpected extra argument" not in error.message:
        return error
    name = "" if command == "run" else f"{command} "
    return click.UsageError(f'{error.message}. Put the question in quotes: leadline {name}"…"', ctx)


# Looked up only when there is an error: importing them would double the time of `--help`.
def _mendable() -> tuple[type[Exception], ...]:
    from leadline.errors import BadInput, RunNotFound

    return BadInput, RunNotFound


def _expected() -> tuple[type[Exception], ...]:
    from leadline.errors import LeadlineError

    return LeadlineError, OSError


def _told(error: Exception, code: int) -> int:
    from leadline.render.safe import plain

    click.echo(f"leadline: {plain(str(error))}", err=True)
    return code
