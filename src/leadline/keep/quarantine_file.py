"""Files of ours that cannot be read: set aside under another name, never deleted, and told of."""

from __future__ import annotations

import logging
import sqlite3
from itertools import count
from pathlib import Path

NOTICES = "leadline.notice"  # what is said here reaches whoever asked, not the log alone
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def notice(text: str) -> None:
    """Tell whoever asked of something that went wrong and was got round."""
    logging.getLogger(NOTICES).warning("%s", text)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether what is in a file is no database, or no whole one."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def set_aside(path: Path) -> Path:
    """Rename a database that cannot be read; one that was set aside before stays."""
    first = path.with_name(f"{path.name}.broken")
    later = (path.with_name(f"{path.name}.broken-{number}") for number in count(2))
    aside = first if not first.exists() else next(one for one in later if not one.exists())
    path.replace(aside)
    for tail in ("-wal", "-shm"):
        path.with_name(path.name + tail).unlink(missing_ok=True)
    return aside


def in_words(path: Path, error: sqlite3.Error | OSError) -> str:
    """Why a file cannot be used, and what to do where that can be seen."""
    if path.is_dir():
        return f"{path} is a folder, and a file was wanted; move it away"
    lowest = next((one for one in path.parents if one.exists()), path)
    if not lowest.is_dir():
        return f"{lowest} is a file, and a folder was wanted; move it away"
    said = str(error.strerror if isinstance(error, OSError) else error)
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CANTOPEN:
        said += "; is its folder there, and may it be written?"
    return f"{path}: {said}"
