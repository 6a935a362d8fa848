"""The keyword half of the index: BM25 over chunks, by tantivy."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy

from leadline.errors import StoreBroken
from leadline.text.cjk import RANGE
from leadline.text.words import STOPWORDS

TITLE_BOOST = 0.3  # over the title's words in the body; .700 on SciFact against .696 and .692
_HEAP = 64_000_000
_MAX_TERMS = 128  # of a query; more only cost time
_CJK_RUN = re.compile(f"[{RANGE}]+")
_WORD = re.compile(r"[^\W_]+")


def _analyzer() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(64),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("key", fast=True)
    builder.add_integer_field("file", indexed=True)
    for name in ("title", "body"):
        builder.add_text_field(name, tokenizer_name="words", index_option="freq")
    return builder.build()


@contextmanager
def translated(folder: Path | None) -> Iterator[None]:
    """tantivy says everything, from a full disk to a damaged file, with ValueError or OSError."""
    try:
        yield
    except (ValueError, OSError) as error:
        where = folder or "in memory"
        raise StoreBroken(f"the keyword index {where} cannot be used: {error}") from error


class Keywords:
    """A keyword index in `folder`, or in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._analyzer = _analyzer()
        self._schema = _schema()
        with translated(folder):
            path = os.fspath(folder) if folder else None
            self._index = tantivy.Index(self._schema, path=path)
            self._index.config_reader("manual")
            self._index.register_tokenizer("words", self._analyzer)
        self.reload()

    def reload(self) -> None:
        with translated(self._folder):
            self._index.reload()
            self._searcher = self._index.searcher()

    def search(self, text: str, limit: int) -> list[tuple[int, float]]:
        """Keys and BM25 scores of the chunks that share a word with `text`, the best first."""
        terms = self.terms(text)
        if not terms:
            return []
        with translated(self._folder):
            hits = self._searcher.search(self._query(terms), limit, count=False).hits
            keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        scored = [(int(key or 0), float(score)) for key, (score, _) in zip(keys, hits, strict=True)]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))

    def terms(self, text: str) -> Counter[str]:
        """The stems to look for; stopwords only where there is nothing else."""
        found = _WORD.findall(text[:20_000].lower())
        telling = [word for word in found if word not in STOPWORDS] or found
        stems = Counter(self._analyzer.analyze(spaced(" ".join(telling))))
        return Counter(dict(list(stems.items())[:_MAX_TERMS]))

    def _query(self, terms: Counter[str]) -> tantivy.Query:
        parts = []
        for field, boost in (("body", 1.0), ("title", TITLE_BOOST)):
            for term, count in terms.items():
                query = tantivy.Query.term_query(self._schema, field, term, index_option="freq")
                if count * boost != 1.0:
                    query = tantivy.Query.boost_query(query, count * boost)
                parts.append((tantivy.Occur.Should, query))
        return tantivy.Query.boolean_query(parts)

    def writer(self) -> Writer:
        return Writer(self._index, self._folder)


class Writer:
    """Adds and removes chunks in the background of the caller; `commit` makes it count."""

    def __init__(self, index: tantivy.Index, folder: Path | None) -> None:
        self._folder = folder
        with translated(folder):
            # One thread: the caller has the other core, and segments come out the same each time.
            self._writer = index.writer(heap_size=_HEAP, num_threads=1)

    def add(self, key: int, file: int, title: str, text: str) -> None:
        document = tantivy.Document()
        document.add_integer("key", key)
        document.add_integer("file", file)
        document.add_text("title", spaced(title))
        document.add_text("body", spaced(f"{title}\n{text}"))
        with translated(self._folder):
            self._writer.add_document(document)

    def remove(self, file: int) -> None:
        with translated(self._folder):
            self._writer.delete_documents_by_term("file", file)

    def commit(self) -> None:
        with translated(self._folder):
            self._writer.commit()
            self._writer.wait_merging_threads()


def spaced(text: str) -> str:
    """`text` with Chinese, Japanese and Korean runs cut into overlapping pairs of characters."""
    if text.isascii():
        return text
    return _CJK_RUN.sub(_pairs, text)


def _pairs(run: re.Match[str]) -> str:
    token = run.group()
    if len(token) == 1:
        return f" {token} "
    return f" {' '.join(token[i : i + 2] for i in range(len(token) - 1))} "
