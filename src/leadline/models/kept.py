"""Every answer of a model is written down before anything else happens, so none is paid for twice.

One file for all runs. It has the answers by what was asked, the bill with its failures, and what
each role's model was found to hold, so that a resumed run builds the same prompts again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from leadline.codec import dumped
from leadline.errors import StoreBroken
from leadline.ports import Model
from leadline.text.shape import schema_text
from leadline.turns import my_turn
from leadline.types import Ask, Call, Completion, ToolCall, Usage
from leadline.values import replace
from leadline.write.wrapper_name import Around

FILE_NAME = "calls.db"
BUSY_S = 30.0

_TABLES = (
    """CREATE TABLE IF NOT EXISTS calls (
        position INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        asked TEXT,
        role TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        cost REAL NOT NULL,
        seconds REAL NOT NULL,
        error TEXT NOT NULL,
        letters REAL NOT NULL,
        answer TEXT,
        cut INTEGER NOT NULL,
        called TEXT NOT NULL DEFAULT '[]'
    )""",
    "CREATE UNIQUE INDEX IF NOT EXISTS calls_by_ask ON calls (run, asked)",
    """CREATE TABLE IF NOT EXISTS sizes (
        run TEXT NOT NULL,
        role TEXT NOT NULL,
        window INTEGER NOT NULL,
        chars_per_token REAL NOT NULL,
        PRIMARY KEY (run, role)
    )""",
)
_BILL = "role, model, prompt_tokens, completion_tokens, cost, seconds, error, letters"


@dataclass(frozen=True)
class Size:
    """What a model holds and how it counts, fixed for the length of a run."""

    window: int
    chars_per_token: float


class CallTable(Protocol):
    """Where the calls of all runs stand: the tables below, here or in PostgreSQL."""

    def rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """What a statement gives; what it changes is safe when this returns."""

    def close(self) -> None: ...


class _File:
    """One file, open once in this process: a connection for each run would wait for the others'.

    Reading has a connection of its own, so that it never waits for the disk behind a write.
    """

    def __init__(self, path: Path) -> None:
        self.users = 0
        self._turns = {True: threading.Lock(), False: threading.Lock()}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._writing = self._connected(path)
        self._writing.execute("PRAGMA journal_mode=WAL")
        self._writing.execute("PRAGMA synchronous=FULL")
        for table in _TABLES:
            self._writing.execute(table)
        self._widen()
        self._reading = self._connected(path)

    def rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        reads = sql.startswith("SELECT")
        with self._turns[reads]:
            file = self._reading if reads else self._writing
            return file.execute(sql, values).fetchall()

    def close(self) -> None:
        with self._turns[True], self._turns[False]:
            self._reading.close()
            self._writing.close()

    def _connected(self, path: Path) -> sqlite3.Connection:
        return sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)

    def _widen(self) -> None:
        """A file of before models could call tools has no column for what they called."""
        columns = [row[1] for row in self._writing.execute("PRAGMA table_info(calls)")]
        if "called" not in columns:
            self._writing.execute("ALTER TABLE calls ADD COLUMN called TEXT NOT NULL DEFAULT '[]'")


_OPEN: dict[Path, _File] = {}
_OPENING = threading.Lock()


class FileCalls:
    """`CallTable` in a file of one folder."""

    def __init__(self, folder: Path) -> None:
        self._path = (folder / FILE_NAME).absolute()
        with self._guarded(), _OPENING:
            self._file = _OPEN.get(self._path) or _File(self._path)
            self._file.users += 1
            _OPEN[self._path] = self._file

    def rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._guarded():
            return self._file.rows(sql, values)

    def close(self) -> None:
        with _OPENING:
            self._file.users -= 1
            if not self._file.users:
                del _OPEN[self._path]
                self._file.close()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreBroken(
                f"the calls of models cannot be kept in {self._path}: {error}; "
                "mend or move the file and resume the run"
            ) from error


class CallBook:
    """The calls of one run. It is the run's `CallMeter` and the memory of its `KeptModel`s."""

    def __init__(self, calls: Path | CallTable, run_id: str) -> None:
        """Over a table, or over the file of a folder."""
        self._table = FileCalls(calls) if isinstance(calls, Path) else calls
        self._run = run_id
        self._latest: Call | None = None

    def close(self) -> None:
        self._table.close()

    # ── the bill ────────────────────────────────────────────────────────────────────────────

    def called(self, call: Call) -> None:
        """A failure is written down at once; an answer together with its text, by `keep`."""
        if call.error:
            self._table.rows(*self._line(call, None, None))
        else:
            self._latest = call

    def calls(self) -> tuple[Call, ...]:
        """Everything that was asked in the name of this run, in all its lives."""
        sql = f"SELECT {_BILL} FROM calls WHERE run = ? ORDER BY position"  # noqa: S608
        return tuple(Call(*row) for row in self._table.rows(sql, (self._run,)))

    def spent(self) -> Usage:
        calls = self.calls()
        return Usage(
            calls=len(calls),
            prompt_tokens=sum(call.prompt_tokens for call in calls),
            completion_tokens=sum(call.completion_tokens for call in calls),
            cost=sum(call.cost for call in calls),
        )

    # ── the answers ─────────────────────────────────────────────────────────────────────────

    def answer(self, asked: str) -> Completion | None:
        """What this was answered before."""
        sql = (
            "SELECT answer, prompt_tokens, completion_tokens, cost, model, cut, seconds, called "
            "FROM calls WHERE run = ? AND asked = ?"
        )
        for row in self._table.rows(sql, (self._run, asked)):
            text, prompt, answer, cost, model, cut, seconds, called = row
            calls = tuple(ToolCall(*pair) for pair in json.loads(called))
            return Completion(text, prompt, answer, cost, model, bool(cut), seconds, calls)
        return None

    def keep(self, asked: str, role: str, done: Completion) -> None:
        """Write an answer down, for good before this returns."""
        self._table.rows(*self._line(self._billed(role, done), asked, done))

    async def kept(self, asked: str, role: str, done: Completion) -> None:
        """The same without holding up other runs while the disk is waited for."""
        line = self._line(self._billed(role, done), asked, done)
        writing = asyncio.get_running_loop().run_in_executor(_writer(), self._table.rows, *line)
        await asyncio.shield(writing)

    def _billed(self, role: str, done: Completion) -> Call:
        call, self._latest = self._latest, None
        return replace(call, seconds=done.seconds) if call else call_of(role, done)

    def _line(
        self, call: Call, asked: str | None, done: Completion | None
    ) -> tuple[str, tuple[Any, ...]]:
        sql = (
            f"INSERT INTO calls (run, asked, answer, cut, called, {_BILL}) "  # noqa: S608
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        )
        called = json.dumps([[one.name, one.arguments] for one in done.calls] if done else [])
        answered = (done.text if done else None, bool(done and done.cut), called)
        bill = (
            *(call.role, call.model, call.prompt_tokens, call.completion_tokens),
            *(call.cost, call.seconds, call.error, call.letters),
        )
        return sql, (self._run, asked, *answered, *bill)

    # ── what the models hold ────────────────────────────────────────────────────────────────

    def size(self, role: str) -> Size | None:
        sql = 'SELECT "window", chars_per_token FROM sizes WHERE run = ? AND role = ?'
        for row in self._table.rows(sql, (self._run, role)):
            return Size(*row)
        return None

    def note_size(self, role: str, size: Size) -> None:
        sql = "INSERT INTO sizes VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        self._table.rows(sql, (self._run, role, size.window, size.chars_per_token))


