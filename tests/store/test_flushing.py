"""What a step waits for, what a promise waits for, and what the disk is asked for behind both."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from leadline.store.flushing import flush, flush_soon, log_of
from leadline.store.schema import connect
from leadline.store.writer import Writer

SAY = "INSERT OR REPLACE INTO words VALUES (?, ?, ?)"


def levels(path: Path, *safe: bool) -> list[int]:
    """How sure SQLite was told to be while each was written: 1 of its log, 2 of the disk."""
    connection = connect(path)
    seen: list[int] = []

    def level() -> str:
        seen.append(int(connection.execute("PRAGMA synchronous").fetchone()[0]))
        return "name"

    connection.create_function("level", 0, level)

    async def write() -> None:
        writer = Writer(path, connection)
        for number, one in enumerate(safe):
            sql = "INSERT OR REPLACE INTO words VALUES (?, level(), '1')"
            assert await writer.change(sql, (str(number),), safe=one) == 1
        await writer.close()

    asyncio.run(write())
    return seen


@pytest.mark.contract("R9")
def test_a_step_does_not_wait_for_the_disk_and_a_promise_does(tmp_path: Path) -> None:
    assert levels(tmp_path / "runs.db", False, True, False) == [1, 2, 1]


@pytest.mark.contract("R9")
def test_what_was_written_is_there_for_another_process_at_once(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"

    async def write() -> list[tuple[str, ...]]:
        writer = Writer(path, connect(path))
        await writer.change(SAY, ("run", "name", "1"), safe=False)
        other = sqlite3.connect(path)
        found = other.execute("SELECT run, name, value FROM words").fetchall()
        other.close()
        await writer.close()
        return found

    assert asyncio.run(write()) == [("run", "name", "1")]


def test_a_file_that_is_gone_needs_no_keeping(tmp_path: Path) -> None:
    flush(tmp_path / "gone")
    flush_soon(tmp_path / "gone")
    assert log_of(tmp_path / "runs.db") == tmp_path / "runs.db-wal"
