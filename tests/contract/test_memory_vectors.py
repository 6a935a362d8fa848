"""Every vector backend keeps the same promises: the file itself, and ChromaDB behind its outbox,
in a folder or at a server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chroma_server import chroma_server
from leadline.errors import StoreBroken
from leadline.rank.recall import KEYWORD_WEIGHT
from remembered import ALL_BACKENDS, BACKENDS, about, finding, open_memory, seen

KILLS = Path(__file__).parents[2] / "bench" / "memory_kills.py"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with chroma_server() as url:
        yield url


@pytest.fixture(params=ALL_BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    asked = str(request.param)
    return str(request.getfixturevalue("server")) if asked == "chroma server" else asked


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


@pytest.mark.contract("M1", "M6")
def test_with_the_server_away_neither_side_takes_it_and_nothing_is_lost(tmp_path: Path) -> None:
    pytest.importorskip("chromadb")
    with chroma_server() as url:
        store = open_memory(tmp_path, url)
        first = store.add(about(1)).id
    with pytest.raises(StoreBroken, match="ChromaDB"):
        store.add(about(2))
    store.close()
    here = open_memory(tmp_path)  # the same file, its vectors made anew
    words, meaning = here.held()
    assert words == meaning == {first}
    here.close()


def _killed(folder: Path, backend: str, kills: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(KILLS), "--kills", str(kills), "--backend", backend]
    return subprocess.run(
        [*command, "--seed", "7", "--folder", str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("store", BACKENDS)
@pytest.mark.contract("M1", "R9")
def test_killed_at_any_instant_either_both_hold_it_or_neither(tmp_path: Path, store: str) -> None:
    done = _killed(tmp_path, store, 8)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("store", BACKENDS)
@pytest.mark.contract("M1", "R9")
def test_sixty_kills_leave_both_sides_equal(tmp_path: Path, store: str) -> None:
    done = _killed(tmp_path, store, 60)
    assert done.returncode == 0, done.stdout + done.stderr
