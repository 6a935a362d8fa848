"""Files that people give the service: a folder of their own, small, of kinds that are read."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import shutil
import time
import unicodedata
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel

from leadline.errors import LeadlineError
from leadline.ports import RunInfo
from leadline.read.registry import READERS, suffix_of
from leadline.service.refusals import Refused
from leadline.settings import Settings
from leadline.text.images import SUFFIXES as IMAGES

MOST_FILES = 50  # in one folder
ROOM = 25  # times the size of one file: what all uploads together may take
DAY_S, SWEEP_S = 86_400.0, 6 * 3600.0
_log = logging.getLogger("leadline.service")
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
    if folder is None or not folder.is_dir():
        return None
    with suppress(OSError):
        os.utime(folder)  # it is kept for so long after its last use
    return folder


def sweep(settings: Settings, now: float, used: str) -> int:
    """Delete folders that nobody has used for so many days; how many. `used` names some that
    runs still need, in whatever words."""
    if not settings.serve_upload_days or not uploads_of(settings).is_dir():
        return 0
    oldest = now - settings.serve_upload_days * DAY_S
    gone = 0
    for folder in uploads_of(settings).iterdir():
        with suppress(FileNotFoundError):  # another service of this folder was quicker
            if folder.is_dir() and folder.stat().st_mtime < oldest and folder.name not in used:
                shutil.rmtree(folder, ignore_errors=True)
                gone += 1
    return gone


async def tidying(
    settings: Settings, runs: Callable[[], Awaitable[list[RunInfo]]], every_s: float = SWEEP_S
) -> None:
    """Sweep now and every few hours, until it is cancelled; a store that is away for a moment is
    no reason never to sweep again."""
    while True:
        try:
            kept = uploads_of(settings).is_dir()  # else the runs need not be looked at
            going = [one for one in await runs() if one.status != "finished"] if kept else ()
            used = " ".join(f"{one.task} {one.settings.get('docs', '')}" for one in going)
            gone = await asyncio.to_thread(sweep, settings, time.time(), used)
            if gone:
                _log.info("%d folders of uploads were not used for long and are deleted", gone)
        except (LeadlineError, OSError) as error:
            _log.warning("uploads are not swept this time: %s", error)
        await asyncio.sleep(every_s)


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
    try:
        if _size(root) + len(data) > room:
            raise Refused(413, "the service has no room for more files; its keeper can make some")
        if folder is None:
            token = secrets.token_hex(16)
            folder = root / token
            folder.mkdir(parents=True, mode=0o700)
        if sum(1 for _ in folder.iterdir()) >= MOST_FILES:
            raise Refused(413, f"at most {MOST_FILES} files at a time")
        _write(folder / safe, data)
    except OSError as error:
        raise Refused(503, f"the file cannot be kept: {error.strerror}", 30.0) from error
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
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # swept, or put in its place, meanwhile
            size += path.stat().st_size if path.is_file() else 0
    return size


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all; a file of the same name is replaced."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            file.write(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
