"""Pages are read in processes of their own; one that hangs or dies costs its page alone."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from pathlib import Path

import pytest
from web import ARTICLE

from leadline.errors import SourceLost
from leadline.fetch.reading import ReaderPool

STUB = """
import json, os, sys, time
out = sys.stdout.buffer
out.write(b"{}\\n"); out.flush()
while line := sys.stdin.buffer.readline():
    data = sys.stdin.buffer.read(json.loads(line)["size"])
    if data == b"die":
        os._exit(3)
    if data == b"hang":
        sys.stdin.buffer.read()
    text = str(os.getpid()).encode()
    about = {"title": "", "author": "", "date": "", "size": len(text)}
    if data == b"half":
        out.write(json.dumps(about | {"size": 99}).encode() + b"\\n"); out.flush(); os._exit(3)
    out.write(json.dumps(about).encode() + b"\\n" + text); out.flush()
"""


def _pool(
    tmp_path: Path, size: int = 1, limit_s: float = 30.0, patience_s: float = 30.0
) -> ReaderPool:
    script = tmp_path / "worker.py"
    script.write_text(textwrap.dedent(STUB))
    return ReaderPool(size, limit_s, (sys.executable, str(script)), patience_s)


async def _read(pool: ReaderPool, data: bytes) -> str:
    return (await pool.read(data, "https://site.example/", "text/html")).text


@pytest.mark.contract("E2")
def test_a_real_page_is_read_with_title_and_text() -> None:
    async def go() -> tuple[str, str]:
        pool = ReaderPool(1)
        pool.warm()
        page = await pool.read(ARTICLE.encode(), "https://site.example/", "text/html")
        await pool.aclose()
        return page.title, page.text

    title, text = asyncio.run(go())
    assert title == "On soundings"
    assert "Sentence number 0 " in text
    assert "Home" not in text


@pytest.mark.parametrize("how", [b"die", b"half"])
def test_a_worker_that_dies_is_replaced(tmp_path: Path, how: bytes) -> None:
    async def go() -> None:
        pool = _pool(tmp_path)
        first = await _read(pool, b"x")
        assert await _read(pool, b"x") == first
        with pytest.raises(SourceLost, match="broke its reader"):
            await _read(pool, how)
        assert await _read(pool, b"x") != first
        await pool.aclose()

    asyncio.run(go())


def test_a_worker_that_hangs_is_ended_in_its_time_and_replaced(tmp_path: Path) -> None:
    async def go() -> None:
        pool = _pool(tmp_path, limit_s=0.3)
        await _warm(pool)
        with pytest.raises(SourceLost, match=r"longer than 0\.3 s"):
            await _read(pool, b"hang")
        await _warm(pool)
        await pool.aclose()

    asyncio.run(go())


async def _warm(pool: ReaderPool) -> None:
    """A loaded machine may take longer than the limit to start a worker: try until one is up."""
    for _ in range(50):
        try:
            await _read(pool, b"x")
        except SourceLost:
            continue
        return
    pytest.fail("no worker came up")


def test_one_that_hangs_does_not_hold_up_the_others(tmp_path: Path) -> None:
    async def go() -> None:
        pool = _pool(tmp_path, size=2)
        hanging = asyncio.create_task(_read(pool, b"hang"))
        await asyncio.gather(*(_read(pool, b"x") for _ in range(8)))
        assert not hanging.done()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        await pool.aclose()

    asyncio.run(go())


def test_who_has_waited_long_behind_one_that_hangs_is_given_another_worker(tmp_path: Path) -> None:
    async def go() -> None:
        pool = _pool(tmp_path, size=2, patience_s=0.1)
        hanging = asyncio.create_task(_read(pool, b"hang"))
        await asyncio.create_task(_read(pool, b"x"))  # one that waits; else it takes several
        assert not hanging.done()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        await pool.aclose()

    asyncio.run(go())


def test_a_worker_ends_when_the_one_who_started_it_is_gone() -> None:
    async def go() -> int:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "leadline.read.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(60):
            return await process.wait()

    assert asyncio.run(go()) == 0
