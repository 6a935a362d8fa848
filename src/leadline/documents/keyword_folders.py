"""The shelf: folders of keyword indexes, of which the catalogue names the one that counts.

A published keyword index is never changed. An update links its files into a folder of its own and
writes there; the catalogue's transaction publishes it. A crash leaves a folder nobody names.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.documents.damage import Damaged
from leadline.documents.keywords import Keywords, Writer, translated
from leadline.errors import StoreBroken

Manifest = dict[str, tuple[int, int]]  # size and checksum of each file


class Shelf:
    """Keyword indexes below `home`, or one in memory."""

    def __init__(self, home: Path | None) -> None:
        self._home = home
        self._memory = Keywords() if home is None else None
        self._new = 0
        self._manifest: Manifest = {}

    def open(self, meta: dict[str, str]) -> Keywords:
        """The published keyword index, every file of it checked. Raises `Damaged`."""
        if self._memory is not None:
            self._memory.reload()
            return self._memory
        folder = self._folder(_generation(meta))
        _check(folder, _manifest_of(meta))
        try:
            return Keywords(folder)
        except StoreBroken as broken:
            raise Damaged(str(broken)) from broken

    @contextmanager
    def branch(self, meta: dict[str, str]) -> Iterator[Writer]:
        """A writer on a copy of the published index; after it the copy is ready to publish."""
        if self._memory is not None:
            writer = self._memory.writer()
            yield writer
            writer.commit()
            return
        current = _generation(meta)
        self._new = current + 1
        folder = self._folder(self._new)
        _link(self._folder(current) if current else None, folder)
        writer = Keywords(folder).writer()
        yield writer
        writer.commit()
        self._manifest = _manifest(folder, _manifest_of(meta))

    def published(self) -> dict[str, str]:
        """What the catalogue has to write down for the new index to count."""
        return {"generation": str(self._new), "manifest": json.dumps(self._manifest)}

    def prune(self) -> None:
        """Removes every folder but the newest; who still reads an old one keeps its files."""
        if self._home is None:
            return
        for folder in self._home.glob("words-*"):
            if folder != self._folder(self._new):
                shutil.rmtree(folder, ignore_errors=True)

    def _folder(self, generation: int) -> Path:
        assert self._home is not None
        return self._home / f"words-{generation}"


def _generation(meta: dict[str, str]) -> int:
    return int(meta.get("generation", "0"))


def _manifest_of(meta: dict[str, str]) -> Manifest:
    files = json.loads(meta.get("manifest", "{}"))
    return {name: (size, crc) for name, (size, crc) in files.items()}


def _link(old: Path | None, new: Path) -> None:
    """Makes `new` a copy of the published `old` that shares its files, which never change."""
    with translated(new):
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        for path in sorted(old.iterdir()) if old else ():
            if path.suffix == ".lock":
                continue
            try:
                os.link(path, new / path.name)
            except OSError:  # a file system without hard links
                shutil.copy2(path, new / path.name)


def _manifest(folder: Path, known: Manifest) -> Manifest:
    """Size and checksum of every file; those of segments published before are taken over."""
    found: Manifest = {}
    with translated(folder):
        for path in sorted(folder.iterdir()):
            if path.suffix == ".lock":
                continue
            size = path.stat().st_size
            old = known.get(path.name)
            if old is not None and old[0] == size and not path.name.endswith(".json"):
                found[path.name] = old
            else:
                found[path.name] = (size, zlib.crc32(path.read_bytes()))
    return found


def _check(folder: Path, expected: Manifest) -> None:
    """Raises `Damaged` when a file of the published index is missing or not as it was."""
    for name, (size, crc) in expected.items():
        try:
            data = (folder / name).read_bytes()
        except OSError as error:
            raise Damaged(f"a file of the keyword index cannot be read: {error}") from error
        if len(data) != size or zlib.crc32(data) != crc:
            raise Damaged(f"the keyword index is damaged: {folder / name}")
