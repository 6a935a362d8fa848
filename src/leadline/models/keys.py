"""Keys from a file that nobody else may read."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

from leadline.errors import BadInput
from leadline.models.wire import Secret


def read_keys(path: Path) -> dict[str, Secret]:
    """`name = "key"` lines, such as `openai_api_key = "…"`. `BadInput` when others may read it."""
    try:
        with path.open("rb") as file:
            _refuse_open_to_others(path, os.fstat(file.fileno()))
            table = tomllib.load(file)
    except OSError as error:
        raise BadInput(f"cannot read the file of keys {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        # The parser's message would quote the line, and with it a key.
        raise BadInput(f'{path} must have lines like openai_api_key = "…"') from None
    for name, value in table.items():
        if not isinstance(value, str):
            raise BadInput(f"{name} in {path} must be text in quotes")
    return {name: Secret(value.strip()) for name, value in table.items()}


def _refuse_open_to_others(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"the file of keys {path} is not a file")
    if status.st_uid not in (os.geteuid(), 0):
        raise BadInput(f"the file of keys {path} belongs to another user")
    if status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        raise BadInput(f"others may read the keys in {path} (mode {mode:o}); run chmod 600 {path}")
