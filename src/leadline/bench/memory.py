"""What memory finds again: LoCoMo's conversations, each turn an observation, and its speed.

Keywords alone, vectors alone and the store are asked the same questions in the same run; the speed
is that of a store of 10,000 made-up observations, beside a bare commit.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from leadline.bench.data import one_of
from leadline.bench.measures import mean, percentile, recall
from leadline.bench.memory_parts import PartedStore
from leadline.bench.options import BenchOptions
from leadline.errors import BadInput
from leadline.rank.recall import KEYWORD_WEIGHT
from leadline.reader.static import StaticEmbedder
from leadline.types import Finding, Observation, content_id

KEPT = (4, 10)
CONTRACT = 0.4  # the weight of words that was asked for
WEIGHTS = (0.2, CONTRACT, 0.6, 0.8)  # beside the one in use
MANY = 10_000
LOOKUPS = 200
WRITES = 50
_TURN = re.compile(r"D\d+:\d+")
_CREATED = "2026-01-01T00:00:00+00:00"


@dataclass(frozen=True)
class Asked:
    """A question, and the ids of the turns that answer it."""

    text: str
    category: str
    turns: frozenset[str]


def run(data: Path, options: BenchOptions) -> dict[str, Any]:
    """Recall at 4 and at 10, in all and by category, and the time of lookups and writes."""
    path = data if data.is_file() else one_of(data, "locomo*.json", "*.json")
    found: dict[str, list[float]] = defaultdict(list)
    for turns, questions in _conversations(path):
        limit = options.limit or len(questions)
        _ask(turns, questions[:limit], found)
    figures: dict[str, Any] = {name: mean(values) for name, values in sorted(found.items())}
    figures["questions"] = len(found["r10.store"])
    return figures | _speed(MANY if not options.limit else 1000, options.seed)


# ── recall ──────────────────────────────────────────────────────────────────────────────────


def _conversations(path: Path) -> Iterator[tuple[dict[str, str], list[Asked]]]:
    """The turns of each conversation by id, and its questions that have evidence there."""
    try:
        samples = json.loads(path.read_text("utf-8"))
        for sample in samples:
            talk = sample["conversation"]
            sessions = [talk[name] for name in talk if re.fullmatch(r"session_\d+", name)]
            turns = {
                turn["dia_id"]: f"{turn['speaker']}: {turn['text']}"
                for session in sessions
                for turn in session
            }
            yield turns, _questions(sample["qa"], turns)
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is not laid out like LoCoMo: {error!r}") from error


def _questions(asked: list[dict[str, Any]], turns: dict[str, str]) -> list[Asked]:
    found = []
    for one in asked:
        named = {turn for text in one["evidence"] for turn in _TURN.findall(text)} & turns.keys()
        if named:
            found.append(Asked(one["question"], str(one["category"]), frozenset(named)))
    return found


def _ask(turns: dict[str, str], questions: list[Asked], found: dict[str, list[float]]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(_store(Path(folder))) as store:
        store.load([_observation(text, turn) for turn, text in turns.items()])
        for one in questions:
            grades = dict.fromkeys(one.turns, 1)
            for k in KEPT:
                ways = {
                    "keyword": store.by_words(one.text, k),
                    "vector": store.by_meaning(one.text, k),
                    "store": _ids(store, one.text, k),
                }
                ways |= {f"store_{w}": _ids(store, one.text, k, w) for w in WEIGHTS if k == 10}
                for way, ids in ways.items():
                    value = recall([id.removeprefix("turn-") for id in ids], grades, k)
                    found[f"r{k}.{way}"].append(value)
                    if way in ("keyword", "vector", "store", f"store_{CONTRACT}"):
                        found[f"r{k}.{way}.category{one.category}"].append(value)


def _ids(store: PartedStore, task: str, k: int, weight: float = KEYWORD_WEIGHT) -> list[str]:
    return [note.observation.id for note in store.get_context(task, k, weight=weight)]


def _observation(text: str, turn: str) -> Observation:
    finding = Finding(text, text, f"https://example.org/{turn}", found=_CREATED)
    return Observation("", (finding,), run_id=turn, created=_CREATED, id=f"turn-{turn}")


def _store(folder: Path) -> PartedStore:
    return PartedStore(folder / "memory.db", StaticEmbedder(), lambda text: "")


# ── speed ───────────────────────────────────────────────────────────────────────────────────


def _speed(count: int, seed: int) -> dict[str, Any]:
    """Lookups and writes in a store of `count` observations of words as common as in English."""
    dice = Random(seed)  # noqa: S311 - made-up text
    words = [content_id(str(number))[: 3 + number % 6] for number in range(20_000)]
    common = list(accumulate(1 / (number + 3) for number in range(len(words))))

    def text(length: int) -> str:
        return " ".join(dice.choices(words, cum_weights=common, k=length))

    with tempfile.TemporaryDirectory() as folder, closing(_store(Path(folder))) as store:
        started = time.process_time()
        store.load([_made_up(text(8), text(40), number) for number in range(count)])
        loaded = time.process_time() - started
        asked = [text(9) for _ in range(LOOKUPS)]
        more = [_made_up(text(8), text(40), count + number) for number in range(WRITES)]
        looked = [_timed(partial(store.get_context, task)) for task in asked]
        wrote = [_timed(partial(store.add, one)) for one in more]
        bare = [_timed(store.commit) for _ in more]
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
    return {
        "observations": count,
        "load_cpu_s": round(loaded, 1),
        **_times("get_context", looked),
        **_times("write", wrote),
        **_times("bare_commit", bare),
        "write_to_bare_commit": _ratio(wrote, bare),
        "file_mb": round(size, 1),
    }


def _times(name: str, taken: list[tuple[float, float]]) -> dict[str, float]:
    """Wall and processor milliseconds: on a busy machine only the second compare."""
    return {
        f"{name}_{clock}_ms_{label}": round(percentile([one[at] for one in taken], share), 2)
        for at, clock in enumerate(("wall", "cpu"))
        for label, share in (("p50", 0.5), ("p95", 0.95))
    }


def _ratio(taken: list[tuple[float, float]], base: list[tuple[float, float]]) -> float:
    """Of the medians, by the clock: what the machine was busy with falls out of it."""
    ours, theirs = (percentile([one[0] for one in each], 0.5) for each in (taken, base))
    return round(ours / theirs, 3) if theirs else 0.0


def _made_up(task: str, text: str, number: int) -> Observation:
    finding = Finding(text, text, f"https://example.org/{number}", found=_CREATED)
    return Observation(task, (finding,), run_id=f"run-{number}", created=_CREATED)


def _timed(do: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    do()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)
