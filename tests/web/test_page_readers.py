"""Pages are read in processes of their own; one that hangs or dies costs its page alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest
from page_server import ARTICLE

from leadline.errors import SourceLost
from leadline.types import Page
from leadline.web.page_worker import answer
from leadline.web.workers import PageReaders, shared_readers

STUB = """
import os, sys
import msgspec
from leadline.types import Page
source, sink = sys.stdin.buffer, sys.stdout.buffer
while size := source.read(8):
    data, url, kind = msgspec.msgpack.decode(source.read(int.from_bytes(size, "big")))
    if data == b"die":
        os._exit(3)
    if data == b"hang":
        source.read()
    reply = msgspec.msgpack.encode(Page(url, "", str(os.getpid())))
    sink.write(len(reply).to_bytes(8, "big") + (b"" if data == b"half" else reply))
    sink.flush()
    if data == b"half":
        os._exit(3)
"""


def _pool(
    tmp_path: Path, size: int = 1, limit_s: float = 30.0, patience_s: float = 30.0
) -> PageReaders:
    script = tmp_path / "worker.py"
    script.write_text(textwrap.dedent(STUB))
    return PageReaders(size, limit_s, (sys.executable, str(script)), patience_s)


async def _read(pool: PageReaders, data: bytes) -> str:
    return (await pool.read(data, "https://site.example/", "text/html")).text


@pytest.mark.contract("E2")
def test_a_real_page_is_read_with_title_and_text() -> None:
    async def go() -> tuple[str, str]:
        pool = PageReaders(1)
        page = await pool.read(ARTICLE.encode(), "https://site.example/", "text/html")
        await pool.aclose()
        return page.title, page.text

    title, text = asyncio.run(go())
    assert title == "On soundings"
    assert "Sentence number 0 " in text
    assert "Home" not in text


def test_what_cannot_be_read_is_lost_with_its_reason() -> None:
    async def go() -> None:
        pool = PageReaders(1)
        with pytest.raises(SourceLost, match="cannot be opened"):
            await pool.read(b"%PDF-1.7\nbroken", "https://site.example/", "application/pdf")
        await pool.aclose()

    asyncio.run(go())


def test_half_a_letter_of_a_page_does_not_break_its_reader() -> None:
    request = msgspec.msgpack.encode((b"<p>half &#xd800; a letter</p>", "https://a.example", ""))
    assert "letter" in msgspec.msgpack.decode(answer(request), type=Page).text


def test_the_readers_of_a_loop_are_shared_and_end_with_the_last_who_has_them() -> None:
    async def go() -> tuple[Page, Page]:
        first, second = shared_readers(), shared_readers()
        before = await first.read(ARTICLE.encode(), "https://a.example/", "text/html")
        await first.aclose()
        after = await second.read(ARTICLE.encode(), "https://a.example/", "text/html")
        await second.aclose()
        return before, after

    before, after = asyncio.run(go())
    assert before == after


@pytest.mark.contract("R9")
def test_a_script_without_a_main_guard_is_not_run_again_by_a_reader(tmp_path: Path) -> None:
    script = tmp_path / "careless.py"
    script.write_text(
        "import asyncio\n"
        "from leadline.web.workers import PageReaders\n"
        "print('once')\n"
        "async def go():\n"
        "    readers = PageReaders()\n"
        "    page = await readers.read(b'<p>Some words of a page.</p>', 'https://a.example', '')\n"
        "    await readers.aclose()\n"
        "    print(page.text)\n"
        "asyncio.run(go())\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert ran.stdout.count("once") == 1
    assert "Some words of a page." in ran.stdout


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


async def _warm(pool: PageReaders) -> None:
    """A loaded machine may take longer than the limit to start a worker: try until one is up."""
    for _ in range(50):
        try:
            await _read(pool, b"x")
        except SourceLost:
            continue
        return
    pytest.fail("no worker came up")


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
    subprocess.run(
        [sys.executable, "-P", "-m", "leadline.web.page_worker"],
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
