"""Observations and stores for the tests of memory."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from leadline.keep.chroma import ChromaVectors
from leadline.keep.findings import Refuse
from leadline.keep.memory import MemoryStore
from leadline.reader.static import StaticEmbedder
from leadline.types import Finding, Observation, content_id

EMBEDDER = StaticEmbedder()
DAY = "2026-11-{:02}T09:00:00+00:00"
_WITH_CHROMA = pytest.mark.skipif(
    importlib.util.find_spec("chromadb") is None, reason="the extra chroma is not installed"
)
BACKENDS = ("sqlite", pytest.param("chroma", marks=_WITH_CHROMA))
ALL_BACKENDS = (*BACKENDS, pytest.param("chroma server", marks=_WITH_CHROMA))


def refuse(text: str) -> str:
    """A scanner that knows one attack."""
    return "attack: says what to do" if "ignore all previous" in text.lower() else ""


def vectors(backend: str, folder: Path) -> ChromaVectors | None:
    if backend == "sqlite":
        return None
    if backend.startswith("http"):
        name = f"leadline-{content_id(str(folder))[:12]}"
        return ChromaVectors(backend, name, lock=folder / "told")
    return ChromaVectors(folder / "chroma", "leadline-test", lock=folder / "told")


def open_memory(folder: Path, backend: str = "sqlite", guard: Refuse = refuse) -> MemoryStore:
    return MemoryStore(folder / "memory.db", EMBEDDER, guard, vectors=vectors(backend, folder))


def finding(text: str, url: str = "https://a.example/page", day: int = 1, **more: Any) -> Finding:
    return Finding(text, text, url, page=f"page of {url}", found=DAY.format(day), **more)


def seen(task: str, *findings: Finding, run: str = "run-1", day: int = 1) -> Observation:
    return Observation(task, findings, run_id=run, created=DAY.format(day), quality=0.9)


def about(number: int) -> Observation:
    """One of many that have nothing to do with each other."""
    words = ("amber", "basalt", "cobalt", "dune", "ember", "fjord", "garnet", "heath", "isle")
    name = f"{words[number % 9].title()}{number}"
    where = f"{words[number // 9 % 9]} of {words[-1 - number % 7]}"
    text = f"{name} lies {number} metres above the {where}."
    return seen(f"How high is {name}?", finding(text, f"https://{name}.example"), run=f"r{number}")
