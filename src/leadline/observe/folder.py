"""The data folder: made where it is missing, refused before a run where it cannot be used."""

from __future__ import annotations

import tempfile
from pathlib import Path

from leadline.errors import BadInput

_HINT = "choose another with --data-dir or RESEARCH_DATA_DIR"


def open_data_dir(path: Path) -> Path:
    """`path` as a folder that can be written to; `BadInput` says why it cannot."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    except FileExistsError as error:
        raise BadInput(f"the data folder {path} is a file; {_HINT}") from error
    except OSError as error:
        raise BadInput(f"cannot make the data folder {path}: {error.strerror}; {_HINT}") from error
    try:
        # Permissions do not tell all: a disk can be full, read-only or no disk at all.
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(b"x")
    except OSError as error:
        raise BadInput(
            f"cannot write to the data folder {path}: {error.strerror}; {_HINT}"
        ) from error
    return path
