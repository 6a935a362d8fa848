"""Multi-hop questions: does each policy keep every document that the answer needs?

The policies are the product's own, run through its loop over an index in memory; beside them one
keyword search of ten, and one search of fifty ranked the same way, which is the fair baseline: it
tells what iterating adds to reading more. `five` asks one query a round and never stops by itself.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.bench.data import load_corpus, one_of, rows
from leadline.bench.measures import mean
from leadline.bench.options import BenchOptions
from leadline.documents import DocIndex
from leadline.fakes.run import MemoryRun
from leadline.question.planning import make_plan
from leadline.rank.name_links import Held, rank_sources
from leadline.reader.static import StaticEmbedder
from leadline.research.loop import Kit, gather
from leadline.research.state import begin
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.types import Limits, PolicyName, Rules, Tier
from leadline.values import replace
from leadline.write.extractive import ExtractiveReasoner

KEPT = 10  # documents
SEARCHES = 5
RESULTS = 10  # of a search
WIDE = 50  # results of the fair baseline's only search


@dataclass(frozen=True)
class Asked:
    """A question and the documents that its answer needs, all of them."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True)
class Outcome:
    """The documents kept for a question, best first, and what they took to find."""

    kept: tuple[str, ...]
    searches: int


Variant = Callable[[str], Awaitable[Outcome]]


def run(data: Path, options: BenchOptions) -> dict[str, float | int]:
    """`all_gold10`, `r5`, `searches` and CPU `ms` for each variant; `n` questions."""
    corpus = load_corpus(data, titles=not options.no_titles)
    questions = load_questions(options.queries or one_of(data, "questions.jsonl", "questions*"))
    if options.limit:
        size = min(options.limit, len(questions))
        questions = random.Random(options.seed).sample(questions, size)  # noqa: S311
    index = DocIndex.in_memory(((d.id, d.title, d.text) for d in corpus), StaticEmbedder())
    found: dict[str, float | int] = {}
    for name, variant in variants(index, options.seed).items():
        found |= asyncio.run(_measured(name, variant, questions))
    gain = found["all_gold10.reflective"] - found["all_gold10.fair"]
    return found | {"gain.reflective": round(gain, 4), "n": len(questions)}


def load_questions(path: Path) -> list[Asked]:
    """Questions in the layout of `questions.jsonl`: `question` and `gold_doc_ids`."""
    return [Asked(row["question"], frozenset(row["gold_doc_ids"])) for row in rows(path)]


def variants(index: DocIndex, seed: int = 0) -> dict[str, Variant]:
    """What is compared, by name."""
    policies: tuple[PolicyName, ...] = ("fixed", "saturation", "reflective")
    return {
        "single": _single(index),
        "fair": _fair(index),
        "five": _policy(index, "reflective", seed, endless=True),
        **{policy: _policy(index, policy, seed) for policy in policies},
    }


def _single(index: DocIndex) -> Variant:
    async def ask(question: str) -> Outcome:
        hits = index.search(_opening(question), RESULTS, mode="bm25")
        return Outcome(_documents([hit.url for hit in hits]), 1)

    return ask


def _fair(index: DocIndex) -> Variant:
    async def ask(question: str) -> Outcome:
        hits = index.search(_opening(question), WIDE)
        held = [Held(hit.url, hit.title, hit.text, hit.score) for hit in hits]
        ranked = rank_sources(question, held)
        return Outcome(_documents([one.held.key for one in ranked]), 1)

    return ask


def _policy(index: DocIndex, policy: PolicyName, seed: int, *, endless: bool = False) -> Variant:
    """The product's loop; `endless` with nothing to end it but the number of searches."""
    embedder = StaticEmbedder()
    searcher = DocumentSearcher(index)
    limits = Limits(max_iters=SEARCHES, max_queries=SEARCHES, max_sources=KEPT)
    rules = Rules(policy=policy, results_per_search=RESULTS)
    if endless:
        rules = replace(rules, gate="none", stop_rule="gate", queries_per_round=1)
    kit = Kit(
        reasoner=ExtractiveReasoner(embedder),
        find=from_provider(searcher),
        fetcher=searcher,
        embedder=embedder,
        rules=dict.fromkeys(Tier, rules),
        limits=dict.fromkeys(Tier, limits),
    )

    async def ask(question: str) -> Outcome:
        memory = MemoryRun(seed=seed)
        plan = make_plan(question, ())
        state = await gather(begin(question, plan, limits, memory.started), rules, kit, memory)
        urls = {source.id: source.url for source in state.sources}
        return Outcome(tuple(urls[number] for number in state.kept), len(state.asked))

    return ask


def _opening(question: str) -> str:
    return make_plan(question, ()).search_queries[0].text


def _documents(urls: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(urls))[:KEPT]


async def _measured(
    name: str, variant: Variant, questions: Sequence[Asked]
) -> dict[str, float | int]:
    start = time.process_time()
    outcomes = [await variant(question.text) for question in questions]
    spent = time.process_time() - start
    pairs = list(zip(outcomes, questions, strict=True))
    count = len(questions) or 1
    return {
        f"all_gold10.{name}": mean([q.gold.issubset(o.kept) for o, q in pairs]),
        f"r5.{name}": mean([len(q.gold.intersection(o.kept[:5])) / len(q.gold) for o, q in pairs]),
        f"searches.{name}": mean([o.searches for o, _ in pairs]),
        f"ms.{name}": round(1000 * spent / count, 1),
    }
