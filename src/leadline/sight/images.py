"""The image files that a task may name: opened where that is allowed, decoded by Pillow.

Pillow comes with the extra `ocr`, and is loaded when there is an image.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.documents.files import read_bytes
from leadline.errors import SourceLost, with_extra
from leadline.text.images import is_address

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")


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
        with _opened(data) as image:
            if image.width * image.height > self.max_pixels:
                raise SourceLost(
                    f"it has {image.width} × {image.height} pixels, at most "
                    f"{self.max_pixels / 1e6:g} million are allowed (image_max_megapixels)"
                )
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
            # The path is resolved, so a link here was put in its place since.
            data, size, _ = read_bytes(str(real), self.max_bytes + 1)
        except OSError as error:
            raise SourceLost(f"it cannot be read: {error.strerror or error}") from error
        size = max(size, len(data))
        if size > self.max_bytes:
            raise SourceLost(
                f"it has {size / 1e6:.1f} MB, at most {self.max_bytes / 1e6:g} are allowed "
                "(image_max_mb)"
            )
        return data


def decode(data: bytes) -> Image:
    """The image, its first frame where there are several: upright, on white, in plain colours.

    Raises `SourceLost` when it is broken.
    """
    from PIL import ImageOps

    with _opened(data) as opened:
        opened.load()
        return _on_white(ImageOps.exif_transpose(opened))


def as_sent(data: bytes, longest: int) -> bytes:
    """The image as a model gets it: decoded, at most `longest` pixels a side, and nothing in it
    but the picture: no place, no camera, no comment."""
    image = decode(data)
    image.thumbnail((longest, longest))
    sink = io.BytesIO()
    photo = data.startswith(b"\xff\xd8")
    image.save(sink, "JPEG" if photo else "PNG", **({"quality": 90} if photo else {}))
    return sink.getvalue()


@contextmanager
def _opened(data: bytes) -> Iterator[Image]:
    """The image with its header read, nothing decoded yet. What Pillow says of it, or later of the
    rest, is a `SourceLost`; a size that unfolds into gigabytes is refused by Pillow itself."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise SourceLost(f"no image can be read without Pillow; {with_extra('ocr')}") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                yield image
    except UnidentifiedImageError as error:
        raise SourceLost("it does not decode as a PNG, JPEG, GIF, BMP or WebP image") from error
    except Image.DecompressionBombError as error:
        raise SourceLost(f"it has too many pixels to be decoded: {error}") from error
    # Pillow raises whatever its decoders stumble over.
    except (OSError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise SourceLost(f"it does not decode as an image: {error}") from error
    except (EOFError, MemoryError) as error:
        raise SourceLost(f"it does not decode as an image: {error}") from error


def _on_white(image: Image) -> Image:
    from PIL import Image

    if not image.has_transparency_data:
        return image.convert("RGB")
    clear = image.convert("RGBA")
    white = Image.new("RGBA", clear.size, "white")
    return Image.alpha_composite(white, clear).convert("RGB")
