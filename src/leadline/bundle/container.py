"""The zip around a run file: one way to write it, and a reader that accepts nothing else.

Parts are stored without compression, in the order of their names, every header field fixed: the
same parts always make the same bytes, there is nothing to inflate, and any changed byte shows.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
from collections.abc import Mapping

from leadline.errors import BadInput

MAX_BYTES = 512_000_000
MAX_FILES = 5_000
MAX_MANIFEST = 4_000_000
MANIFEST = "manifest.json"

_NAME = re.compile(
    r"(?=.{1,120}\Z)[a-z0-9_]+(?:[.-][a-z0-9_]+)*(?:/[a-z0-9_]+(?:[.-][a-z0-9_]+)*)?"
)
_HEADER = 30  # bytes before the name of a part
_BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError, ValueError, EOFError, OSError)


def pack(files: Mapping[str, bytes]) -> bytes:
    """The one zip that these files make. `BadInput` when it would be too large to be read."""
    size = sum(map(len, files.values()))
    if len(files) > MAX_FILES or size > MAX_BYTES:
        raise BadInput(
            f"the run is too large for one file: {len(files):,} parts, {size:,} bytes; "
            f"at most {MAX_FILES:,} and {MAX_BYTES:,}"
        )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name)  # of 1980, the first year that a zip can say
            info.create_system = 3  # Unix, wherever it is written
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, files[name])
    return buffer.getvalue()


def unpack(data: bytes, name: str) -> dict[str, bytes]:
    """The files as they stand in the zip; whether they are what they should be is not said here.

    Raises `BadInput` for what cannot be a run file. Nothing is written, nothing is inflated.
    """
    try:
        return _parts(data)
    except (*_BROKEN, struct.error) as error:
        raise BadInput(f"{name} is not a run file: it is no whole zip file ({error})") from error
    except _Refused as error:
        raise BadInput(f"{name} is not a run file: {error}") from error


class _Refused(Exception):
    """What no run file has."""


def _parts(data: bytes) -> dict[str, bytes]:
    if len(data) > MAX_BYTES:
        raise _Refused(f"it has {len(data):,} bytes, at most {MAX_BYTES:,} are read")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
    if len(entries) > MAX_FILES:
        raise _Refused(f"it has {len(entries):,} parts, at most {MAX_FILES:,} are read")
    files: dict[str, bytes] = {}
    room = len(data)
    for entry in entries:
        if wrong := _wrong(entry):
            raise _Refused(wrong)
        if entry.filename in files:
            raise _Refused(f"the part {entry.filename} is in it twice")
        room -= entry.file_size
        start = entry.header_offset + _HEADER + len(entry.filename)
        if room < 0 or not 0 <= start <= start + entry.file_size <= len(data):
            raise _Refused(f"the part {entry.filename} says it is larger than the file")
        files[entry.filename] = data[start : start + entry.file_size]
    if MANIFEST not in files:
        raise _Refused(f"it has no {MANIFEST}")
    return files


def _wrong(entry: zipfile.ZipInfo) -> str:
    """Why this is no part of a run file, which is a plain stored file with a plain name."""
    part = ascii(entry.orig_filename[:120])
    if not _NAME.fullmatch(entry.orig_filename):
        return f"it has a part with the name {part}, which no run file has"
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        return f"the part {part} is a link or a device, not a file"
    if entry.flag_bits & 1:
        return f"the part {part} is encrypted"
    if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
        return f"the part {part} is compressed, which parts of a run file never are"
    if entry.filename == MANIFEST and entry.file_size > MAX_MANIFEST:
        return f"its {MANIFEST} has {entry.file_size:,} bytes, at most {MAX_MANIFEST:,}"
    return ""
