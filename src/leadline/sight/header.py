"""What the first bytes of an image say: its format and size, before anything is decoded.

A size that is a lie is found out when it is decoded; one that is too large is refused here, so
that a few bytes that unfold into gigabytes never get that far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leadline.errors import SourceLost

_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


@dataclass(frozen=True)
class Header:
    """The format of an image, its size in pixels, and whether its end is there."""

    kind: str
    width: int
    height: int
    whole: bool

    @property
    def pixels(self) -> int:
        return self.width * self.height


def read_header(data: bytes) -> Header:
    """The header of a PNG, JPEG, GIF, BMP or WebP. Raises `SourceLost` for anything else."""
    for starts, read in _FORMATS:
        if starts(data):
            try:
                header = read(data)
            except (IndexError, ValueError):
                header = None
            if header is None or header.width < 1 or header.height < 1:
                raise SourceLost("it begins like an image but has no size")
            return header
    raise SourceLost("it is not a PNG, JPEG, GIF, BMP or WebP image")


def _number(data: bytes, at: int, size: int, order: str = "little", signed: bool = False) -> int:
    piece = data[at : at + size]
    if len(piece) < size:
        raise ValueError(at)
    return int.from_bytes(piece, "big" if order == "big" else "little", signed=signed)


def _png(data: bytes) -> Header:
    if data[12:16] != b"IHDR":
        raise ValueError("no IHDR")
    return Header("png", _number(data, 16, 4, "big"), _number(data, 20, 4, "big"), b"IEND" in data)


def _gif(data: bytes) -> Header:
    whole = data.rstrip(b"\0").endswith(b";")
    return Header("gif", _number(data, 6, 2), _number(data, 8, 2), whole)


def _bmp(data: bytes) -> Header:
    if _number(data, 14, 4) == 12:
        width, height = _number(data, 18, 2), _number(data, 20, 2)
    else:
        # A height below zero means that the rows go from top to bottom.
        width, height = _number(data, 18, 4), abs(_number(data, 22, 4, signed=True))
    return Header("bmp", width, height, len(data) > _number(data, 10, 4))


def _webp(data: bytes) -> Header:
    whole = len(data) >= _number(data, 4, 4) + 8
    match data[12:16]:
        case b"VP8X":
            width, height = _number(data, 24, 3) + 1, _number(data, 27, 3) + 1
        case b"VP8L":
            bits = _number(data, 21, 4)
            width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = _number(data, 26, 2) & 0x3FFF, _number(data, 28, 2) & 0x3FFF
        case _:
            raise ValueError("no picture")
    return Header("webp", width, height, whole)


def _jpeg(data: bytes) -> Header:
    """The size stands in the segment that starts a frame; those before it are stepped over."""
    at = 2
    while True:
        if data[at] != 0xFF:
            raise ValueError(at)
        while data[at] == 0xFF:
            at += 1
        mark = data[at]
        at += 1
        if mark in _JPEG_SIZES:
            height, width = _number(data, at + 3, 2, "big"), _number(data, at + 5, 2, "big")
            return Header("jpeg", width, height, b"\xff\xd9" in data[at:])
        if mark not in _JPEG_BARE:
            at += max(2, _number(data, at, 2, "big"))


_FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], Header]], ...] = (
    (lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"), _png),
    (lambda data: data.startswith(b"\xff\xd8\xff"), _jpeg),
    (lambda data: data.startswith((b"GIF87a", b"GIF89a")), _gif),
    (lambda data: data.startswith(b"RIFF") and data[8:12] == b"WEBP", _webp),
    (lambda data: data.startswith(b"BM") and len(data) > 26, _bmp),
)
