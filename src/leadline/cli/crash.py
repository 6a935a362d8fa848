"""What happens to an error nobody expected: the log gets the traceback, the user one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType

import click

Hook = Callable[[type[BaseException], BaseException, TracebackType | None], None]


def crash_hook(show: bool) -> Hook:
    """A `sys.excepthook`. Python itself then exits with code 1."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if show:
            sys.__excepthook__(kind, error, trace)
            return
        where = _write_down(kind, error, trace)
        more = f"the traceback is in {where}" if where else "run again with --debug to see where"
        said = " ".join(str(error).split())[:300]
        click.echo(f"leadline: unexpected error: {kind.__name__}: {said}; {more}", err=True)

    return hook


def _write_down(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> str:
    """Put the traceback into the log; returns the log's path, or "" when no log is open."""
    import logging

    logger = logging.getLogger("leadline")
    files = [h.baseFilename for h in logger.handlers if isinstance(h, logging.FileHandler)]
    if files:
        logger.error("crash", exc_info=(kind, error, trace))
    return files[0] if files else ""
