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
        _check(folder)
        with _translated(folder, Damaged):
            self._index = tantivy.Index(self._schema, path=os.fspath(folder))
            self._index.config_reader("manual")
            self._index.register_tokenizer("words", self._analyzer)
            self._index.reload()
            self._searcher = self._index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def search(self, text: str, limit: int) -> list[tuple[int, float]]:
        """Keys and BM25 scores of the chunks that share a word with `text`, the best first."""
        terms = self.terms(text)
        if not terms:
            return []
        with _translated(self._folder):
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
        document.add_text("title", spaced(title))
        document.add_text("body", spaced(f"{title}\n{text}"))
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


def _check(folder: Path) -> None:
    """Raises `Damaged` when a file of a published segment is not as tantivy wrote it.

    tantivy ends each with a checksum, its length, and four bytes of magic, and does not look.
    """
    try:
        if not (folder / "meta.json").exists():
            return
        json.loads((folder / ".managed.json").read_bytes())
        segments = json.loads((folder / "meta.json").read_bytes())["segments"]
        for name in (segment["segment_id"].replace("-", "") for segment in segments):
            paths = list(folder.glob(f"{name}.*"))
            if missing := _PARTS - {path.suffix for path in paths}:
                raise ValueError(f"{name} has no {min(missing)}")
            for path in paths:
                _check_sum(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Damaged(f"the keyword index {folder} is damaged: {error!r}") from error


def _check_sum(path: Path) -> None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return  # merged into another by whoever is writing; tantivy knows
    size = int.from_bytes(data[-8:-4], "little")
    if zlib.crc32(memoryview(data)[: -8 - size]) != json.loads(data[-8 - size : -8])["crc"]:
        raise ValueError(f"{path.name} is not as it was written")


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
