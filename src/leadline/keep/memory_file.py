"""The file of a memory: its tables, and how observations are read and looked up in it."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from leadline.errors import BadInput, StoreBroken
from leadline.text.words import STOPWORDS, content_words, stem, words
from leadline.types import Observation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from leadline.ports import Embedder

    Vector = NDArray[np.float32]

_RANKED = 200  # observations whose keyword score is known
HELD = "id NOT IN (SELECT id FROM outbox)"  # what ChromaDB knows of, too

_NEW = """CREATE TABLE observations (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, asked TEXT NOT NULL,
    updated TEXT NOT NULL, vector BLOB NOT NULL, body TEXT NOT NULL
);
CREATE INDEX observations_by_asked ON observations (asked);
CREATE TABLE outbox (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL);
CREATE VIRTUAL TABLE terms USING fts5vocab (words, row)"""
TABLES = f"""CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = 'unicode61');
CREATE TABLE quarantine (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, why TEXT NOT NULL, observation TEXT NOT NULL
);
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
{_NEW}"""
# Up to format 1 each field had a column, and each finding a row. The vectors are made anew.
_FINDINGS = """SELECT json_group_array(json_object('text', text, 'quote', quote, 'url', url,
    'title', title, 'kind', kind, 'page', page, 'start', start, 'end', end, 'found', found,
    'published', published, 'confirmed', confirmed, 'standing', standing, 'rivals', json(rivals),
    'id', id)) FROM (SELECT * FROM findings WHERE observation = old.number ORDER BY number)"""
UPGRADES = (
    f"""ALTER TABLE observations RENAME TO old;
DROP TABLE terms;
DROP TABLE outbox;
{_NEW};
INSERT INTO observations SELECT number, id, asked, updated, '', json_object(
    'task', task, 'findings', json(({_FINDINGS})), 'type', type, 'quality', quality,
    'run_id', run_id, 'created', created, 'updated', updated, 'id', id) FROM old;
DROP TABLE findings;
DROP TABLE runs;
DROP TABLE old;
DROP TABLE vectors;
DROP TABLE sketches;
DELETE FROM about""",  # noqa: S608 - no value in it
    "DROP TABLE IF EXISTS runs",  # which had been remembered: a finding is known by what it is
)


# ── observations ────────────────────────────────────────────────────────────────────────────


def as_json(observation: Observation) -> str:
    """One line."""
    return json.dumps(msgspec.to_builtins(observation), ensure_ascii=False)


def from_json(line: str, where: str) -> Observation:
    """An observation as it was written. `BadInput` says what is wrong with it, and where."""
    try:
        found = msgspec.json.decode(line, type=Observation)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise BadInput(
            f"{where} is no exported observation: {error}; "
            "wanted: a JSON object as `leadline memory export` writes it"
        ) from error
    if not found.task.strip() or not found.findings:
        raise BadInput(f"{where} is no exported observation: it has no task, or no findings")
    return found


def stored(body: str) -> Observation:
    """An observation of the store. Raises `StoreBroken` where a row is not what was written."""
    try:
        return msgspec.json.decode(body, type=Observation)
    except msgspec.MsgspecError as error:
        raise StoreBroken(f"a row of the memory is damaged: {error}") from error


def read(db: sqlite3.Connection, ids: Sequence[str]) -> list[Observation]:
    """The observations of these ids, in the order they came."""
    query = """SELECT body FROM observations WHERE id IN (SELECT value FROM json_each(?))
               ORDER BY number"""
    return [stored(body) for (body,) in db.execute(query, (json.dumps(ids),))]


def full_id(db: sqlite3.Connection, table: str, start: str) -> str:
    """The one id of a table that begins so. Raises `BadInput`."""
    query = f"SELECT id FROM {table} WHERE substr(id, 1, ?) = ? LIMIT 2"  # noqa: S608
    rows = db.execute(query, (len(start), start)).fetchall() if start else []
    see = f"leadline memory {'list' if table == 'observations' else table}"
    if not rows:
        raise BadInput(f"nothing remembered has the id {start!r}; see: {see}")
    if len(rows) > 1:
        raise BadInput(f"several ids begin with {start!r}; give more of it; see: {see}")
    return str(rows[0][0])


# ── words ───────────────────────────────────────────────────────────────────────────────────


def tokens(text: str) -> list[str]:
    """The content words of a text, each one token to the word index, whatever stands in it."""
    return [_token(word) for word in content_words(text)]


def by_words(db: sqlite3.Connection, text: str, k: int = _RANKED) -> dict[str, float]:
    """The observations that share words with a text, best first, with their BM25."""
    match = " OR ".join(f'"{token}"' for token in dict.fromkeys(tokens(text)))
    if not match:
        return {}
    query = f"""SELECT id, score FROM
        (SELECT rowid, rank AS score FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?) w
        JOIN observations ON number = w.rowid WHERE {HELD} ORDER BY score, id"""  # noqa: S608
    return {id: -score for id, score in db.execute(query, (match, k))}


def _token(word: str) -> str:
    return word.replace("'", "").replace("’", "")


# ── meaning ─────────────────────────────────────────────────────────────────────────────────


def text_vector(embedder: Embedder, text: str) -> Vector:
    """The vector of an observation."""
    if getattr(embedder, "words_only", False):
        text = " ".join(word for word in words(text) if word not in STOPWORDS) or text
    row: Vector = embedder.embed([text])[0]
    return row


def question_vector(db: sqlite3.Connection, embedder: Embedder, task: str) -> Vector:
    """The vector of a question. Where embeddings are of single words, rare ones weigh more: on
    LoCoMo that took the recall of vectors alone, of 10, from 0.43 to 0.61."""
    asked = [word for word in words(task) if word not in STOPWORDS]
    if not asked or not getattr(embedder, "words_only", False):
        return text_vector(embedder, task)
    import numpy as np

    total = db.execute("SELECT count(*) FROM observations").fetchone()[0]
    weights = [_rarity(db, _token(stem(word)), total) for word in asked]
    mean = np.array(weights, dtype=np.float32) @ embedder.embed(asked)
    norm = float(np.linalg.norm(mean))
    return np.asarray(mean / norm if norm else mean, dtype=np.float32)


def similarities(db: sqlite3.Connection, vector: Vector) -> dict[str, float]:
    """How near every observation is, the nearest first."""
    rows = db.execute(f"SELECT id, vector FROM observations WHERE {HELD}").fetchall()  # noqa: S608
    if not rows:
        return {}
    scores = _matrix([data for _, data in rows]) @ vector
    found = {id: float(score) for (id, _), score in zip(rows, scores, strict=True)}
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def vectors_of(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Vector]:
    """The vectors of those that are there."""
    query = "SELECT id, vector FROM observations WHERE id IN (SELECT value FROM json_each(?))"
    rows = db.execute(query, (json.dumps(ids),)).fetchall()
    return {id: _matrix([data])[0] for id, data in rows}


def _matrix(vectors: Sequence[bytes]) -> Any:
    import numpy as np

    return np.frombuffer(b"".join(vectors), "<f2").reshape(len(vectors), -1).astype(np.float32)


def _rarity(db: sqlite3.Connection, token: str, total: int) -> float:
    row = db.execute("SELECT doc FROM terms WHERE term = ?", (token,)).fetchone()
    count = row[0] if row else 0
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))
