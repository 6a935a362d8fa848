"""Unpacks a body within a limit: a bomb is given up long before it is large.

httpx's own decoders read only the first part of a gzip and take one that was cut for whole.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO

import brotli  # type: ignore[import-untyped]

ENCODINGS = "gzip, deflate, br"
MAX_LAYERS = 5  # nobody packs more than twice
PIECE = 1 << 18  # bytes that are unpacked at once

UNPACKABLE = (zlib.error, brotli.error, gzip.BadGzipFile, ValueError)
"""What `unpacked` raises for a body that is not packed as its header says; `EOFError` for one that
ends too soon."""


def unpacked(data: bytes, encoding: str, most: int, *, cut: bool = False) -> bytes:
    """The body `data` without the packings that a header names; one that would be larger than
    `most` bytes is given up when it is. `cut` where `data` is the start of a longer body."""
    names = [name.strip().lower() for name in encoding.split(",")]
    packings = [name for name in names if name not in ("", "identity")]
    if len(packings) > MAX_LAYERS:
        raise ValueError(f"packed more than {MAX_LAYERS} times over")
    for name in reversed(packings):
        if name not in _UNPACKERS:
            raise ValueError(f"packed in a way that was not asked for: {name}")
        data = _gathered(_UNPACKERS[name](data), most, cut) if data else b""
    return data


def _gathered(pieces: Iterator[bytes], most: int, cut: bool) -> bytes:
    body = bytearray()
    try:
        for piece in pieces:
            body += piece
            if len(body) > most:
                break
    except EOFError:
        if not cut:
            raise
    return bytes(body)


def _gunzip(data: bytes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=BytesIO(data)) as file:
        try:
            while piece := file.read1(PIECE):
                yield piece
        except gzip.BadGzipFile as error:
            # What stands behind a whole body is nobody's.
            if file.tell() == 0 or not str(error).startswith("Not a gzipped file"):
                raise


def _inflate(data: bytes) -> Iterator[bytes]:
    wrapped = data[0] & 15 == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0
    unzip = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)  # some send it bare
    while data and not unzip.eof:
        yield unzip.decompress(data, PIECE)
        data = unzip.unconsumed_tail
    if not unzip.eof:
        raise EOFError("what was packed ended in the middle")


def _unbrotli(data: bytes) -> Iterator[bytes]:
    unpack = brotli.Decompressor()
    while piece := unpack.process(data, output_buffer_limit=PIECE):
        yield piece
        data = b""
    if not unpack.is_finished():
        raise EOFError("what was packed ended in the middle")


_UNPACKERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
}
