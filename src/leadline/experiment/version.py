"""Which version of the program made a figure: a hash of its files."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_KINDS = frozenset({".py", ".md", ".npz", ".json", ".gz"})  # code, prompts and trained numbers


@cache
def code_version() -> str:
    """Twelve digits that change with any file that can change a figure."""
    whole = hashlib.sha256()
    for path in sorted(_ROOT.rglob("*")):
        if path.suffix in _KINDS and path.is_file():
            whole.update(str(path.relative_to(_ROOT)).encode() + b"\0")
            whole.update(path.read_bytes())
    return whole.hexdigest()[:12]
