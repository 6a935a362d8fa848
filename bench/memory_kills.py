"""Kills a process at random instants while it writes to memory, and compares both sides after each.

    python bench/memory_kills.py --kills 200 --backend sqlite|chroma [--seed N] [--folder DIR]

One store lives through all kills. A child opens it, adds observations, merges some and forgets
some, and is killed by SIGKILL at a seeded instant: while it opens and heals, or while it writes.
Another child then opens it and reads both sides. They must hold the same set, everything that was
acknowledged must be there, nothing that was forgotten, and every vector must be that of its text.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from leadline.keep.chroma import ChromaVectors
from leadline.keep.memory import MemoryStore, text_of
from leadline.keep.memory_file import read, text_vector, vectors_of
from leadline.reader.static import StaticEmbedder
from leadline.types import Finding, Observation

EMBEDDER = StaticEmbedder()
OPENING = 0.2  # share of the kills that fall before or soon after the first write
OPENING_S = 0.5
WRITING_S = 0.3
SAMPLE = 20  # vectors that are made again after each kill
_DAY = "2026-11-01T09:00:00+00:00"
_FORK = multiprocessing.get_context("fork")  # no store is open where the fork is made


class Store(MemoryStore):
    """`MemoryStore` that can tell whether a vector is that of its text."""

    def wrong_vectors(self, ids: list[str]) -> int:
        """How many are missing, or are not what their text means."""
        stored = self._file.read(lambda db: vectors_of(db, ids))
        texts = {one.id: text_of(one) for one in self._file.read(lambda db: read(db, ids))}
        right = 0
        for id in ids:
            vector = text_vector(EMBEDDER, texts[id])
            found = self._vectors is None or id in self._vectors.near(vector, SAMPLE)
            right += found and float(stored[id] @ vector) > 0.999
        return len(ids) - right


@dataclass(slots=True)
class Told:
    """What the children acknowledged: ids that must be held, and ids that must not."""

    held: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    last: int = 0

    def hear(self, word: tuple[str, str | int]) -> None:
        kind, value = word
        if kind == "next":
            self.last = int(value)
        elif kind == "added":
            self.held.add(str(value))
        elif kind == "forgetting":  # from here on it may be either
            self.held.discard(str(value))
        elif kind == "forgotten":
            self.gone.add(str(value))


def open_store(folder: Path, backend: str) -> Store:
    vectors: ChromaVectors | None = None
    if backend == "chroma":
        vectors = ChromaVectors(folder / "chroma", "leadline-kills", lock=folder / "told")
    return Store(folder / "memory.db", EMBEDDER, lambda text: "", vectors=vectors)


def observation(number: int) -> Observation:
    words = ("amber", "basalt", "cobalt", "dune", "ember", "fjord", "garnet", "heath", "isle")
    name = f"{words[number % 9].title()}{number}"
    text = f"{name} lies {number} metres above the {words[number // 9 % 9]}."
    finding = Finding(text, text, f"https://{name}.example", page=name, found=_DAY)
    return Observation(f"How high is {name}?", (finding,), run_id=name, created=_DAY, quality=0.9)


def write_on(folder: Path, backend: str, first: int, seed: int, told: Connection) -> None:
    """Add, confirm and forget until killed."""
    store, dice = open_store(folder, backend), Random(seed)
    ids: dict[int, str] = {}
    for number in range(first, first + 100_000):
        told.send(("next", number))
        ids[number] = store.add(observation(number)).id
        told.send(("added", ids[number]))
        if dice.random() < 0.2:  # one that is held is written anew
            store.add(observation(dice.choice(list(ids))))
        if dice.random() < 0.05:
            id = ids.pop(dice.choice(list(ids)))
            told.send(("forgetting", id))
            store.forget([id])
            told.send(("forgotten", id))


def look(folder: Path, backend: str, seed: int, out: Connection) -> None:
    """What both sides hold after a restart."""
    store = open_store(folder, backend)
    words, vectors = store.held()
    some = Random(seed).sample(sorted(words), min(SAMPLE, len(words)))
    out.send((words, vectors, store.wrong_vectors(some)))
    store.close()


def kill_once(folder: Path, backend: str, dice: Random, told: Told) -> None:
    ours, theirs = _FORK.Pipe()
    args = (folder, backend, told.last + 1, dice.randrange(2**32), theirs)
    child = _FORK.Process(target=write_on, args=args)
    early = dice.random() < OPENING
    wait = dice.random() * (OPENING_S if early else WRITING_S)
    child.start()
    theirs.close()
    while not early:  # ChromaDB is opened by the first write
        told.hear(word := ours.recv())
        if word[0] == "added":
            break
    until = time.perf_counter() + wait
    while (left := until - time.perf_counter()) > 0:
        if ours.poll(left):
            told.hear(ours.recv())
    if child.pid is None or child.exitcode is not None:
        raise SystemExit(f"the writing process ended by itself, exit {child.exitcode}")
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    try:
        while True:
            told.hear(ours.recv())
    except (EOFError, OSError):
        ours.close()


def wrong_after(folder: Path, backend: str, seed: int, told: Told) -> tuple[str, int]:
    """What is wrong after a restart, "" where nothing is, and how many are held."""
    ours, theirs = _FORK.Pipe()
    child = _FORK.Process(target=look, args=(folder, backend, seed, theirs))
    child.start()
    theirs.close()
    try:
        words, vectors, strange = ours.recv()
    except EOFError:
        child.join()
        return f"the store could not be opened again (exit {child.exitcode})", 0
    child.join()
    wrong = {
        "only words": len(words - vectors),
        "only vectors": len(vectors - words),
        "acknowledged and lost": len(told.held - words),
        "forgotten and there": len(told.gone & words),
        "vectors not of their text": strange,
    }
    return ", ".join(f"{name}: {count}" for name, count in wrong.items() if count), len(words)


def survive(folder: Path, backend: str, kills: int, seed: int) -> dict[str, Any]:
    """So many kills of one store; `wrong` has the first thing that was not as it must be."""
    if backend == "chroma":
        import chromadb  # type: ignore[import-not-found,unused-ignore]  # noqa: F401 - once, here

    EMBEDDER.embed(["once, before the first fork"])
    dice, told, held = Random(seed), Told(), 0
    began = time.perf_counter()
    for number in range(1, kills + 1):
        kill_once(folder, backend, dice, told)
        wrong, held = wrong_after(folder, backend, dice.randrange(2**32), told)
        if wrong:
            return {"backend": backend, "kills": number, "wrong": wrong, "held": held}
    return {
        "backend": backend,
        "kills": kills,
        "wrong": "" if told.held and told.gone else "nothing was written, or nothing forgotten",
        "held": held,
        "acknowledged": len(told.held),
        "forgotten": len(told.gone),
        "seconds_a_kill": round((time.perf_counter() - began) / max(kills, 1), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--backend", choices=("sqlite", "chroma"), default="sqlite")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="an empty one; else a temporary one")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        found = survive(folder, given.backend, given.kills, given.seed)
    for name, value in found.items():
        sys.stdout.write(f"{name:<16} {value or '-'}\n")
    sys.exit(1 if found["wrong"] else 0)


if __name__ == "__main__":
    main()
