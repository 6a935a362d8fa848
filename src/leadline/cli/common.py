"""What the commands share: common options, settings from flags, and writing to the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

    from leadline.fields.trust import ConfigFile
    from leadline.settings import Settings

_ARENA_MAX = -8  # as glibc's malloc.h numbers it

Command = TypeVar("Command", bound=Callable[..., Any])

_COMMON = (
    click.option("--config", metavar="FILE", help="Settings file; else ./leadline.toml if there."),
    click.option("--data-dir", metavar="DIR", help="Where runs, indexes and logs are kept."),
    click.option("--verbose", is_flag=True, help="Show the log on stderr."),
    click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error."),
)


def common_options(command: Command) -> Command:
    """Add the options every command takes."""
    for option in reversed(_COMMON):
        command = option(command)
    return command


def settings_from(common: dict[str, Any], **flags: object) -> Settings:
    """Settings with these flags on top, the data folder made and the log open."""
    import logging

    from leadline.hidden import Hidden
    from leadline.observe.folder import open_data_dir
    from leadline.observe.logs import configure
    from leadline.settings import calm_math, load

    calm_math()
    _spare_memory()
    config = Path(common["config"]) if common["config"] else None
    overrides = {"data_dir": common["data_dir"], **flags}
    settings = load(config=config, overrides=overrides, flags=True, tell=tell_config)
    open_data_dir(settings.data_dir)
    configure(settings.data_dir, settings.log_level, common["verbose"])
    Hidden(settings).guard_log(logging.getLogger("leadline"))
    _tell_notices()
    return settings


def tell_config(file: ConfigFile) -> None:
    """Name the settings file in use, and what of it does not count."""
    note(f"leadline: {file.notice}")


def _tell_notices() -> None:
    """What was got round, a damaged file for one, is said on stderr as well as in the log."""
    import logging

    from leadline.keep.sqlite import NOTICES

    class Notices(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            note(f"leadline: {record.getMessage()}")

    logging.getLogger(NOTICES).handlers = [Notices()]


def refuse_idle_provider(settings: Settings, given: object) -> None:
    """A provider that was named is to be asked: with documents alone it never would be."""
    from leadline.errors import BadInput
    from leadline.kit import uses_web

    if given and not uses_web(settings):
        raise BadInput(
            "--provider searches the web, and with --docs only the documents are searched; "
            "add --web to search both, or leave out --provider"
        )


def _spare_memory() -> None:
    """One pool of memory for all threads, where the C library is glibc: a run takes 30 MB less.

    Its threads take turns anyway, and what each keeps for itself is never given back. For a process
    that is ours alone: who uses the library decides for themselves.
    """
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def common_of(options: dict[str, Any]) -> dict[str, Any]:
    """Take the common options out of all that click has parsed."""
    return {name: options.pop(name) for name in ("config", "data_dir", "verbose", "debug")}


def say(text: str) -> None:
    """Write to stdout. A reader who has gone away (`| head`) is no error."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(text: str) -> None:
    """Write a remark to stderr, where it does not mix with the report."""
    click.echo(text, err=True)


def on_terminal() -> bool:
    """Is a person looking at stdout, on a screen that can be redrawn?"""
    return sys.stdout.isatty() and not console().is_dumb_terminal


def console(stderr: bool = False) -> Console:
    """A rich console for one of the streams."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)
