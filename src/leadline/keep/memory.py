"""The memory of one project: what enters, what is found again, and what is forgotten.

Observations lie in one SQLite file with their words in FTS5 and their vectors, written in one
transaction. Where ChromaDB has the vectors too, an outbox in that transaction says what it has yet
to be told; until then neither holds the observation. Blocking; safe for threads and processes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from leadline.errors import StoreBroken
from leadline.keep.findings import Merged, Refuse, merge, sort
from leadline.keep.memory_file import (
    HELD,
    TABLES,
    UPGRADES,
    as_json,
    by_words,
    full_id,
    question_vector,
    read,
    similarities,
    stored,
    text_vector,
    tokens,
    vectors_of,
)
from leadline.keep.sqlite import Database
from leadline.rank.recall import KEYWORD_WEIGHT, fused
from leadline.store.flushing import flush_soon, log_of
from leadline.text.words import content_words
from leadline.types import Finding, Kept, Note, Observation, Quarantined, content_id
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.keep.chroma import ChromaVectors
    from leadline.keep.memory_file import Vector
    from leadline.ports import Embedder

T = TypeVar("T")
CANDIDATES = 3  # of each backend, for every one that is wanted
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
        vectors: ChromaVectors | None = None,
        project: str = "default",
        now: Callable[[], str] = _now,
    ) -> None:
        self.project = project
        self._embedder, self._refuse, self._vectors, self._now = embedder, refuse, vectors, now
        # Another store beside the file must never know more than the file, through a power cut.
        sync = "synchronous=NORMAL" if vectors is None else "synchronous=FULL"
        pragmas = (sync, "secure_delete=ON")
        self._file = Database(path, "the memory", TABLES, UPGRADES, pragmas=pragmas)
        self._file.write(self._keep_embedder)
        path.chmod(0o600)

    def close(self) -> None:
        """Let go of the file."""
        if self._vectors is not None:
            self._vectors.close()
        self._file.close()

    # ── entering ────────────────────────────────────────────────────────────────────────────

    def add(self, observation: Observation) -> Kept:
        """Take an observation in, past the scanner; what is refused goes into quarantine. What is
        there already, as when a run is resumed, is not stored again."""
        given = replace(with_ids(observation), project=self.project)
        welcome, refused, why = sort(given, self._refuse)

        def enter(db: sqlite3.Connection) -> Kept:
            kept = self._merge_in(db, welcome) if welcome.findings else Kept()
            if refused.findings:
                id = content_id(given.id, *(finding.id for finding in refused.findings))
                row = (id, self._now(), why, as_json(refused))
                db.execute("INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?)", row)
            return replace(kept, quarantined=len(refused.findings))

        kept = self._written(enter)
        flush_soon(log_of(self._file.path))
        return kept

    def _written(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """What `do` gives, in one transaction; ChromaDB is told of what was and is to be."""
        self._settle()
        given = self._file.write(do)
        self._settle()
        return given

    def _merge_in(self, db: sqlite3.Connection, new: Observation) -> Kept:
        beside = {one.id: one for one in self._beside(db, new)}
        merged = merge(new.findings, [f for one in beside.values() for f in one.findings])
        changed = {finding.id: finding for finding in merged.changed}
        touched = {
            one.id: replace(one, findings=tuple(changed.get(f.id, f) for f in one.findings))
            for one in beside.values()
            if any(f.id in changed for f in one.findings)
        }
        home = _home(new, list(beside.values()), merged)
        if home is not None:
            home = touched.get(home.id, home)
            touched[home.id] = replace(home, findings=(*home.findings, *merged.fresh))
        for one in touched.values():
            self._put(db, one)
        id = home.id if home is not None else min(touched, default="")
        return Kept(id, len(merged.fresh), merged.confirmed, merged.superseded, merged.disputed)

    def _beside(self, db: sqlite3.Connection, new: Observation) -> list[Observation]:
        """What the store holds that could say the same: of the same question, near, or in the
        same words."""
        query = "SELECT id FROM observations WHERE asked = ? LIMIT 20"
        same = [id for (id,) in db.execute(query, (question_key(new.task),))]
        text = text_of(new)
        near = self._nearest(db, text_vector(self._embedder, text), BESIDE)
        sharing = by_words(db, text, BESIDE)
        return read(db, sorted({*same, *near, *sharing}))

    def _put(self, db: sqlite3.Connection, one: Observation) -> None:
        """Write an observation with its words and its vector, in place of what it was."""
        text = text_of(one)
        vector = text_vector(self._embedder, text).astype("<f2").tobytes()
        number = db.execute(
            "INSERT INTO observations (id, asked, updated, vector, body) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET updated = excluded.updated, vector = excluded.vector,"
            " body = excluded.body RETURNING number",
            (one.id, question_key(one.task), one.updated, vector, as_json(one)),
        ).fetchone()[0]
        db.execute("DELETE FROM words WHERE rowid = ?", (number,))
        db.execute(
            "INSERT INTO words (rowid, body) VALUES (?, ?)", (number, " ".join(tokens(text)))
        )
        self._note_for_vectors(db, one.id)

    # ── finding ─────────────────────────────────────────────────────────────────────────────

    def get_context(
        self, task: str, top_k: int = 4, *, weight: float = KEYWORD_WEIGHT
    ) -> tuple[Note, ...]:
        """The observations that serve a task best, from both backends."""
        wide = CANDIDATES * max(top_k, 1)

        def look(db: sqlite3.Connection) -> tuple[Note, ...]:
            vector = question_vector(db, self._embedder, task)
            scores = by_words(db, task)
            chosen = dict.fromkeys([*self._nearest(db, vector, wide), *list(scores)[:wide]])
            vectors = vectors_of(db, list(chosen))
            similarity = {id: float(own @ vector) for id, own in vectors.items()}
            keyword = {id: scores[id] for id in vectors if id in scores}
            ranked = fused(similarity, keyword, weight)[: max(top_k, 1)]
            found = {one.id: one for one in read(db, [one.key for one in ranked])}
            return tuple(
                Note(found[one.key], one.score, one.similarity, one.keyword) for one in ranked
            )

        self._settle()
        return self._file.read(look)

    def _nearest(self, db: sqlite3.Connection, vector: Vector, k: int) -> list[str]:
        if self._vectors is not None:
            return self._vectors.near(vector, k)
        return list(similarities(db, vector))[:k]

    # ── looking ─────────────────────────────────────────────────────────────────────────────

    def listed(self, limit: int = 50) -> tuple[Observation, ...]:
        """The newest first; a limit of -1 is none."""
        query = (
            f"SELECT body FROM observations WHERE {HELD}"  # noqa: S608
            " ORDER BY updated DESC, number DESC LIMIT ?"
        )
        rows = self._rows(query, (limit,))
        return tuple(stored(body) for (body,) in rows)

    def get(self, id: str) -> Observation:
        """One observation by its id or the beginning of it. `BadInput` when there is none."""
        return self._file.read(lambda db: read(db, [full_id(db, "observations", id)])[0])

    def count(self) -> int:
        """How many observations both backends hold."""
        query = f"SELECT count(*) FROM observations WHERE {HELD}"  # noqa: S608
        return int(self._rows(query)[0][0])

    def held(self) -> tuple[set[str], set[str]]:
        """The ids that the words and the vectors hold; they are the same."""
        query = f"SELECT id FROM words w JOIN observations ON number = w.rowid WHERE {HELD}"  # noqa: S608
        words = {id for (id,) in self._rows(query)}
        if self._vectors is not None:
            return words, self._vectors.ids()
        return words, {id for (id,) in self._rows("SELECT id FROM observations WHERE vector != ''")}

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[str, ...]]:
        self._settle()
        return self._file.read(lambda db: db.execute(query, values).fetchall())

    # ── forgetting ──────────────────────────────────────────────────────────────────────────

    def forget(self, ids: Sequence[str]) -> int:
        """Delete observations, from both backends and from the bytes of the file; how many."""

        def delete(db: sqlite3.Connection) -> int:
            full = {full_id(db, "observations", id) for id in ids}
            for id in sorted(full):
                self._delete(db, id)
            return len(full)

        return self._scrubbed(delete)

    def forget_all(self) -> int:
        """Delete everything, the quarantine too."""

        def delete(db: sqlite3.Connection) -> int:
            ids = [id for (id,) in db.execute("SELECT id FROM observations")]
            for id in ids:
                self._note_for_vectors(db, id)
            for table in ("observations", "words", "quarantine"):
                db.execute(f"DELETE FROM {table}")  # noqa: S608
            return len(ids)

        return self._scrubbed(delete)

    def _delete(self, db: sqlite3.Connection, id: str) -> None:
        (gone,) = read(db, [id])
        number = db.execute("SELECT number FROM observations WHERE id = ?", (id,)).fetchone()[0]
        db.execute("DELETE FROM words WHERE rowid = ?", (number,))
        db.execute("DELETE FROM observations WHERE id = ?", (id,))
        self._note_for_vectors(db, id)
        for finding in gone.findings:
            query = "SELECT id FROM observations WHERE instr(body, ?)"
            rows = db.execute(query, (json.dumps(finding.id),)).fetchall()
            for other in read(db, [id for (id,) in rows]):
                self._put(db, _free_of(other, finding.id))

    def _scrubbed(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """What `do` gives; then what the word index, the free pages and the log still have of
        what it deleted is overwritten."""

        def scrub(db: sqlite3.Connection) -> bool:
            db.execute("INSERT INTO words (words) VALUES ('optimize')")
            db.execute("VACUUM")
            return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

        found = self._written(do)
        if not self._file.read(scrub):
            raise StoreBroken(
                f"it is forgotten, but another process reads {self._file.path}, and its log still "
                "has the old bytes: run the command again when that has ended"
            )
        return found

    # ── quarantine ──────────────────────────────────────────────────────────────────────────

    def quarantine(self) -> tuple[Quarantined, ...]:
        """What was refused, the newest first."""
        query = "SELECT id, observation, why, at FROM quarantine ORDER BY at DESC, id"
        rows = self._rows(query)
        return tuple(Quarantined(id, stored(body), why, at) for id, body, why, at in rows)

    def quarantined(self, id: str) -> Quarantined:
        """One of them, by its id or the beginning of it."""
        full = self._file.read(lambda db: full_id(db, "quarantine", id))
        return next(one for one in self.quarantine() if one.id == full)

    def release(self, id: str) -> Kept:
        """Let it in after all: a person has read it."""
        one = self.quarantined(id)

        def enter(db: sqlite3.Connection) -> Kept:
            db.execute("DELETE FROM quarantine WHERE id = ?", (one.id,))
            return self._merge_in(db, one.observation)

        return self._written(enter)

    def drop(self, id: str) -> None:
        """Delete what was refused, for good."""
        full = self.quarantined(id).id
        self._scrubbed(lambda db: db.execute("DELETE FROM quarantine WHERE id = ?", (full,)))

    # ── the vectors elsewhere ───────────────────────────────────────────────────────────────

    def _note_for_vectors(self, db: sqlite3.Connection, id: str) -> None:
        if self._vectors is not None:
            db.execute("INSERT INTO outbox (id) VALUES (?)", (id,))

    def _settle(self) -> None:
        """Tell ChromaDB what was committed. Telling twice does no harm, so a crash at any instant
        heals here; one process at a time, or a late word would undo what another has forgotten."""

        def waiting(db: sqlite3.Connection) -> list[tuple[int, str]]:
            return db.execute("SELECT place, id FROM outbox ORDER BY place LIMIT 200").fetchall()

        if self._vectors is None or not self._file.read(waiting):
            return
        with self._vectors.turn():
            while rows := self._file.read(waiting):
                ids = [id for _, id in rows]
                vectors = self._file.read(partial(vectors_of, ids=ids))
                self._vectors.put(vectors)
                self._vectors.delete([id for id in ids if id not in vectors])
                self._file.write(partial(_strike_out, last=rows[-1][0]))

    def _keep_embedder(self, db: sqlite3.Connection) -> None:
        """Vectors of another embedder, or for another backend, are made anew."""
        backend = self._vectors.name if self._vectors else "sqlite"
        made = f"{self._embedder.name} in {backend}"
        row = db.execute("SELECT value FROM about WHERE name = 'vectors'").fetchone()
        if row and row[0] == made:
            return
        db.execute("DELETE FROM outbox")
        for (id,) in db.execute("SELECT id FROM observations").fetchall():
            self._put(db, read(db, [id])[0])
        if self._vectors is not None:  # what was forgotten since it was last used
            for id in sorted(self._vectors.ids()):
                self._note_for_vectors(db, id)
        db.execute("INSERT OR REPLACE INTO about VALUES ('vectors', ?)", (made,))


# ── observations ────────────────────────────────────────────────────────────────────────────


def question_key(task: str) -> str:
    """One key for the same question in other order, case or filler words."""
    return " ".join(sorted(set(content_words(task)))) or task.strip().lower()


def text_of(observation: Observation) -> str:
    """What an observation says, for both indexes; not what newer findings supersede."""
    return "\n".join([observation.task, *(one.text for one in observation.current)])


def with_ids(observation: Observation) -> Observation:
    """With ids made from content, for it and for its findings."""
    findings = tuple(
        replace(one, id=one.id or content_id(one.text, one.url, one.page, str(one.start)))
        for one in observation.findings
    )
    own = observation.id or content_id(observation.task, observation.run_id, observation.created)
    return replace(observation, id=own, findings=findings)


def _home(new: Observation, beside: Sequence[Observation], merged: Merged) -> Observation | None:
    """Where the fresh findings belong: with the same question, or in a new observation."""
    asked = question_key(new.task)
    same = next((one for one in beside if question_key(one.task) == asked), None)
    if same is not None:
        updated = max(same.updated, new.created)
        return replace(same, updated=updated, quality=new.quality, run_id=new.run_id)
    if not merged.fresh:
        return None
    return replace(new, findings=(), updated=new.updated or new.created)


def _free_of(observation: Observation, gone: str) -> Observation:
    """Findings that a forgotten one superseded or disputed stand by themselves again."""

    def freed(finding: Finding) -> Finding:
        rivals = tuple(id for id in finding.rivals if id != gone)
        return replace(finding, rivals=rivals, standing=finding.standing if rivals else "current")

    return replace(observation, findings=tuple(map(freed, observation.findings)))


def _strike_out(db: sqlite3.Connection, last: int) -> None:
    db.execute("DELETE FROM outbox WHERE place <= ?", (last,))
