"""Walking a folder: which files there are, without following links out of it or in circles."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from leadline.errors import BadInput

SKIPPED_FOLDERS = frozenset(
    {"node_modules", "__pycache__", "venv", "site-packages", "lost+found", "$RECYCLE.BIN"}
)


class Found(NamedTuple):
    """A file below the folder; `lost` says why it is not to be opened."""

    path: bytes  # relative, as the system spells it
    size: int = 0
    mtime: int = 0
    lost: str = ""

    @property
    def url(self) -> str:
        return shown(self.path)


def shown(path: bytes) -> str:
    """A path as text that can be printed: odd bytes and control characters are escaped."""
    text = path.decode("utf-8", "surrogateescape").replace("\\", "\\\\")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def walk(docs: Path) -> Iterator[Found]:
    """Every file below `docs` in a fixed order; hidden and generated folders are passed by."""
    root = os.fsencode(docs)
    try:
        top = sorted(os.scandir(root), key=lambda entry: entry.name)
    except NotADirectoryError:
        raise BadInput(f"--docs wants a folder, got a file: {docs}") from None
    except FileNotFoundError:
        raise BadInput(f"there is no folder {docs}") from None
    except OSError as error:
        raise BadInput(f"the folder {docs} cannot be read: {error.strerror}") from error
    real = os.path.realpath(root)
    stack = [iter(top)]
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
        elif entry.name.startswith(b"."):
            continue
        elif entry.is_dir(follow_symlinks=False):
            if os.fsdecode(entry.name) not in SKIPPED_FOLDERS:
                try:
                    stack.append(iter(sorted(os.scandir(entry.path), key=lambda e: e.name)))
                except OSError as error:
                    path = os.path.relpath(entry.path, root)
                    yield Found(path, lost=f"the folder cannot be read: {error.strerror}")
        elif (found := _file(entry, root, real)) is not None:
            yield found


def _file(entry: os.DirEntry[bytes], root: bytes, real: bytes) -> Found | None:
    path = entry.path[len(root) :].lstrip(b"/")
    try:
        if entry.is_symlink():
            return _link(entry, path, real)
        info = entry.stat(follow_symlinks=False)
    except OSError as error:
        return Found(path, lost=f"cannot be read: {error.strerror}")
    if not stat.S_ISREG(info.st_mode):
        return Found(path, lost="not a regular file")
    return Found(path, info.st_size, info.st_mtime_ns)


def _link(entry: os.DirEntry[bytes], path: bytes, real: bytes) -> Found | None:
    """A link inside the folder is passed by, since its target is met anyway."""
    target = os.path.realpath(entry.path)
    if not os.path.exists(target):  # noqa: PTH110 - bytes
        return Found(path, lost="a symbolic link to nothing")
    if target == real or target.startswith(real.rstrip(b"/") + b"/"):
        return None
    return Found(path, lost="a symbolic link that leaves the folder")
