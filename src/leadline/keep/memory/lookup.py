"""How observations are looked up: by the words they share, and by the meaning of a text."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.text.words import STOPWORDS, content_words, stem, words

if TYPE_CHECKING:
    from leadline.keep.memory.vectors import Vector
    from leadline.ports import Embedder

LENT = 200  # observations whose keyword score is known, beside the candidates
POSTINGS = 6_000  # entries of the word index that one lookup may read
HELD = "id NOT IN (SELECT id FROM outbox)"  # what another vector store knows of, too
_SHARING = f"""
    SELECT o.id, w.rank
    FROM (SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?) w
    JOIN observations o ON o.number = w.rowid WHERE {HELD}
"""  # noqa: S608 - no value in it


# ── words ───────────────────────────────────────────────────────────────────────────────────


def write_words(db: sqlite3.Connection, number: int, text: str) -> None:
    """The words of an observation, in place of those it had."""
    drop_words(db, number)
    tokens = [_token(word) for word in content_words(text)]
    db.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (number, " ".join(tokens)))
    db.executemany(
        "INSERT INTO terms VALUES (?, 1) ON CONFLICT (term) DO UPDATE SET docs = docs + 1",
        [(token,) for token in set(tokens)],
    )


def drop_words(db: sqlite3.Connection, number: int) -> None:
    """Take the words of an observation out; a word that none is left with goes."""
    row = db.execute("SELECT body FROM words WHERE rowid = ?", (number,)).fetchone()
    if row is None:
        return
    gone = [(token,) for token in set(row[0].split())]
    db.execute("DELETE FROM words WHERE rowid = ?", (number,))
    db.executemany("UPDATE terms SET docs = docs - 1 WHERE term = ?", gone)
    db.executemany("DELETE FROM terms WHERE term = ? AND docs < 1", gone)


def sharing_words(db: sqlite3.Connection, counts: Mapping[str, int]) -> dict[str, float]:
    """The observations that have some of these words, best first, with their BM25."""
    chosen = _rarest(counts, POSTINGS)
    if not chosen:
        return {}
    match = " OR ".join(f'"{word}"' for word in chosen)
    rows = db.execute(_SHARING, (match, LENT)).fetchall()
    return {id: -rank for id, rank in sorted(rows, key=lambda row: (row[1], row[0]))}


def sharing_rarest(
    db: sqlite3.Connection, counts: Mapping[str, int], room: int, k: int
) -> list[str]:
    """The `k` observations that share most of the rarest words, without weighing their lengths:
    a tenth of the work, where near copies are looked for."""
    shared: dict[int, float] = {}
    for word in _rarest(counts, room):
        worth = 1 / (1 + counts[word])
        for (number,) in db.execute("SELECT rowid FROM words WHERE words MATCH ?", (f'"{word}"',)):
            shared[number] = shared.get(number, 0.0) + worth
    best = sorted(shared, key=lambda number: (-shared[number], number))[:k]
    query = f"SELECT id FROM observations WHERE number = ? AND {HELD}"  # noqa: S608
    found = (db.execute(query, (number,)).fetchone() for number in best)
    return [row[0] for row in found if row]


def _rarest(counts: Mapping[str, int], room: int) -> list[str]:
    """Words whose lists together have no more entries than there is room; the rarest always."""
    chosen: list[str] = []
    for word in sorted(counts, key=lambda word: (counts[word], word)):
        room -= counts[word]
        if room < 0 and chosen:
            break
        chosen.append(word)
    return chosen


def _token(word: str) -> str:
    """A word as the word index has it: one token, whatever stands in it."""
    return word.replace("'", "").replace("’", "")


def word_counts(db: sqlite3.Connection, text: str) -> dict[str, int]:
    """In how many observations each word of a text is; those in none are left out."""
    found: dict[str, int] = {}
    for token in dict.fromkeys(_token(word) for word in content_words(text)):
        row = db.execute("SELECT docs FROM terms WHERE term = ?", (token,)).fetchone()
        if row:
            found[token] = row[0]
    return found


# ── meaning ─────────────────────────────────────────────────────────────────────────────────


def meaning(embedder: Embedder, text: str) -> Vector:
    """The vector of an observation."""
    if getattr(embedder, "words_only", False):
        text = " ".join(word for word in words(text) if word not in STOPWORDS) or text
    row: Vector = embedder.embed([text])[0]
    return row


def meaning_of_question(
    db: sqlite3.Connection, embedder: Embedder, task: str, counts: Mapping[str, int]
) -> Vector:
    """The vector of a question. Where embeddings are of single words, rare ones weigh more: on
    LoCoMo that took the recall of vectors alone, of 10, from 0.43 to 0.61."""
    said = [word for word in words(task) if word not in STOPWORDS]
    if not said or not getattr(embedder, "words_only", False):
        return meaning(embedder, task)
    import numpy as np

    total = db.execute("SELECT max(number) FROM observations").fetchone()[0] or 0
    weights = [_rarity(counts.get(_token(stem(word)), 0), total) for word in said]
    mean = np.array(weights, dtype=np.float32) @ embedder.embed(said)
    norm = float(np.linalg.norm(mean))
    return np.asarray(mean / norm if norm else mean, dtype=np.float32)


def _rarity(count: int, total: int) -> float:
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))
