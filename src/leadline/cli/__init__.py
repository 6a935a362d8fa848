"""The command line: parses, calls and prints; what it prints is decided elsewhere."""

from __future__ import annotations

from collections.abc import Sequence


def main(args: Sequence[str] | None = None) -> None:
    """The `leadline` program."""
    from leadline.cli.app import start

    start(args)


__all__ = ["main"]
