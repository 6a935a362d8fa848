"""Answers: does the report hold the gold answer, and is "not found" said when it should be?

The product's own loop answers each question over an index in memory. Beside it stand two reports
of the same length made from the same passages: their opening sentences, and their best sentences
by keyword and meaning alone. Whether "not found" is said rightly is measured three ways: questions
about invented things, questions of the other sets in the same folder, and, hardest, the same
questions asked again once the documents that answer them are gone.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.bench.data import Document, load_corpus, one_of, rows
from leadline.bench.measures import mean
from leadline.bench.options import BenchOptions
from leadline.documents import DocIndex
from leadline.errors import BadInput
from leadline.fakes.run import MemoryRun
from leadline.ports import Embedder
from leadline.rank.word_coverage import coverage, rarity
from leadline.reader.static import StaticEmbedder
from leadline.research.loop import Kit, research
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.text.sentences import sentences
from leadline.text.words import content_words
from leadline.types import Draft, Limits, Passage, Rules, State, Tier
from leadline.write.extractive import ExtractiveReasoner

SEARCHES = 5
KEPT = 10
_OF_EACH = 20  # questions of each other set
INVENTED = (
    "What torque is specified for the wheel nuts of the Zentaur 450 tractor?",
    "Who chaired the Quillmoor parish council in 1887?",
    "How many seats does the ferry MV Ostrava Pearl have?",
    "When did Brindlewick Software release version 4.2 of Tessera?",
    "What is the melting point of vextronium chloride?",
    "Where is the Hallbeck Institute of Glaciology based?",
    "Why did the Pontarel railway replace its signal boxes?",
    "How do I reset the admin password of a Korvax NAS?",
    "Which enzyme does the drug larotensin inhibit?",
    "Who wrote the novel The Salt Ledger of Amberfell?",
    "What is the notice period in the Dunmore tenancy agreement?",
    "How often must the filters of the Aerolux P9 purifier be changed?",
)


@dataclass(frozen=True)
class Asked:
    """A question, the strings that answer it, the sentences that prove it, and where they stand."""

    text: str
    answers: tuple[str, ...]
    proofs: tuple[str, ...]
    gold: frozenset[str]


class Listening(ExtractiveReasoner):
    """The extractive reasoner, remembering what it was given to write from."""

    passages: tuple[Passage, ...] = ()

    async def write(self, state: State, passages: Sequence[Passage]) -> Draft:
        self.passages = tuple(passages)
        return await super().write(state, passages)


def run(data: Path, options: BenchOptions) -> dict[str, float | int]:
    """`answer`, `sentence`, `chars` for each variant, `direct`, `found`, `cpu_s`, `n`."""
    corpus, questions = load(data, options)
    if options.limit:
        size = min(options.limit, len(questions))
        questions = random.Random(options.seed).sample(questions, size)  # noqa: S311
    embedder = StaticEmbedder()
    index = _index(corpus, embedder)
    found = asyncio.run(_measured(index, questions, embedder, options.seed))
    found["found.invented"] = _unfound(index, INVENTED, embedder, options.seed)
    strangers = _strangers(data, options.seed)
    if strangers:
        found["found.unanswerable"] = _unfound(index, strangers, embedder, options.seed)
    gone = frozenset(doc for one in questions for doc in one.gold)
    rest = _index([doc for doc in corpus if doc.id not in gone], embedder)
    asked = [one.text for one in questions]
    found["found.removed"] = _unfound(rest, asked, embedder, options.seed)
    return found | {"n": len(questions)}


# ── data ────────────────────────────────────────────────────────────────────────────────────


def load(data: Path, options: BenchOptions) -> tuple[tuple[Document, ...], list[Asked]]:
    """The corpus and its questions, in the layout of ClapNQ or of the multi-hop sets."""
    layout = options.format or data.name
    if layout == "clapnq":
        return _clapnq(options.queries or one_of(data, "*answerable*.jsonl*", "*.jsonl*"))
    corpus = load_corpus(data, titles=not options.no_titles)
    path = options.queries or one_of(data, "questions.jsonl", "questions*")
    questions = [_multihop(row) for row in rows(path)]
    if not questions:
        raise BadInput(f"{path} holds no question")
    return corpus, questions


def _multihop(row: dict[str, Any]) -> Asked:
    texts = row.get("sentences") or {}
    proofs = [
        texts[title][number]
        for title, number in row.get("supporting_facts") or ()
        if number < len(texts.get(title, ()))
    ]
    answers = tuple(row["answers"])
    return Asked(row["question"], answers, tuple(proofs), frozenset(row["gold_doc_ids"]))


def _clapnq(path: Path) -> tuple[tuple[Document, ...], list[Asked]]:
    corpus: dict[str, Document] = {}
    questions = []
    for row in rows(path):
        gold = []
        for number, passage in enumerate(row["passages"]):
            name = f"{row['id']}-{number}"
            corpus[name] = Document(name, passage["title"], passage["text"])
            gold.append(name)
        proofs = [one for output in row["output"] for one in output["selected_sentences"]]
        questions.append(Asked(row["input"], (), tuple(dict.fromkeys(proofs)), frozenset(gold)))
    return tuple(corpus.values()), questions


def _strangers(data: Path, seed: int) -> list[str]:
    """Questions of the sets that stand beside `data`, a few of each."""
    found: list[str] = []
    for folder in sorted(data.resolve().parent.iterdir()):
        files = sorted(folder.glob("questions.jsonl")) or sorted(folder.glob("clapnq*.jsonl"))
        if files and folder.name != data.resolve().name:
            texts = [row.get("question") or row["input"] for row in rows(files[0])]
            size = min(_OF_EACH, len(texts))
            found += random.Random(seed).sample(texts, size)  # noqa: S311
    return found


def _index(corpus: Sequence[Document], embedder: Embedder) -> DocIndex:
    return DocIndex.in_memory(((d.id, d.title, d.text) for d in corpus), embedder)


# ── answering ───────────────────────────────────────────────────────────────────────────────


def _kit(index: DocIndex, embedder: Embedder) -> tuple[Kit, Listening]:
    searcher = DocumentSearcher(index)
    reasoner = Listening(embedder)
    limits = Limits(max_iters=SEARCHES, max_queries=SEARCHES, max_sources=KEPT)
    kit = Kit(
        reasoner=reasoner,
        find=from_provider(searcher),
        fetcher=searcher,
        embedder=embedder,
        rules=dict.fromkeys(Tier, Rules()),
        limits=dict.fromkeys(Tier, limits),
    )
    return kit, reasoner


async def _measured(
    index: DocIndex, questions: Sequence[Asked], embedder: Embedder, seed: int
) -> dict[str, float | int]:
    kit, reasoner = _kit(index, embedder)
    tally: dict[str, list[float]] = {}
    for one in questions:
        start = time.process_time()
        response = await research(one.text, kit, MemoryRun(seed=seed))
        spent = time.process_time() - start
        passages, room = reasoner.passages, len(response.final_answer)
        texts = {
            "extractive": response.final_answer,
            "direct": response.final_answer.split("\n", 1)[0],
            "lead": _cut(_leads(passages), room),
            "topk": _cut(_topk(one.text, passages, embedder), room),
            "passages": "\n".join(passage.text for passage in passages),
        }
        for name, text in texts.items():
            _note(tally, one, name, text)
        tally.setdefault("found.answerable", []).append(response.found)
        tally.setdefault("cpu_s.extractive", []).append(spent)
    return {key: mean(values) for key, values in sorted(tally.items())}


def _note(tally: dict[str, list[float]], one: Asked, name: str, text: str) -> None:
    said = f" {normal(text)} "
    if one.answers and not _yes_or_no(one.answers):
        held = any(f" {normal(answer)} " in said for answer in one.answers)
        tally.setdefault(f"answer.{name}", []).append(held)
    if one.proofs:
        share = sum(normal(proof) in said for proof in one.proofs) / len(one.proofs)
        tally.setdefault(f"sentence.{name}", []).append(share)
    tally.setdefault(f"chars.{name}", []).append(len(text))


def _yes_or_no(answers: Sequence[str]) -> bool:
    return answers[0].strip().lower() in {"yes", "no"}


def normal(text: str) -> str:
    """The words of `text`, lower case; citations, markup and punctuation do not count."""
    return " ".join(re.findall(r"\w+", re.sub(r"\[\d+\]|[`*_]", "", text.lower())))


def _unfound(index: DocIndex, questions: Sequence[str], embedder: Embedder, seed: int) -> float:
    """How often a question that these documents do not answer is reported as not found."""
    kit, _ = _kit(index, embedder)

    async def ask() -> list[bool]:
        return [not (await research(one, kit, MemoryRun(seed=seed))).found for one in questions]

    return mean(asyncio.run(ask()))


# ── baselines ───────────────────────────────────────────────────────────────────────────────


def _leads(passages: Sequence[Passage]) -> list[str]:
    """The first sentence of each passage, then the second of each, and so on."""
    cut = [[span.text for span in sentences(passage.text)] for passage in passages]
    deepest = max((len(one) for one in cut), default=0)
    return [one[depth] for depth in range(deepest) for one in cut if depth < len(one)]


def _topk(question: str, passages: Sequence[Passage], embedder: Embedder) -> list[str]:
    """All sentences by word overlap weighted by rarity, plus cosine."""
    texts = [span.text for passage in passages for span in sentences(passage.text)]
    if not texts:
        return []
    held = [frozenset(content_words(text)) for text in texts]
    rare = rarity(held)
    wanted = tuple(dict.fromkeys(content_words(question)))
    near = embedder.embed(texts) @ embedder.embed([question])[0]
    scores = [coverage(wanted, has, rare) + float(n) for has, n in zip(held, near, strict=True)]
    order = sorted(range(len(texts)), key=lambda place: -scores[place])
    return [texts[place] for place in order]


def _cut(texts: Sequence[str], room: int) -> str:
    """As many whole texts as fit."""
    taken: list[str] = []
    for text in texts:
        if len(text) + 1 <= room:
            taken.append(text)
            room -= len(text) + 1
    return "\n".join(taken)
