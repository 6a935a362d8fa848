"""Opens the image files that a task may name: local, in an allowed folder, of a fair size."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import SourceLost
from leadline.sight.header import read_header
from leadline.text.images import is_address


@dataclass(frozen=True)
class ImageFiles:
    """Reads images under `folders` and nowhere else, wherever a link may point."""

    folders: Sequence[Path]
    max_bytes: int
    max_pixels: int

    def open(self, path: str) -> bytes:
        """The bytes of an image. Raises `SourceLost` that says why it may not or cannot be had."""
        if is_address(path):
            raise SourceLost("an image on the web is not fetched: save it and name the file")
        data = self._read(self._allowed(path))
        header = read_header(data)
        if header.pixels > self.max_pixels:
            raise SourceLost(
                f"it has {header.width} × {header.height} pixels, at most "
                f"{self.max_pixels / 1e6:g} million are allowed (image_max_megapixels)"
            )
        if not header.whole:
            raise SourceLost(f"the {header.kind} image is cut off: its end is missing")
        return data

    def _allowed(self, path: str) -> Path:
        """The real file. Refused before anything is said of a file outside: not even that it is."""
        try:
            real = Path(path).expanduser().resolve()
            folders = [folder.expanduser().resolve() for folder in self.folders]
        except (OSError, RuntimeError, ValueError) as error:
            raise SourceLost(f"that is no path: {error}") from error
        if not any(real.is_relative_to(folder) for folder in folders):
            raise SourceLost(
                "it is not in the current folder nor in one that the setting image_folders names"
            )
        return real

    def _read(self, real: Path) -> bytes:
        try:
            # The path is resolved, so a link here was put in its place since; a pipe must not wait.
            handle = os.open(real, os.O_RDONLY | _flag("O_NOFOLLOW") | _flag("O_NONBLOCK"))
            try:
                about = os.fstat(handle)
                if not stat.S_ISREG(about.st_mode):
                    raise SourceLost("it is not a file")
                self._refuse_large(about.st_size)
                with os.fdopen(handle, "rb", closefd=False) as file:
                    data = file.read(self.max_bytes + 1)
            finally:
                os.close(handle)
        except OSError as error:
            raise SourceLost(f"it cannot be read: {error.strerror or error}") from error
        self._refuse_large(len(data))
        return data

    def _refuse_large(self, size: int) -> None:
        if size > self.max_bytes:
            raise SourceLost(
                f"it has {size / 1e6:.1f} MB, at most {self.max_bytes / 1e6:g} are allowed "
                "(image_max_mb)"
            )


def _flag(name: str) -> int:
    """A flag of `os.open` where the system has it."""
    return int(getattr(os, name, 0))
