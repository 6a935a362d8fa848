"""Files that people give the service: a folder of their own, small, of kinds that are read."""

from __future__ import annotations

import re
import secrets
import unicodedata
from pathlib import Path

from pydantic import BaseModel

from leadline.readers.registry import READERS, suffix_of
from leadline.service.refusals import Refused
from leadline.settings import Settings
from leadline.text.images import SUFFIXES as IMAGES

MOST_FILES = 50  # in one folder
ROOM = 25  # times the size of one file: what all uploads together may take
_TOKEN = re.compile(r"uploads/([0-9a-f]{32})")


class Upload(BaseModel):
    """A file that was kept, and how a request names it."""

    folder: str
    name: str
    docs: str = ""  # for `docs` of a run
    image: str = ""  # to be written into a question


def uploads_of(settings: Settings) -> Path:
    """Under the folder in which the service stands, so that a question may name an image here."""
    return settings.data_dir / "service" / "uploads"


def upload_folder(settings: Settings, named: str) -> Path | None:
    """The folder that `uploads/TOKEN` names; None where there is none."""
    found = _TOKEN.fullmatch(named)
    folder = uploads_of(settings) / found[1] if found else None
    return folder if folder is not None and folder.is_dir() else None


def keep(settings: Settings, name: str, data: bytes, token: str = "") -> Upload:
    """Write a file into its folder. Raises `Refused` with what is wrong with it."""
    safe = _safe(name)
    suffix = suffix_of(safe)
    if suffix not in _readable() and suffix not in IMAGES:
        raise Refused(415, f"files of the kind {suffix or 'without a suffix'} are not read")
    root = uploads_of(settings)
    folder = upload_folder(settings, f"uploads/{token}") if token else None
    if token and folder is None:
        raise Refused(404, "there is no such folder of uploads")
    room = int(settings.serve_max_upload_mb * 1_000_000) * ROOM
    if _size(root) + len(data) > room:
        raise Refused(413, "the service has no room for more files; its keeper can make some")
    if folder is None:
        token = secrets.token_hex(16)
        folder = root / token
        folder.mkdir(parents=True, mode=0o700)
    if sum(1 for _ in folder.iterdir()) >= MOST_FILES:
        raise Refused(413, f"at most {MOST_FILES} files at a time")
    _write(folder / safe, data)
    named = f"uploads/{token}"
    if suffix in IMAGES:
        return Upload(folder=token, name=safe, image=f"{named}/{safe}")
    return Upload(folder=token, name=safe, docs=named)


def _readable() -> frozenset[str]:
    return frozenset(suffix for reader in READERS for suffix in reader.suffixes)


def _safe(name: str) -> str:
    """The last part of a name, of letters, digits and a few marks; never hidden."""
    last = re.split(r"[\\/]", unicodedata.normalize("NFC", name))[-1]
    stem, dot, suffix = last.rpartition(".")
    clean = re.sub(r"[^\w-]+", "-", stem if dot else suffix).strip("-")[:80] or "file"
    return f"{clean}.{re.sub(r'[^A-Za-z0-9]', '', suffix)[:10]}" if dot else clean


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all; a file of the same name is replaced."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            file.write(data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Refused(503, f"the file cannot be kept: {error.strerror}", 30.0) from error
