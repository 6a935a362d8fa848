"""Images made for the tests."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image, ImageDraw, ImageFont


def png(width: int = 4, height: int = 3) -> bytes:
    """A PNG written by hand: grey, and honest about its size."""
    rows = b"".join(b"\0" + b"\x80" * width for _ in range(height))
    return claimed_png(width, height, zlib.compress(rows))


def claimed_png(width: int, height: int, packed: bytes) -> bytes:
    """A PNG that says it has this size, whatever is packed in it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def encoded(kind: str, size: tuple[int, int] = (40, 30)) -> bytes:
    """A plain image in one of the formats of Pillow."""
    sink = io.BytesIO()
    Image.new("RGB", size, "white").save(sink, kind)
    return sink.getvalue()


def written(lines: list[list[tuple[int, str]]], turned: int = 0) -> bytes:
    """A white page with texts at these places of each line."""
    page = Image.new("RGB", (640, 60 + 50 * len(lines)), "white")
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(24)
    for number, line in enumerate(lines):
        for x, text in line:
            draw.text((x, 30 + 50 * number), text, "black", font)
    sink = io.BytesIO()
    page.rotate(turned, expand=True).save(sink, "PNG")
    return sink.getvalue()
