"""The data folder: made where it is missing, refused before a run where it cannot be used."""

from __future__ import annotations

import os
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
        try_to_write(path)
    except OSError as error:
        raise BadInput(
            f"cannot write to the data folder {path}: {error.strerror}; {_HINT}"
        ) from error
    return path


def try_to_write(folder: Path) -> None:
    """Raises `OSError` where no file can be written in `folder`.

    Permissions do not tell all: a disk can be full, read-only or no disk at all.
    """
    written_beside(folder / "probe", b"x").unlink()


def written_beside(path: Path, data: bytes) -> Path:
    """A hidden file of our own in the folder of `path`, for what becomes `path` once it is whole.

    `tempfile` would do, and takes as long to load as ten of our modules.
    """
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside
