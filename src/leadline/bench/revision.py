"""Revision: what does scoring and patching a report add to it, and what does it let through?

The product's own loop answers each question over an index in memory, without revision and with it.
The models of revision are scripts, so that the figures say what the machinery does: `able` puts
the sentence of a passage that fits best beside one that is there; `careless` mends sentences with
other numbers and names; `cutting` takes sentences out. None of what the last two do should be seen
in a report.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from leadline.bench.answer import SEARCHES, Asked, load, normal
from leadline.bench.measures import mean
from leadline.bench.options import BenchOptions
from leadline.documents import DocIndex
from leadline.fakes.model import ScriptedModel
from leadline.fakes.run import MemoryRun
from leadline.ports import Embedder
from leadline.reader.static import StaticEmbedder
from leadline.research.loop import Kit, research
from leadline.research.revise import Editing
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.text.sentences import sentences
from leadline.text.words import content_words
from leadline.types import AgentResponse, Ask, Limits, Rules, Tier
from leadline.write.ask_model import Ways
from leadline.write.evaluating import GradeAnswer, ModelEvaluator, ModelReviser
from leadline.write.extractive import ExtractiveReasoner

ROUNDS = 3
KEPT = 10
VARIANTS = ("off", "able", "careless", "cutting")
_SCORES = ("depth", "relevance", "completeness", "specificity", "structure")
_LISTED = re.compile(r"^(\d+): (?!# )(.*\[\d+\])$", re.MULTILINE)
_SHOWN = re.compile(r"^\[(\d+)\][^\n]*\n+((?:(?!\[\d+\]).+\n?)+)", re.MULTILINE)


def run(data: Path, options: BenchOptions) -> dict[str, float | int]:
    """For each variant: `answer`, `sentence`, `claims`, `chars`, `score`, `calls`, `tokens`."""
    corpus, questions = load(data, options)
    if options.limit:
        size = min(options.limit, len(questions))
        questions = random.Random(options.seed).sample(questions, size)  # noqa: S311
    embedder = StaticEmbedder()
    index = DocIndex.in_memory(((d.id, d.title, d.text) for d in corpus), embedder)
    tally: dict[str, list[float]] = {}
    for one in questions:
        for name in VARIANTS:
            response, models = asyncio.run(_answered(one, name, index, embedder, options.seed))
            _note(tally, one, name, response, models)
    found: dict[str, float | int] = {key: mean(some) for key, some in sorted(tally.items())}
    return found | {"n": len(questions)}


async def _answered(
    one: Asked, name: str, index: DocIndex, embedder: Embedder, seed: int
) -> tuple[AgentResponse, Sequence[ScriptedModel]]:
    searcher = DocumentSearcher(index)
    limits = Limits(max_iters=SEARCHES, max_queries=SEARCHES, max_sources=KEPT)
    editing, models = _editing(name, one.text)
    kit = Kit(
        reasoner=ExtractiveReasoner(embedder),
        find=from_provider(searcher),
        fetcher=searcher,
        embedder=embedder,
        rules=dict.fromkeys(Tier, Rules()),
        limits=dict.fromkeys(Tier, limits),
        editing=editing,
    )
    return await research(one.text, kit, MemoryRun(seed=seed)), models


def _editing(name: str, task: str) -> tuple[Editing | None, Sequence[ScriptedModel]]:
    if name == "off":
        return None, ()
    critic = ScriptedModel(_Critic(), name="critic", window=32_768)
    menders: dict[str, Callable[[Ask], str]] = {
        "able": _Able(task),
        "careless": _careless,
        "cutting": _cutting,
    }
    mender = ScriptedModel(menders[name], name="mender", window=32_768)
    ways = Ways(datetime(2026, 1, 1, tzinfo=UTC))
    editing = Editing(ROUNDS, ModelEvaluator(critic, ways), ModelReviser(mender, ways))
    return editing, (critic, mender)


def _note(
    tally: dict[str, list[float]],
    one: Asked,
    name: str,
    response: AgentResponse,
    models: Sequence[ScriptedModel],
) -> None:
    said = f" {normal(response.final_answer)} "
    if one.answers and one.answers[0].strip().lower() not in ("yes", "no"):
        held = any(f" {normal(answer)} " in said for answer in one.answers)
        tally.setdefault(f"answer.{name}", []).append(held)
    if one.proofs:
        share = sum(normal(proof) in said for proof in one.proofs) / len(one.proofs)
        tally.setdefault(f"sentence.{name}", []).append(share)
    calls = response.calls
    revision = response.revision
    told = {
        "claims": len(response.claims),
        "chars": len(response.final_answer),
        "calls": len(calls),
        "tokens": sum(call.prompt_tokens + call.completion_tokens for call in calls),
        "score": revision.first.quality.total if revision else 0.0,
        "unproven": sum(claim.quote is None for claim in response.claims),
    }
    for figure, value in told.items():
        tally.setdefault(f"{figure}.{name}", []).append(value)
    if revision and models:
        tried = [one for one in revision.rounds if one.outcome != "less verified"]
        shipped = sum(one.patched for one in tried[: revision.best])
        tally.setdefault(f"shipped.{name}", []).append(shipped)


# ── the scripts ─────────────────────────────────────────────────────────────────────────────


class _Critic:
    """Finds fault with another sentence each time, and is happier each time."""

    def __init__(self) -> None:
        self._times = 0

    def __call__(self, ask: Ask) -> str:
        assert ask.schema is GradeAnswer
        self._times += 1
        numbers = [int(match[1]) for match in _LISTED.finditer(ask.prompt)] or [0]
        at = numbers[self._times % len(numbers)]
        problem = {"sentence": at, "problem": f"say more of what is asked, point {self._times}"}
        scores = dict.fromkeys(_SCORES, min(4 + self._times, 8))
        return json.dumps({**scores, "problems": [problem]})


class _Able:
    """Puts beside the named sentence that of a passage which has most of the question's words."""

    def __init__(self, task: str) -> None:
        self._wanted = set(content_words(task))

    def __call__(self, ask: Ask) -> str:
        said = normal(" ".join(match[2] for match in _LISTED.finditer(ask.prompt)))
        best, score = "", 0.0
        for match in _SHOWN.finditer(ask.prompt):
            for span in sentences(match[2]):
                words = set(content_words(span.text))
                worth = len(words & self._wanted) / (len(words) ** 0.5 or 1)
                if worth > score and normal(span.text) not in said:
                    best, score = f"{' '.join(span.text.split())} [{match[1]}]", worth
        return _mended(ask, lambda text: f"{text} {best}".strip())


def _careless(ask: Ask) -> str:
    """The named sentence with its first number raised, or its first name swapped."""
    return _mended(ask, _swapped)


def _cutting(ask: Ask) -> str:
    return _mended(ask, lambda text: "")


def _mended(ask: Ask, mend: Callable[[str], str]) -> str:
    named = re.findall(r"Sentence (\d+):", ask.prompt)
    texts = {match[1]: match[2] for match in _LISTED.finditer(ask.prompt)}
    patches = [
        {"sentence": int(number), "text": mend(texts[number])}
        for number in named
        if number in texts
    ]
    return json.dumps({"patches": patches})


def _swapped(text: str) -> str:
    body, mark, ids = text.rpartition(" [")
    changed, count = re.subn(r"\d+", lambda m: str(int(m[0]) + 3), body, count=1)
    if not count:
        changed = re.sub(r"(?<=\s)[A-Z][a-z]{3,}", "Quillmoor", body, count=1)
    if changed == body:
        changed = f"{body.rstrip('.')} in Quillmoor."
    return f"{changed}{mark}{ids}"
