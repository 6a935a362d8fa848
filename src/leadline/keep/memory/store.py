"""The memory of one project: what enters, what is found again, and what is forgotten.

Blocking; a lock makes one store safe for several threads, SQLite for several processes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from leadline.errors import BadInput, StoreBroken
from leadline.keep.memory.gate import Refuse, sort
from leadline.keep.memory.lookup import (
    HELD,
    drop_words,
    meaning,
    meaning_of_question,
    sharing_rarest,
    sharing_words,
    word_counts,
    write_words,
)
from leadline.keep.memory.merge import Merged, merge
from leadline.keep.memory.rows import (
    as_json,
    from_json,
    identified,
    read_observations,
    text_of,
    write_findings,
    write_observation,
)
from leadline.keep.memory.schema import broken_memory, connect, writing
from leadline.keep.memory.vectors import FileVectors, Vectors
from leadline.rank.recall import CANDIDATES, KEYWORD_WEIGHT, diverse, fused
from leadline.research.remember import question_key
from leadline.store.flushing import flush_soon, log_of
from leadline.types import content_id
from leadline.types.remembering import Kept, Note, Observation, Quarantined

if TYPE_CHECKING:
    from leadline.ports import Embedder

BESIDE_POSTINGS = 2_000  # entries of the word index that a write may read
BESIDE = 5  # observations that a new one is compared with, of each backend


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class MemoryStore:
    """Opened at `path`; `refuse` is the scanner at the door."""

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        refuse: Refuse,
        *,
        vectors: Vectors | None = None,
        project: str = "default",
        now: Callable[[], str] = _now,
    ) -> None:
        self.project = project
        self._path, self._embedder, self._refuse, self._now = path, embedder, refuse, now
        self._vectors = vectors or FileVectors()
        self._turn = RLock()
        self._db = connect(path, alone=vectors is None)
        with self._table() as db:
            self._keep_embedder(db)
            self._vectors.settle(db)

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._vectors.close()
            self._db.close()

    # ── entering ────────────────────────────────────────────────────────────────────────────

    def add(self, observation: Observation, *, once: bool = False) -> Kept:
        """Take an observation in, past the scanner; what is refused goes into quarantine.

        With `once`, a run that was remembered already is not remembered again.
        """
        given = replace(identified(observation), project=self.project)
        sorted_ = sort(given, self._refuse)
        with self._table() as db:
            with writing(db):
                if once and (done := _done(db, given.run_id)):
                    return done
                kept = self._take_in(db, sorted_.welcome) if sorted_.welcome.findings else Kept()
                if sorted_.refused.findings:
                    self._set_apart(db, sorted_.refused, sorted_.why)
                    kept = replace(kept, quarantined=len(sorted_.refused.findings))
                if once:
                    _note_run(db, given.run_id, kept)
            self._vectors.settle(db)
        flush_soon(log_of(self._path))
        return kept

    def _take_in(self, db: sqlite3.Connection, one: Observation) -> Kept:
        beside = self._beside(db, one)
        owners = {finding.id: held for held in beside for finding in held.findings}
        merged = merge(one.findings, [finding for held in beside for finding in held.findings])
        for finding in merged.changed:
            write_findings(db, _number(db, owners[finding.id].id), [finding])
        changed = {owners[finding.id].id for finding in merged.changed}
        same = next((h for h in beside if question_key(h.task) == question_key(one.task)), None)
        id = self._place(db, one, same, merged)
        for touched in changed | ({id} if id else set()):
            self._index(db, touched)
        first = next(iter(sorted(changed)), "")
        return Kept(
            id=id or first,
            stored=len(merged.fresh),
            confirmed=merged.confirmed,
            superseded=merged.superseded,
            disputed=merged.disputed,
        )

    def _place(
        self, db: sqlite3.Connection, one: Observation, same: Observation | None, merged: Merged
    ) -> str:
        """Where the fresh findings went: to the observation of the same question, or a new one."""
        if same is not None:
            db.execute(
                "UPDATE observations SET updated = max(updated, ?), quality = ?, run_id = ?"
                " WHERE id = ?",
                (one.created, one.quality, one.run_id, same.id),
            )
            write_findings(db, _number(db, same.id), merged.fresh)
            return same.id
        if not merged.fresh:
            return ""
        if db.execute("SELECT 1 FROM observations WHERE id = ?", (one.id,)).fetchone():
            one = replace(one, id=content_id(one.id, one.created, merged.fresh[0].id))
        write_findings(db, write_observation(db, one), merged.fresh)
        return one.id

    def _beside(self, db: sqlite3.Connection, one: Observation) -> list[Observation]:
        """What the store holds that could say the same: of the same question, near, or in the
        same words; and whatever has a finding of the same id."""
        ids = {
            row[0]
            for row in db.execute(
                "SELECT id FROM observations WHERE asked = ? LIMIT 20", (question_key(one.task),)
            )
        }
        text = text_of(one)
        ids |= set(self._vectors.near(db, meaning(self._embedder, text), BESIDE))
        ids |= set(sharing_rarest(db, word_counts(db, text), BESIDE_POSTINGS, BESIDE))
        ids |= {
            row[0]
            for row in db.execute(
                "SELECT o.id FROM findings f JOIN observations o ON o.number = f.observation"
                " WHERE f.id IN (SELECT value FROM json_each(?))",
                (json.dumps([finding.id for finding in one.findings]),),
            )
        }
        return self._read(db, sorted(ids))

    def _index(self, db: sqlite3.Connection, id: str) -> None:
        """The words and the vector of an observation, as it is now."""
        (one,) = self._read(db, [id])
        number, text = _number(db, id), text_of(one)
        write_words(db, number, text)
        self._vectors.put(db, number, id, meaning(self._embedder, text))

    # ── finding ─────────────────────────────────────────────────────────────────────────────

    def get_context(
        self, task: str, top_k: int = 4, *, weight: float = KEYWORD_WEIGHT
    ) -> tuple[Note, ...]:
        """The observations that serve a task best, from both backends, no two saying the same."""
        with self._table() as db:
            self._vectors.settle(db)
            return self._found(db, task, max(top_k, 1), weight)

    def _found(
        self, db: sqlite3.Connection, task: str, top_k: int, weight: float
    ) -> tuple[Note, ...]:
        wide = CANDIDATES * top_k
        counts = word_counts(db, task)
        asked = meaning_of_question(db, self._embedder, task, counts)
        near = self._vectors.near(db, asked, wide)
        said = sharing_words(db, counts)
        candidates = list(dict.fromkeys([*near, *list(said)[:wide]]))
        vectors = self._vectors.fetch(db, candidates)
        similarity = {id: float(vectors[id] @ asked) for id in candidates if id in vectors}
        keyword = {id: said[id] for id in candidates if id in said and id in vectors}
        ranked = fused(similarity, keyword, weight)
        best = diverse(ranked, lambda one, two: float(vectors[one] @ vectors[two]), top_k)
        read = {one.id: one for one in self._read(db, [one.key for one in best])}
        return tuple(
            Note(read[one.key], one.score, one.similarity, one.keyword)
            for one in best
            if one.key in read
        )

    # ── looking ─────────────────────────────────────────────────────────────────────────────

    def listed(self, limit: int = 50, offset: int = 0) -> tuple[Observation, ...]:
        """The newest first."""
        with self._table() as db:
            self._vectors.settle(db)
            where = f"WHERE {HELD} ORDER BY updated DESC, number DESC LIMIT ? OFFSET ?"
            return tuple(read_observations(db, where, (limit, offset), self.project))

    def get(self, id: str) -> Observation:
        """One observation by its id or the beginning of it. `BadInput` when there is none."""
        with self._table() as db:
            return self._read(db, [_whole_id(db, "observations", id)])[0]

    def count(self) -> int:
        """How many observations both backends hold."""
        with self._table() as db:
            self._vectors.settle(db)
            query = f"SELECT count(*) FROM observations WHERE {HELD}"  # noqa: S608
            return int(db.execute(query).fetchone()[0])

    def held(self) -> tuple[set[str], set[str]]:
        """The ids that the words and the vectors hold; they are the same."""
        with self._table() as db:
            self._vectors.settle(db)
            rows = db.execute(
                f"SELECT o.id FROM words w JOIN observations o ON o.number = w.rowid WHERE {HELD}"  # noqa: S608
            )
            return {id for (id,) in rows}, self._vectors.ids(db)

    # ── forgetting ──────────────────────────────────────────────────────────────────────────

    def forget(self, ids: Sequence[str]) -> int:
        """Delete observations, from both backends and from the bytes of the file; how many."""
        with self._table() as db:
            whole = [_whole_id(db, "observations", id) for id in ids]
            with writing(db):
                for id in dict.fromkeys(whole):
                    self._delete(db, id)
            self._vectors.settle(db)
            self._scrub(db)
        return len(set(whole))

    def forget_all(self) -> int:
        """Delete everything, the quarantine too."""
        with self._table() as db:
            ids = [id for (id,) in db.execute("SELECT id FROM observations")]
            with writing(db):
                for id in ids:
                    self._delete(db, id)
                db.execute("DELETE FROM quarantine")
                db.execute("DELETE FROM runs")
            self._vectors.settle(db)
            self._scrub(db)
        return len(ids)

    def _delete(self, db: sqlite3.Connection, id: str) -> None:
        number = _number(db, id)
        gone = [
            row[0] for row in db.execute("SELECT id FROM findings WHERE observation=?", [number])
        ]
        self._vectors.drop(db, number, id)
        drop_words(db, number)
        db.execute("DELETE FROM observations WHERE number = ?", (number,))
        for other in gone:
            _free_of(db, other)

    def _scrub(self, db: sqlite3.Connection) -> None:
        """Overwrite what the word index, the free pages and the log still have of it."""
        db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.execute("VACUUM")
        busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StoreBroken(
                f"it is forgotten, but another process reads {self._path}, and its log still has "
                "the old bytes: run the command again when that has ended"
            )

    # ── quarantine ──────────────────────────────────────────────────────────────────────────

    def quarantine(self) -> tuple[Quarantined, ...]:
        """What was refused, the newest first."""
        with self._table() as db:
            rows = db.execute(
                "SELECT id, observation, why, at FROM quarantine ORDER BY at DESC, id"
            )
            return tuple(_apart(row) for row in rows)

    def quarantined(self, id: str) -> Quarantined:
        """One of them, by its id or the beginning of it."""
        with self._table() as db:
            whole = _whole_id(db, "quarantine", id)
            query = "SELECT id, observation, why, at FROM quarantine WHERE id = ?"
            return _apart(db.execute(query, (whole,)).fetchone())

    def release(self, id: str) -> Kept:
        """Let it in after all: a person has read it."""
        one = self.quarantined(id)
        with self._table() as db:
            with writing(db):
                kept = self._take_in(db, one.observation)
                db.execute("DELETE FROM quarantine WHERE id = ?", (one.id,))
            self._vectors.settle(db)
        return kept

    def drop(self, id: str) -> None:
        """Delete what was refused, for good."""
        with self._table() as db:
            whole = _whole_id(db, "quarantine", id)
            db.execute("DELETE FROM quarantine WHERE id = ?", (whole,))
            self._scrub(db)

    def _set_apart(self, db: sqlite3.Connection, one: Observation, why: str) -> None:
        id = content_id(one.id, *(finding.id for finding in one.findings))
        db.execute(
            "INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?)",
            (id, self._now(), why, as_json(one)),
        )

    # ── the file ────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def _table(self) -> Iterator[sqlite3.Connection]:
        with self._turn, broken_memory(self._path):
            yield self._db

    def _read(self, db: sqlite3.Connection, ids: Sequence[str]) -> list[Observation]:
        where = "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY number"
        return read_observations(db, where, (json.dumps(list(ids)),), self.project)

    def _keep_embedder(self, db: sqlite3.Connection) -> None:
        """Vectors of another embedder, or for another backend, are made anew."""
        made = f"{self._embedder.name} in {self._vectors.name}"
        row = db.execute("SELECT value FROM about WHERE name = 'vectors'").fetchone()
        if row and row[0] == made:
            return
        with writing(db):
            db.execute("DELETE FROM vectors")
            db.execute("DELETE FROM sketches")
            db.execute("DELETE FROM outbox")
            for (id,) in db.execute("SELECT id FROM observations").fetchall():
                self._index(db, id)
            db.execute("INSERT OR REPLACE INTO about VALUES ('vectors', ?)", (made,))


# ── parts ───────────────────────────────────────────────────────────────────────────────────


def _number(db: sqlite3.Connection, id: str) -> int:
    return int(db.execute("SELECT number FROM observations WHERE id = ?", (id,)).fetchone()[0])


def _whole_id(db: sqlite3.Connection, table: str, begun: str) -> str:
    escaped = begun.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = db.execute(
        f"SELECT id FROM {table} WHERE id LIKE ? ESCAPE '\\' LIMIT 2",  # noqa: S608
        (f"{escaped}%",),
    ).fetchall()
    see = "leadline memory list" if table == "observations" else "leadline memory quarantine"
    if not begun or not rows:
        raise BadInput(f"nothing remembered has the id {begun!r}; see: {see}")
    if len(rows) > 1:
        raise BadInput(f"several ids begin with {begun!r}; give more of it; see: {see}")
    return str(rows[0][0])


def _free_of(db: sqlite3.Connection, gone: str) -> None:
    """Findings that a forgotten one superseded or disputed stand by themselves again."""
    rows = db.execute("SELECT number, rivals FROM findings WHERE rivals LIKE ?", (f'%"{gone}"%',))
    for number, rivals in rows.fetchall():
        left = [one for one in json.loads(rivals) if one != gone]
        standing = "" if left else ", standing = 'current'"
        db.execute(
            f"UPDATE findings SET rivals = ?{standing} WHERE number = ?",  # noqa: S608
            (json.dumps(left), number),
        )


def _done(db: sqlite3.Connection, run_id: str) -> Kept | None:
    row = db.execute("SELECT kept FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    return Kept(**json.loads(row[0])) if row else None


def _note_run(db: sqlite3.Connection, run_id: str, kept: Kept) -> None:
    number = _number(db, kept.id) if kept.id else None
    db.execute("INSERT INTO runs VALUES (?, ?, ?)", (run_id, number, json.dumps(asdict(kept))))


def _apart(row: tuple[str, str, str, str]) -> Quarantined:
    id, observation, why, at = row
    return Quarantined(id, from_json(observation, f"the quarantined {id}"), why, at)
