"""Unpacks a body piece by piece, never much at once: a bomb is seen while it is still small."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

from leadline.net.asking import BrokenOff, Garbled

ENCODINGS = "gzip, deflate, br"
MAX_MEMBERS = 2_000  # of a gzip; large files that were packed in blocks have hundreds
MAX_LAYERS = 5  # nobody packs more than twice, and each one more is a call within a call
PIECE = 1 << 18  # bytes that are unpacked at once
_GZIP = b"\x1f\x8b"  # begins every member


class Unpacker:
    """The packings that a header names, taken off in turn."""

    def __init__(self, encoding: str) -> None:
        names = [name.strip().lower() for name in encoding.split(",")]
        packed = [name for name in names if name not in ("", "identity")]
        if len(packed) > MAX_LAYERS:
            raise Garbled(f"packed more than {MAX_LAYERS} times over")
        self._layers = [_layer(name) for name in reversed(packed)]

    def unpacked(self, data: bytes) -> Iterator[bytes]:
        """What of the body can be told now that `data` has come."""
        return self._through(data, self._layers)

    def end(self) -> None:
        """All has come. Raises `BrokenOff` where the packing says that more was to follow."""
        if any(layer.cut for layer in self._layers):
            raise BrokenOff("what was packed ended in the middle")

    def _through(self, data: bytes, layers: list[_Layer]) -> Iterator[bytes]:
        if not layers:
            yield data
            return
        for part in layers[0].more(data):
            yield from self._through(part, layers[1:])


class _Layer(Protocol):
    """One packing."""

    @property
    def cut(self) -> bool:
        """Whether something came, and not all of it yet."""
        ...

    def more(self, data: bytes) -> Iterator[bytes]: ...


class _Zlib:
    """gzip, of which one may follow another, or deflate, with its wrapping or without."""

    def __init__(self, name: str) -> None:
        self._gzip = name != "deflate"
        self._head = b""  # what has come of the two bytes that a member begins with
        self._unzip: zlib._Decompress | None = None
        self._members, self._over = 0, False

    @property
    def cut(self) -> bool:
        return self._unzip is not None or (not self._members and bool(self._head))

    def more(self, data: bytes) -> Iterator[bytes]:
        full = False  # then some may be left to tell though no data is
        while (data or full) and not self._over:
            if self._unzip is None:
                data, full = self._begun(data), False
                continue
            part, data = self._part(self._unzip, data)
            full = len(part) == PIECE
            if part:
                yield part

    def _begun(self, data: bytes) -> bytes:
        """What is to be unpacked once the first two bytes of a member are here."""
        data = self._head + data
        if self._members:
            data = data.lstrip(b"\0")  # gzip files are filled up with zeros
        self._head = data if len(data) < len(_GZIP) else b""
        if len(data) < len(_GZIP):
            return b""
        if self._members and not (self._gzip and data.startswith(_GZIP)):
            self._over = True  # what stands behind a whole body is nobody's
            return b""
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise Garbled(f"gzip of more than {MAX_MEMBERS:,} members")
        self._unzip = zlib.decompressobj(self._window(data))
        return data

    def _window(self, data: bytes) -> int:
        if self._gzip:
            return zlib.MAX_WBITS | 16
        wrapped = data[0] & 15 == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0
        return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS  # some servers send it bare

    def _part(self, unzip: zlib._Decompress, data: bytes) -> tuple[bytes, bytes]:
        try:
            part = unzip.decompress(data, PIECE)
        except zlib.error as error:
            raise Garbled(f"not {'gzip' if self._gzip else 'deflate'}: {error}") from error
        if not unzip.eof:
            return part, unzip.unconsumed_tail
        self._unzip = None
        return part, unzip.unused_data


class _Brotli:
    def __init__(self) -> None:
        import brotli  # type: ignore[import-untyped]

        self._unpack, self._error = brotli.Decompressor(), brotli.error
        self._begun = False

    @property
    def cut(self) -> bool:
        return self._begun and not self._unpack.is_finished()

    def more(self, data: bytes) -> Iterator[bytes]:
        self._begun = self._begun or bool(data)
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
