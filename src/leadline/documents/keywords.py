"""The keyword half of the index: BM25 over chunks, by tantivy."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy

from leadline.errors import StoreBroken
from leadline.keep.sqlite import Damaged
from leadline.text.cjk import RANGE
from leadline.text.words import STOPWORDS

TITLE_BOOST = 0.3  # over the title's words in the body; .700 on SciFact against .696 and .692
_HEAP = 64_000_000
_MAX_TERMS = 128  # of a query; more only cost time
_PARTS = {".idx", ".pos", ".term", ".fast", ".fieldnorm", ".store"}  # files of each segment
_CJK_RUN = re.compile(f"[{RANGE}]+")
_WORD = re.compile(r"[^\W_]+")


@contextmanager
def _translated(folder: Path, kind: type[StoreBroken] = StoreBroken) -> Iterator[None]:
    """tantivy says everything, from a full disk to a damaged file, with ValueError or OSError."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise kind(f"the keyword index {folder} cannot be used: {error}") from error


class Keywords:
    """A keyword index in `folder`, as it is now; a new one where the folder is empty.

    Raises `Damaged` when it is not as written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._analyzer = _analyzer()
        self._schema = _schema()
        with _translated(folder, Damaged):
            _check(folder)
            self._index = tantivy.Index(self._schema, path=os.fspath(folder))
            self._index.config_reader("manual")
            self._index.register_tokenizer("words", self._analyzer)
            self._index.reload()
            self._searcher = self._index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def all_keys(self) -> list[int]:
        """Of all chunks."""
        return [key for key, _ in self._scored(tantivy.Query.all_query(), max(1, len(self)))]

    def search(self, text: str, limit: int) -> list[tuple[int, float]]:
        """Keys and BM25 scores of the chunks that share a word with `text`, the best first."""
        terms = self._terms(text)
        if not terms:
            return []
        parts = []
        for field, boost in (("body", 1.0), ("title", TITLE_BOOST)):
            for term, count in terms.items():
                query = tantivy.Query.term_query(self._schema, field, term, index_option="freq")
                query = tantivy.Query.boost_query(query, count * boost)
                parts.append((tantivy.Occur.Should, query))
        scored = self._scored(tantivy.Query.boolean_query(parts), limit)
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))

    def _scored(self, query: tantivy.Query, limit: int) -> list[tuple[int, float]]:
        with _translated(self._folder):
            hits = self._searcher.search(query, limit, count=False).hits
            keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        return [(int(key or 0), float(score)) for key, (score, _) in zip(keys, hits, strict=True)]

    def _terms(self, text: str) -> Counter[str]:
        """The stems to look for; stopwords only where there is nothing else."""
        words = _WORD.findall(text[:20_000].lower())
        telling = [word for word in words if word not in STOPWORDS] or words
        stems = Counter(self._analyzer.analyze(_spaced(" ".join(telling))))
        return Counter(dict(list(stems.items())[:_MAX_TERMS]))

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Adds and removes chunks; what was not committed does not count."""
        with _translated(self._folder):
            # One thread: the caller has the other core, and segments come out the same each time.
            writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        try:
            yield Writer(writer, self._folder)
        except BaseException:
            with _translated(self._folder):
                writer.rollback()
            raise
        finally:
            with _translated(self._folder):
                writer.wait_merging_threads()  # lets go of its lock too


class Writer:
    """Works in the background of the caller; `commit` makes it count."""

    def __init__(self, writer: tantivy.IndexWriter, folder: Path) -> None:
        self._writer, self._folder = writer, folder

    def add(self, key: int, file: int, title: str, text: str) -> None:
        """A chunk of a file, to be found by its own words and those of the title."""
        document = tantivy.Document()
        document.add_integer("key", key)
        document.add_integer("file", file)
        document.add_text("title", _spaced(title))
        document.add_text("body", _spaced(f"{title}\n{text}"))
        with _translated(self._folder):
            self._writer.add_document(document)

    def remove(self, files: Iterable[int]) -> None:
        """All chunks of these files."""
        with _translated(self._folder):
            for file in files:
                self._writer.delete_documents_by_term("file", file)

    def commit(self) -> None:
        with _translated(self._folder):
            self._writer.commit()


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


def _check(folder: Path) -> None:
    """Raises `ValueError` when a file of a published segment is not as tantivy wrote it.

    tantivy ends each with a checksum, its length, and four bytes of magic, and does not look.
    """
    meta = folder / "meta.json"
    for segment in json.loads(meta.read_bytes())["segments"] if meta.exists() else ():
        paths = list(folder.glob(f"{segment['segment_id'].replace('-', '')}.*"))
        if missing := _PARTS - {path.suffix for path in paths}:
            raise ValueError(f"a {min(missing)} is missing")
        for path in paths:
            data = path.read_bytes()
            size = int.from_bytes(data[-8:-4], "little")
            if zlib.crc32(memoryview(data)[: -8 - size]) != json.loads(data[-8 - size : -8])["crc"]:
                raise ValueError(f"{path.name} is not as it was written")


def _spaced(text: str) -> str:
    """`text` with Chinese, Japanese and Korean runs cut into overlapping pairs of characters."""
    return text if text.isascii() else _CJK_RUN.sub(_pairs, text)


def _pairs(run: re.Match[str]) -> str:
    token = run.group()
    pairs = [token[at : at + 2] for at in range(len(token) - 1)] or [token]
    return f" {' '.join(pairs)} "
