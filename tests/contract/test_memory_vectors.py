"""Both vector backends keep the same promises: the file itself, and ChromaDB behind its outbox."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leadline.rank.recall import KEYWORD_WEIGHT
from remembered import BACKENDS, about, finding, open_memory, seen

pytestmark = pytest.mark.parametrize("backend", BACKENDS)


@pytest.mark.contract("M1")
def test_words_and_vectors_hold_the_same_observations(tmp_path: Path, backend: str) -> None:
    store = open_memory(tmp_path, backend)
    for number in range(8):
        store.add(about(number))
    words, meaning = store.held()
    assert words == meaning
    assert len(words) == store.count() == 8
    store.close()


@pytest.mark.contract("M2")
def test_the_nearest_is_found_again_after_reopening(tmp_path: Path, backend: str) -> None:
    store = open_memory(tmp_path, backend)
    for number in range(8):
        store.add(about(number))
    store.close()
    again = open_memory(tmp_path, backend)
    notes = again.get_context("How high does Cobalt2 lie?", 2)
    assert notes[0].observation.task == "How high is Cobalt2?"
    assert notes[0].score == pytest.approx(notes[0].similarity + KEYWORD_WEIGHT * notes[0].keyword)
    again.close()


@pytest.mark.contract("M6")
def test_what_is_forgotten_is_gone_from_both(tmp_path: Path, backend: str) -> None:
    store = open_memory(tmp_path, backend)
    kept = [store.add(about(number)).id for number in range(4)]
    assert store.forget([kept[1]]) == 1
    words, meaning = store.held()
    assert words == meaning == {kept[0], kept[2], kept[3]}
    store.close()


@pytest.mark.contract("M4")
def test_a_merged_observation_is_found_by_its_new_words(tmp_path: Path, backend: str) -> None:
    store = open_memory(tmp_path, backend)
    first = store.add(seen("What is in the harbour?", finding("The harbour holds nine tugs.")))
    fact = finding("A quarantine station stands on the northern mole.", "https://b.example", day=2)
    second = store.add(seen("what is in the HARBOUR", fact, run="run-2", day=2))
    assert first.id == second.id
    assert store.get_context("Where is the quarantine station?", 1)[0].observation.id == first.id
    assert store.count() == 1
    store.close()


# ── crashes ─────────────────────────────────────────────────────────────────────────────────


def _write_on(folder: Path, backend: str, first: int, told: Connection) -> None:
    """Write, and now and then forget, until killed."""
    store = open_memory(folder, backend)
    ids: list[str] = []
    for number in range(first, first + 10_000):
        told.send(number)
        ids.append(store.add(about(number)).id)
        if number % 5 == 4:
            store.forget([ids.pop(0)])


def _killed_at_random(folder: Path, backend: str, times: int) -> int:
    """How many observations are left after so many kills; both sides are compared after each."""
    dice, first, left = Random(times), 0, 0
    # ChromaDB has threads of its own, which do not survive a fork.
    own: Any = multiprocessing.get_context("fork" if backend == "sqlite" else "spawn")
    for _ in range(times):
        ours, theirs = own.Pipe()
        child = own.Process(target=_write_on, args=(folder, backend, first, theirs))
        child.start()
        for _ in range(dice.randint(1, 4)):
            first = ours.recv()
        until = time.perf_counter() + dice.random() * 0.02
        while time.perf_counter() < until:
            pass
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        first += 10
        store = open_memory(folder, backend)
        words, meaning = store.held()
        assert words == meaning
        left = len(words)
        store.close()
    return left


@pytest.mark.contract("M1", "R9")
def test_killed_at_any_instant_either_both_hold_it_or_neither(tmp_path: Path, backend: str) -> None:
    assert _killed_at_random(tmp_path, backend, 10) > 0


@pytest.mark.slow
@pytest.mark.contract("M1", "R9")
def test_two_hundred_kills_leave_both_sides_equal(tmp_path: Path, backend: str) -> None:
    assert _killed_at_random(tmp_path, backend, 200) > 0
