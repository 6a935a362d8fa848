"""Decodes an image with Pillow: upright, on white, in plain colours. Needs the extra `ocr`."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from leadline.errors import SourceLost

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")
MOST_PIXELS = 200_000_000  # whatever the settings say: 600 MB of colours


def decode(data: bytes) -> Image:
    """The image, its first frame where there are several. Raises `SourceLost` when it is broken."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Image.MAX_IMAGE_PIXELS = MOST_PIXELS
            with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
                opened.load()
                return _on_white(ImageOps.exif_transpose(opened))
    except UnidentifiedImageError as error:
        raise SourceLost("it does not decode as an image: nothing in it is known") from error
    # Pillow raises whatever its decoders stumble over.
    except (OSError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise SourceLost(f"it does not decode as an image: {error}") from error
    except (Image.DecompressionBombError, Warning, EOFError, MemoryError) as error:
        raise SourceLost(f"it does not decode as an image: {error}") from error


def _on_white(image: Image) -> Image:
    from PIL import Image

    if not image.has_transparency_data:
        return image.convert("RGB")
    clear = image.convert("RGBA")
    white = Image.new("RGBA", clear.size, "white")
    return Image.alpha_composite(white, clear).convert("RGB")


def as_sent(data: bytes, longest: int) -> bytes:
    """The image as a model gets it: decoded, at most `longest` pixels a side, and nothing in it
    but the picture: no place, no camera, no comment."""
    image = decode(data)
    image.thumbnail((longest, longest))
    sink = io.BytesIO()
    photo = data.startswith(b"\xff\xd8")
    image.save(sink, "JPEG" if photo else "PNG", **({"quality": 90} if photo else {}))
    return sink.getvalue()