@cache
def _writer() -> ThreadPoolExecutor:
    """Writes take turns anyway: they must not fill the threads that everything else shares."""
    return ThreadPoolExecutor(1, "calls")


def kept_runs(table: CallTable) -> list[str]:
    """The runs that have calls in the book."""
    return [str(run) for (run,) in table.rows("SELECT DISTINCT run FROM calls ORDER BY run", ())]


def drop_calls(table: CallTable, run_id: str) -> None:
    """Take a run out of the book: one that is finished asks nothing again, and has its bill."""
    for sql in ("DELETE FROM calls WHERE run = ?", "DELETE FROM sizes WHERE run = ?"):
        table.rows(sql, (run_id,))


class KeptModel(Around):
    """A model that is asked the same thing once in a run, ever."""

    def __init__(self, model: Model, role: str, book: CallBook) -> None:
        self._model, self._role, self._book = model, role, book

    async def complete(self, ask: Ask) -> Completion:
        asked = fingerprint(ask, self._role, self.name)
        if (kept := self._book.answer(asked)) is not None:
            return kept
        done = await self._model.complete(ask)
        await self._book.kept(asked, self._role, done)
        await my_turn()  # what follows is reading the answer
        return done

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        asked = fingerprint(ask, self._role, self.name)
        if (kept := self._book.answer(asked)) is not None:
            yield kept.text
            yield kept
            return
        whole: Completion | None = None
        async with aclosing(self._model.stream(ask)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    whole = piece  # kept once the call is on the bill
                else:
                    yield piece
        if whole is not None:
            await self._book.kept(asked, self._role, whole)
            yield whole


def fingerprint(ask: Ask, role: str, model: str) -> str:
    """The whole of a request as one hash: anything that could change its answer is in it."""
    parts: list[Any] = [
        role,
        model,
        ask.system,
        ask.prompt,
        schema_text(ask.schema) if ask.schema else "",
        ask.max_tokens,
        ask.temperature,
        [hashlib.sha256(image).hexdigest() for image in ask.images],
    ]
    if ask.tools or ask.turns:
        parts += [
            [[one.name, one.about, schema_text(one.takes)] for one in ask.tools],
            [dumped(turn) for turn in ask.turns],
            ask.native,
        ]
    text = json.dumps(parts, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def call_of(role: str, done: Completion) -> Call:
    """A completion as a line of the bill."""
    return Call(
        role=role,
        model=done.model,
        prompt_tokens=done.prompt_tokens,
        completion_tokens=done.completion_tokens,
        cost=done.cost,
        seconds=done.seconds,
    )
