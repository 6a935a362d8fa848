"""Unpacks a body within a limit: a bomb is given up long before it is large.

Only gzip is asked for. httpx's own decoders read only the first part of a gzip and take one that
was cut for whole.
"""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO

ENCODINGS = "gzip"
MAX_LAYERS = 5  # nobody packs more than twice
PIECE = 1 << 18  # bytes that are unpacked at once

UNPACKABLE = (zlib.error, gzip.BadGzipFile, ValueError)
"""What `unpacked` raises for a body that is not packed as its header says; `EOFError` for one that
ends too soon."""


def unpacked(data: bytes, encoding: str, most: int, *, cut: bool = False) -> bytes:
    """The body `data` without the packings that a header names; one that would be larger than
    `most` bytes is given up when it is. `cut` where `data` is the start of a longer body."""
    names = [name.strip().lower() for name in encoding.split(",")]
    packings = [name for name in names if name not in ("", "identity")]
    if len(packings) > MAX_LAYERS:
        raise ValueError(f"packed more than {MAX_LAYERS} times over")
    for name in packings:
        if name not in ("gzip", "x-gzip"):
            raise ValueError(f"packed in a way that was not asked for: {name}")
    for _ in packings:
        data = _gunzipped(data, most, cut) if data else b""
    return data


def _gunzipped(data: bytes, most: int, cut: bool) -> bytes:
    body = bytearray()
    with gzip.GzipFile(fileobj=BytesIO(data)) as file:
        try:
            while len(body) <= most and (piece := file.read1(PIECE)):
                body += piece
        except EOFError:
            if not cut:
                raise
        except gzip.BadGzipFile as error:
            # What stands behind a whole body is nobody's.
            if file.tell() == 0 or not str(error).startswith("Not a gzipped file"):
                raise
    return bytes(body)
