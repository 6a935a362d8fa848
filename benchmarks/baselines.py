"""Plain baselines over the same folder: BM25, and the hybrid of sixty lines.

The hybrid is one search of 40 chunks by words and static vectors; their paragraphs are ranked by
how much of the question they or their headings hold, by cosine and by their chunk's score.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from leadline.errors import SourceLost
from leadline.read.registry import read
from leadline.reader.static import StaticEmbedder
from leadline.text.sentences import sentences

CHUNK_CHARS = 2000
PARAGRAPH_CHARS = 500
SHOWN = 3
_CANDIDATES = 40
_COSINE = 0.7  # beside a normalised BM25, as measured on SciFact
_HEADING = 0.6  # a word in the heading, beside one in the paragraph
_INDEX = 0.5  # the chunk's score, beside the paragraph's own
_COPY = 0.7  # share of words from which a paragraph says the same as a better one
_EMBEDDER = StaticEmbedder()


@dataclass(frozen=True)
class Paragraph:
    path: str
    heading: str  # the title and the headings above it
    text: str
    chunk: int


def _tokens(texts: Sequence[str]) -> list[list[str]]:
    found: list[list[str]] = import_module("bm25s").tokenize(
        list(texts), stopwords="en", return_ids=False, show_progress=False
    )
    return found


class _Bm25:
    def __init__(self, texts: Sequence[str]) -> None:
        self._model: Any = import_module("bm25s").BM25()
        self._model.index(_tokens(texts), show_progress=False)

    def scores(self, question: str) -> np.ndarray[Any, Any]:
        found: np.ndarray[Any, Any] = self._model.get_scores(_tokens([question])[0])
        return found


class Baselines:
    """The documents of a folder, cut; what was read is kept in `cache`."""

    def __init__(self, docs: Path, cache: Path) -> None:
        self.paragraphs = _kept(docs, cache)

    @cached_property
    def _headed(self) -> list[str]:
        return [f"{one.heading}\n{one.text}" for one in self.paragraphs]

    @cached_property
    def _chunks(self) -> list[str]:
        joined: dict[int, list[str]] = {}
        for one in self.paragraphs:
            joined.setdefault(one.chunk, []).append(one.text)
        heads = {one.chunk: one.heading for one in reversed(self.paragraphs)}
        return [f"{heads[key]}\n\n" + "\n\n".join(joined[key]) for key in sorted(joined)]

    @cached_property
    def _by_paragraph(self) -> _Bm25:
        return _Bm25(self._headed)

    @cached_property
    def _by_chunk(self) -> _Bm25:
        return _Bm25(self._chunks)

    @cached_property
    def _vectors(self) -> Any:
        return _EMBEDDER.embed(self._chunks)

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [frozenset(words) for words in _tokens(self._headed)]

    @cached_property
    def _rare(self) -> dict[str, float]:
        count: dict[str, int] = {}
        for words in self._words:
            for word in words:
                count[word] = count.get(word, 0) + 1
        return {word: float(np.log(1 + len(self._words) / n)) for word, n in count.items()}

    def best_by_words(self, question: str, most: int) -> list[Paragraph]:
        best = np.argsort(-self._by_paragraph.scores(question), kind="stable")[:most]
        return [self.paragraphs[place] for place in best]

    def bm25_paragraphs(self, question: str) -> list[str]:
        return [one.text for one in self.best_by_words(question, SHOWN)]

    def bm25_chunks(self, question: str) -> list[str]:
        best = np.argsort(-self._by_chunk.scores(question), kind="stable")[:SHOWN]
        return [self._chunks[place].split("\n\n", 1)[-1] for place in best]

    def hybrid(self, question: str) -> list[str]:
        """The three best paragraphs, copies left out."""
        found, words = self._ranked(question)
        shown: list[int] = []
        for place in found:
            own = words[place]
            if all(len(own & words[seen]) < _COPY * len(own) for seen in shown):
                shown.append(place)
            if len(shown) == SHOWN:
                break
        return [self.paragraphs[place].text for place in shown]

    def two_sentences(self, question: str) -> list[str]:
        """The two best sentences of the best chunks, by words and static vectors."""
        near = set(self._candidates(question)[0][:10])
        held = {
            span.text: place
            for place, one in enumerate(self.paragraphs)
            if one.chunk in near
            for span in sentences(one.text)
        }
        if not held:
            return []
        spans = list(held)
        covered = [
            self._covered(question, frozenset(words), self._words[held[span]])
            for span, words in zip(spans, _tokens(spans), strict=True)
        ]
        total = np.array(covered) + _EMBEDDER.embed(spans) @ _EMBEDDER.embed([question])[0]
        return [spans[place] for place in np.argsort(-total, kind="stable")[:2]]

    def _covered(self, question: str, words: frozenset[str], around: frozenset[str]) -> float:
        """Share of the question that a text holds, by rarity; words only `around` it count less."""
        asked = set(_tokens([question])[0])
        whole = sum(self._rare.get(word, 0.0) for word in asked) or 1.0
        held = (self._rare.get(w, 0.0) * (1.0 if w in words else _HEADING) for w in asked & around)
        return sum(held) / whole

    def _candidates(self, question: str) -> tuple[list[int], Any]:
        by_words = self._by_chunk.scores(question)
        score = by_words / (by_words.max() or 1.0)
        score = score + _COSINE * (self._vectors @ _EMBEDDER.embed([question])[0])
        return np.argsort(-score, kind="stable")[:_CANDIDATES].tolist(), score

    def _ranked(self, question: str) -> tuple[list[int], dict[int, frozenset[str]]]:
        chunks, of_chunk = self._candidates(question)
        near = set(chunks)
        places = [at for at, one in enumerate(self.paragraphs) if one.chunk in near]
        texts = [self.paragraphs[at].text for at in places]
        own = [frozenset(words) for words in _tokens(texts)] if texts else []
        headed = [self._headed[at] for at in places]
        cosine = _EMBEDDER.embed(headed) @ _EMBEDDER.embed([question])[0]
        score: dict[int, float] = {}
        for at, words, near_it in zip(places, own, cosine, strict=True):
            index = _INDEX * float(of_chunk[self.paragraphs[at].chunk])
            score[at] = self._covered(question, words, self._words[at]) + float(near_it) + index
        order = sorted(places, key=lambda at: -score[at])
        return order, dict(zip(places, own, strict=True))


# ── cutting ─────────────────────────────────────────────────────────────────────────────────


def _kept(docs: Path, cache: Path) -> list[Paragraph]:
    file = cache / "paragraphs.jsonl"
    if file.is_file():
        return [Paragraph(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    cut = _cut(docs)
    cache.mkdir(parents=True, exist_ok=True)
    scratch = file.with_suffix(".part")
    scratch.write_text("".join(json.dumps(asdict(one)) + "\n" for one in cut), "utf-8")
    scratch.replace(file)
    return cut


def _cut(docs: Path) -> list[Paragraph]:
    found: list[Paragraph] = []
    chunk = -1
    for folder, _, names in sorted(os.walk(docs)):
        for name in sorted(names):
            path = Path(folder, name)
            try:
                page = read(path.read_bytes(), name)
            except (SourceLost, OSError):
                continue
            size = CHUNK_CHARS  # a document begins a chunk
            for heading, text in headed_paragraphs(page.title, page.text):
                if size + len(text) > CHUNK_CHARS:
                    chunk, size = chunk + 1, 0
                size += len(text)
                found.append(Paragraph(str(path.relative_to(docs)), heading, text, chunk))
    return found


def headed_paragraphs(title: str, text: str) -> list[tuple[str, str]]:
    """Paragraphs of at most 500 characters with the headings above them; short ones are joined."""
    found: list[tuple[str, str]] = []
    above: list[tuple[int, str]] = []
    for block in text.split("\n\n"):
        lines = block.strip().split("\n")
        while lines and lines[0].startswith("#"):
            mark, _, name = lines.pop(0).partition(" ")
            above = [pair for pair in above if pair[0] < len(mark)] + [(len(mark), name.strip())]
        heading = " › ".join([title, *(name for _, name in above)])
        for piece in _pieces("\n".join(lines).strip()):
            joined = f"{found[-1][1]}\n{piece}" if found and found[-1][0] == heading else ""
            if joined and len(joined) <= PARAGRAPH_CHARS:
                found[-1] = (heading, joined)
            else:
                found.append((heading, piece))
    return found


def _pieces(text: str) -> list[str]:
    """A long paragraph cut between sentences."""
    if len(text) <= PARAGRAPH_CHARS:
        return [text] if text else []
    pieces = [""]
    for span in sentences(text):
        if pieces[-1] and len(pieces[-1]) + len(span.text) > PARAGRAPH_CHARS:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {span.text}".strip()
    return pieces
