"""Loading judged collections: documents, queries and which documents answer them.

The layout is that of BEIR: `corpus.jsonl`, `queries*.jsonl`, `qrels*.tsv`, each possibly with
`.gz`; a document's words are in `text` or, as a list, in `sentences`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import BadInput


@dataclass(frozen=True)
class Document:
    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Judged:
    """A query and the grade of every document known to answer it."""

    id: str
    text: str
    grades: dict[str, int]


def lines(path: Path) -> Iterator[str]:
    """The lines of a text file, unpacked where its name ends in `.gz`."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    for line in text.split("\n"):
        if line.strip():
            yield line.rstrip("\r")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    for number, line in enumerate(lines(path), 1):
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            raise BadInput(f"{path}, line {number}, is not JSON: {error}") from error


def one_of(folder: Path, *patterns: str) -> Path:
    """The first file of `folder` that matches, in the order of the patterns."""
    for pattern in patterns:
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    raise BadInput(f"{folder} holds none of: {', '.join(patterns)}")


def load_corpus(folder: Path, *, titles: bool = True) -> tuple[Document, ...]:
    path = one_of(folder, "corpus.jsonl", "corpus.jsonl.gz", "corpus*.jsonl*")
    return tuple(_document(row, titles) for row in rows(path))


def _document(row: dict[str, Any], titles: bool) -> Document:
    text = row.get("text") or " ".join(row.get("sentences") or ())
    return Document(str(row["_id"]), (row.get("title") or "") if titles else "", text)


def load_queries(
    folder: Path, queries: Path | None = None, qrels: Path | None = None
) -> tuple[Judged, ...]:
    """The queries that have at least one document judged relevant, in the order of the file."""
    asked = rows(queries or one_of(folder, "queries.jsonl", "queries*.jsonl*"))
    grades = load_qrels(qrels or one_of(folder, "qrels.tsv", "qrels*.tsv*"))
    return tuple(
        Judged(str(row["_id"]), row["text"], grades[str(row["_id"])])
        for row in asked
        if str(row["_id"]) in grades
    )


def load_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Grades above zero by query and document."""
    found: dict[str, dict[str, int]] = {}
    for line in lines(path):
        query, document, grade = line.split("\t")[:3]
        if grade.strip().lstrip("-").isdigit() and int(grade) > 0:
            found.setdefault(query, {})[document] = int(grade)
    return found
