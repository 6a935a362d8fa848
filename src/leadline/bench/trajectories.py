"""Records how the evidence for each question grows, one search at a time, to a resumable JSONL.

The product's own loop runs with nothing that would end it but a number of searches; what every
stop rule would have done can then be read from the records.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from leadline.bench.data import load_corpus
from leadline.bench.multihop import KEPT, RESULTS, Asked
from leadline.documents import DocIndex
from leadline.fakes.run import MemoryRun
from leadline.ports import Embedder
from leadline.question.planning import make_plan
from leadline.rank.stop_signals import Signs, signs
from leadline.reader.static import StaticEmbedder
from leadline.research.loop import Kit, gather
from leadline.research.state import begin
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.types import Limits, Reflection, Rules, State, Tier
from leadline.values import replace
from leadline.write.extractive import ExtractiveReasoner

MOST = 8  # searches that are recorded
MANY = 1000  # sources: being full must not end a search here
_APART = frozenset({"stopping.py"})  # rules are tried on the records, they do not make them
_CODE = ("text", "question", "rank", "write", "research", "bench/trajectories.py")


@dataclass(frozen=True)
class Point:
    """After one search: are all needed documents kept, what share of them, and the signs."""

    whole: bool
    share: float
    seen: Signs
    letters: int = 0  # in the accepted results so far


@dataclass(frozen=True)
class Trajectory:
    """One question, search by search."""

    question: str
    points: tuple[Point, ...]


def recorded(
    data: Path, questions: Sequence[Asked], work: Path | None, *, titles: bool = True
) -> list[Trajectory]:
    """A trajectory a question; those already in the `work` folder are read, not made again."""
    path = _path(data, work, titles)
    kept = read(path)
    missing = [one for one in questions if one.text not in kept]
    if missing:
        corpus = load_corpus(data, titles=titles)
        embedder = StaticEmbedder()
        index = DocIndex.in_memory(((d.id, d.title, d.text) for d in corpus), embedder)
        for one in _walked(index, embedder, missing):
            kept[one.question] = one
            _append(path, one)
    return [kept[one.text] for one in questions]


def _walked(
    index: DocIndex, embedder: Embedder, questions: Sequence[Asked]
) -> Iterable[Trajectory]:
    """The trajectories of `questions`, one after the other."""
    walk = _Walk(index, embedder)
    for one in questions:
        yield asyncio.run(walk.of(one))


class _Watching(ExtractiveReasoner):
    """Reflects as ever, keeps every state that it is shown, and never says that it is enough."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self.seen: list[State] = []

    async def reflect(self, state: State) -> Reflection:
        found = await super().reflect(state)
        told = replace(state, gaps=found.gaps, confidence=found.confidence)
        self.seen.append(told)
        return replace(found, sufficient=False)


class _Walk:
    def __init__(self, index: DocIndex, embedder: Embedder) -> None:
        searcher = DocumentSearcher(index)
        self._limits = Limits(max_iters=MOST, max_queries=MOST, max_sources=MANY)
        self._rules = Rules(
            policy="reflective",
            stop_rule="gate",
            novelty_threshold=0.0,  # scored, and let in all the same
            queries_per_round=1,
            results_per_search=RESULTS,
        )
        self._watching = _Watching(embedder)
        self._kit = Kit(
            reasoner=self._watching,
            find=from_provider(searcher),
            fetcher=searcher,
            embedder=embedder,
            rules=dict.fromkeys(Tier, self._rules),
            limits=dict.fromkeys(Tier, self._limits),
        )

    async def of(self, asked: Asked) -> Trajectory:
        run = MemoryRun(seed=0)
        self._watching.seen.clear()
        start = begin(asked.text, make_plan(asked.text, ()), self._limits, run.started)
        await gather(start, self._rules, self._kit, run)
        points: list[Point] = []
        before: State | None = None
        for state in self._watching.seen:
            before = _cut_off(state, before)
            points.append(_point(before, asked))
        return Trajectory(asked.text, tuple(points))


def _cut_off(state: State, before: State | None) -> State:
    """The state as it would be if no more sources were kept than are measured."""
    kept, old = state.kept[:KEPT], before.kept if before else ()
    changed = len(set(kept) - set(old))
    unchanged = before.unchanged + 1 if before and set(kept) == set(old) else 0
    return replace(state, kept=kept, changed=changed, unchanged=unchanged)


def _point(state: State, asked: Asked) -> Point:
    urls = {source.id: source.url for source in state.sources}
    kept = {urls[number] for number in state.kept}
    found = len(asked.gold & kept)
    letters = sum(len(hit.text) for hit in state.search_results)
    return Point(found == len(asked.gold), found / len(asked.gold), signs(state), letters)


# ── files ───────────────────────────────────────────────────────────────────────────────────


def _path(data: Path, work: Path | None, titles: bool) -> Path | None:
    """Where the records are: a name for the data, and for the code that made them."""
    if work is None:
        return None
    home = Path(__file__).resolve().parents[1]
    files = [
        file
        for part in _CODE
        for file in sorted((home / part).glob("*.py") if (home / part).is_dir() else [home / part])
        if file.name not in _APART
    ]
    code = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:10]
    folder = hashlib.sha256(f"{data.resolve()}{titles}".encode()).hexdigest()[:6]
    return work / f"stop-{data.name}-{folder}-{code}.jsonl"


def read(path: Path | None) -> dict[str, Trajectory]:
    if path is None or not path.exists():
        return {}
    found = (_parsed(line) for line in path.read_text("utf-8").splitlines())
    return {one.question: one for one in found if one is not None}


def _parsed(line: str) -> Trajectory | None:
    try:
        row: dict[str, Any] = json.loads(line)
    except ValueError:
        return None  # torn by a kill: it is made again
    points = tuple(
        Point(one["whole"], one["share"], Signs(**one["seen"]), one["letters"])
        for one in row["points"]
    )
    return Trajectory(row["question"], points)


def _append(path: Path | None, one: Trajectory) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(one)) + "\n")
