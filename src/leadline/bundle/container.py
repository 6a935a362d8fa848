"""The zip around a run file: one way to write it, and a reader that accepts nothing else.

Files are stored without compression, in the order of their names, every header field fixed. So the
same files always make the same bytes on any machine, there is nothing to inflate, and a byte that
was changed anywhere, also between the files, shows.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import NoReturn

from leadline.errors import BadInput

MAX_BYTES = 512_000_000
MAX_FILES = 5_000
MAX_NAME = 120
MAX_MANIFEST = 4_000_000
MANIFEST = "manifest.json"

_NAME = re.compile(r"[a-z0-9_]+(?:[.-][a-z0-9_]+)*(?:/[a-z0-9_]+(?:[.-][a-z0-9_]+)*)?")
_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_MADE_BY = (3 << 8) | 20  # Unix, version 2.0 of the format
_NEEDS, _FLAGS, _STORED = 20, 0, 0
_TIME, _DATE = 0, (1 << 5) | 1  # 1980-01-01 00:00, the first that a zip can say
_MODE = (stat.S_IFREG | 0o644) << 16
_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    RuntimeError,
    ValueError,
    struct.error,
    EOFError,
    OSError,
)


def pack(files: Mapping[str, bytes]) -> bytes:
    """The one zip that these files make. `BadInput` when it would be too large to be read."""
    if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_BYTES:
        raise BadInput(
            f"the run is too large for one file: {len(files):,} parts, "
            f"{sum(map(len, files.values())):,} bytes; at most {MAX_FILES:,} and {MAX_BYTES:,}"
        )
    body, directory = bytearray(), bytearray()
    for name in sorted(files):
        data, label = files[name], name.encode("ascii")
        about = struct.pack(
            "<HHHHHLLLHH",
            *(_NEEDS, _FLAGS, _STORED, _TIME, _DATE),
            *(zlib.crc32(data), len(data), len(data), len(label), 0),
        )
        place = struct.pack("<HHHLL", 0, 0, 0, _MODE, len(body))
        directory += _CENTRAL + struct.pack("<H", _MADE_BY) + about + place + label
        body += _LOCAL + about + label + data
    counts = (0, 0, len(files), len(files), len(directory), len(body), 0)
    return bytes(body + directory + _END + struct.pack("<HHHHLLH", *counts))


def unpack(data: bytes, name: str) -> dict[str, bytes]:
    """The files as they stand in the zip; whether they are what they should be is not said here.

    Raises `BadInput` for what cannot be a run file. Nothing is written, nothing is inflated.
    """
    if len(data) > MAX_BYTES:
        _refuse(name, f"it has {len(data):,} bytes, at most {MAX_BYTES:,} are read")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except _BROKEN as error:
        _refuse(name, f"it is no whole zip file ({error})")
    if len(entries) > MAX_FILES:
        _refuse(name, f"it has {len(entries):,} parts, at most {MAX_FILES:,} are read")
    files: dict[str, bytes] = {}
    room = len(data)
    for entry in entries:
        _check(entry, name)
        if entry.filename in files:
            _refuse(name, f"the part {entry.filename} is in it twice")
        room -= entry.file_size
        start = entry.header_offset + 30 + len(entry.filename)
        if room < 0 or not 0 <= start <= start + entry.file_size <= len(data):
            _refuse(name, f"the part {entry.filename} says it is larger than the file")
        files[entry.filename] = data[start : start + entry.file_size]
    if MANIFEST not in files:
        _refuse(name, f"it has no {MANIFEST}")
    return files


def _check(entry: zipfile.ZipInfo, name: str) -> None:
    """A part of a run file is a plain stored file with a plain name."""
    part = ascii(entry.orig_filename[:MAX_NAME])
    if len(entry.orig_filename) > MAX_NAME or not _NAME.fullmatch(entry.orig_filename):
        _refuse(name, f"it has a part with the name {part}, which no run file has")
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        _refuse(name, f"the part {part} is a link or a device, not a file")
    if entry.flag_bits & 1:
        _refuse(name, f"the part {part} is encrypted")
    if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
        _refuse(name, f"the part {part} is compressed, which parts of a run file never are")
    if entry.filename == MANIFEST and entry.file_size > MAX_MANIFEST:
        _refuse(name, f"its {MANIFEST} has {entry.file_size:,} bytes, at most {MAX_MANIFEST:,}")


def _refuse(name: str, why: str) -> NoReturn:
    raise BadInput(f"{name} is not a run file: {why}")
