"""What stands in a settings file: names in tables of tables, paths that begin where the file is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from leadline.errors import BadInput


def flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """What stands in tables of tables, each with the path of its names."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def beside(path: Path, value: object) -> object:
    """A relative path in a file means relative to the file."""
    if isinstance(value, list):
        return [beside(path, one) for one in value]
    if isinstance(value, str) and not value.startswith("~"):
        return str(path.parent / value)
    return value


def absolute(value: Any, said: str) -> Any:
    """Whatever is a path made absolute; `said` names it where it is none."""
    if isinstance(value, tuple):
        return tuple(absolute(one, said) for one in value)
    if not isinstance(value, Path):
        return value
    if "\0" in str(value):
        raise BadInput(f"{said} is no path: {str(value)!r}")
    try:
        return Path(os.path.abspath(value.expanduser()))  # noqa: PTH100 - keeps symlinks as given
    except RuntimeError as error:
        raise BadInput(f"{said} names a user who is not known here: {value}") from error
