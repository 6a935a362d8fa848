"""Unpacks a body piece by piece, never much at once: a bomb is seen while it is still small."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

from leadline.net.asking import Garbled

ENCODINGS = "gzip, deflate, br"
PIECE = 1 << 18  # bytes that are unpacked at once


class Unpacker:
    """The packings that a header names, taken off in turn."""

    def __init__(self, encoding: str) -> None:
        names = [name.strip().lower() for name in encoding.split(",")]
        self._layers = [_layer(name) for name in reversed(names) if name not in ("", "identity")]

    def unpacked(self, data: bytes) -> Iterator[bytes]:
        """What of the body can be told now that `data` has come."""
        return self._through(data, self._layers)

    def _through(self, data: bytes, layers: list[_Layer]) -> Iterator[bytes]:
        if not layers:
            yield data
            return
        for part in layers[0].more(data):
            yield from self._through(part, layers[1:])


class _Layer(Protocol):
    """One packing."""

    def more(self, data: bytes) -> Iterator[bytes]: ...


class _Zlib:
    def __init__(self, name: str) -> None:
        self._raw = name == "deflate"  # which some servers send without its wrapping
        self._unzip = zlib.decompressobj(zlib.MAX_WBITS if self._raw else zlib.MAX_WBITS | 16)

    def more(self, data: bytes) -> Iterator[bytes]:
        while data:
            part, data = self._part(data)
            if part:
                yield part
            if self._unzip.eof:
                return

    def _part(self, data: bytes) -> tuple[bytes, bytes]:
        try:
            part = self._unzip.decompress(data, PIECE)
        except zlib.error as error:
            if not self._raw:
                raise Garbled(f"not gzip: {error}") from error
            self._unzip = zlib.decompressobj(-zlib.MAX_WBITS)
            self._raw = False
            return self._part(data)
        self._raw = False
        return part, self._unzip.unconsumed_tail


class _Brotli:
    def __init__(self) -> None:
        import brotli  # type: ignore[import-untyped]

        self._unpack, self._error = brotli.Decompressor(), brotli.error

    def more(self, data: bytes) -> Iterator[bytes]:
        try:
            part = self._unpack.process(data, output_buffer_limit=PIECE)
            while part:  # it holds back more than it says when asked whether it has room
                yield part
                part = self._unpack.process(b"", output_buffer_limit=PIECE)
        except self._error as error:
            raise Garbled(f"not brotli: {error}") from error


def _layer(name: str) -> _Layer:
    if name in ("gzip", "x-gzip", "deflate"):
        return _Zlib(name)
    if name == "br":
        return _Brotli()
    raise Garbled(f"packed in a way that was not asked for: {name}")
