"""Builds small office files and books for the tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
CORE = (
    '<c:coreProperties xmlns:c="x" xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:t="y">'
    "<d:title>The title</d:title><d:creator>Ann Lee</d:creator>"
    "<t:created>2024-05-06T07:08:09Z</t:created></c:coreProperties>"
)


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def rels(**targets: str) -> str:
    inner = "".join(
        f'<Relationship Id="{key}" Target="{target}"/>' for key, target in targets.items()
    )
    return f'<Relationships xmlns="{RELS}">{inner}</Relationships>'


def encrypted(data: bytes) -> bytes:
    """The same archive with every part marked as encrypted."""
    marked = bytearray(data)
    for signature, flag_at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = marked.find(signature)
        while at >= 0:
            marked[at + flag_at] |= 1
            at = marked.find(signature, at + 4)
    return bytes(marked)
