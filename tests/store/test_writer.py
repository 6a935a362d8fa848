"""What waits for the disk together is made safe together, and none of it is lost or mixed up."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from leadline.errors import StoreBroken
from leadline.store.reading import Reading
from leadline.store.writer import MOST, Writer


def _file(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, word TEXT)")
    return connection


ADD = "INSERT INTO rows VALUES (?, ?)"


@pytest.mark.contract("H5")
def test_a_hundred_rows_that_wait_together_are_made_safe_in_few_commits(tmp_path: Path) -> None:
    commits = 0

    def seen(statement: str) -> None:
        nonlocal commits
        commits += statement == "COMMIT"

    async def write() -> list[int]:
        connection = _file(tmp_path / "a.db")
        connection.set_trace_callback(seen)
        writer, gate = Writer(tmp_path / "a.db", connection), threading.Event()
        held = asyncio.ensure_future(writer.do(lambda _: gate.wait(30)))
        waiting = [asyncio.ensure_future(writer.change(ADD, (n, "x"))) for n in range(3 * MOST)]
        await asyncio.sleep(0)
        gate.set()
        await held
        changed = await asyncio.gather(*waiting)
        await writer.close()
        return changed

    assert asyncio.run(write()) == [1] * 3 * MOST
    assert commits == 3
    found = Reading(tmp_path / "a.db").rows("SELECT count(*) FROM rows", ())
    assert found[0][0] == 3 * MOST


@pytest.mark.contract("R9")
def test_a_row_that_cannot_be_there_fails_alone(tmp_path: Path) -> None:
    async def write() -> list[int | BaseException]:
        writer, gate = Writer(tmp_path / "a.db", _file(tmp_path / "a.db")), threading.Event()
        held = asyncio.ensure_future(writer.do(lambda _: gate.wait(30)))
        given = [(1, "x"), (1, "again"), (2, "lone \ud800"), (3, "y")]
        waiting = [asyncio.ensure_future(writer.change(ADD, one)) for one in given]
        await asyncio.sleep(0)
        gate.set()
        await held
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        await writer.close()
        return outcomes

    first, twice, lone, last = asyncio.run(write())
    assert (first, last) == (1, 1)
    assert isinstance(twice, StoreBroken)
    assert isinstance(lone, ValueError)
    found = Reading(tmp_path / "a.db").rows("SELECT id, word FROM rows ORDER BY id", ())
    assert [tuple(row) for row in found] == [(1, "x"), (3, "y")]


def test_who_no_longer_waits_for_a_row_has_not_written_it(tmp_path: Path) -> None:
    async def write() -> None:
        writer, gate = Writer(tmp_path / "a.db", _file(tmp_path / "a.db")), threading.Event()
        held = asyncio.ensure_future(writer.do(lambda _: gate.wait(30)))
        gone, stays = (asyncio.ensure_future(writer.change(ADD, (n, "x"))) for n in (1, 2))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        gate.set()
        await held
        assert await stays == 1
        await writer.close()

    asyncio.run(write())
    found = Reading(tmp_path / "a.db").rows("SELECT id FROM rows", ())
    assert [row["id"] for row in found] == [2]


def test_a_file_put_in_the_place_of_another_is_read(tmp_path: Path) -> None:
    reading = Reading(tmp_path / "a.db")
    assert reading.rows("SELECT 1", ()) == []
    for name, word in (("a.db", "old"), ("b.db", "new")):
        connection = _file(tmp_path / name)
        connection.execute(ADD, (1, word))
        connection.close()
    assert reading.rows("SELECT word FROM rows", ())[0]["word"] == "old"
    (tmp_path / "b.db").replace(tmp_path / "a.db")
    assert reading.rows("SELECT word FROM rows", ())[0]["word"] == "new"
    reading.close()
