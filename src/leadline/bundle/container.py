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
    if len(data) > MAX_BYTES:
        raise BadInput(f"{name} is not a run file: it has {len(data):,} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (*_BROKEN, struct.error) as error:
        raise BadInput(f"{name} is not a run file: it is no whole zip file ({error})") from error
    files: dict[str, bytes] = {}
    room = len(data)
    for entry in entries[: MAX_FILES + 1]:
        room -= entry.file_size
        start = entry.header_offset + _HEADER + len(entry.filename)
        inside = room >= 0 and 0 <= start <= start + entry.file_size <= len(data)
        if not (inside and _is_plain(entry)) or entry.filename in files:
            part = ascii(entry.orig_filename[:120])
            raise BadInput(
                f"{name} is not a run file: its part {part} is not a plain stored file of its own, "
                "as every part of a run file is"
            )
        files[entry.filename] = data[start : start + entry.file_size]
    if len(files) > MAX_FILES or MANIFEST not in files:
        raise BadInput(f"{name} is not a run file: it has too many parts, or no {MANIFEST}")
    if len(files[MANIFEST]) > MAX_MANIFEST:
        raise BadInput(f"{name} is not a run file: its {MANIFEST} is too large")
    return files


def _is_plain(entry: zipfile.ZipInfo) -> bool:
    """Whether this is a file with a plain name, neither compressed nor encrypted, and no link."""
    return (
        _NAME.fullmatch(entry.orig_filename) is not None
        and stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG)
        and not entry.flag_bits & 1
        and entry.compress_type == zipfile.ZIP_STORED
        and entry.compress_size == entry.file_size
    )
