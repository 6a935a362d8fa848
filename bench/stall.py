"""How long the event loop stands still while 300 pages are fetched and read.

Pages of 30 to 200 KB are served by another process on loopback. A heartbeat in the measured loop
notes by how much each beat is late; the latest beat is the longest stall. The same is done with
parsing inside the loop, for comparison.

    python bench/stall.py [--pages 300] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from leadline.read.webpage import read_web
from leadline.types import Hit, Page
from leadline.web.addresses import Guard
from leadline.web.fetch import ReadsPages, WebPages
from leadline.web.workers import PageReaders

BEAT_S = 0.001
_WORDS = """sea rope lead depth bottom sample ground ship harbour pilot chart sounding fathom mark
current tide shoal channel anchor crew master wind night light bell watch line weight measure
report record month year people town river bridge market price study result method question answer
evidence claim source record number table figure section history science nature weather"""
WORDS = _WORDS.split()


# ── the pages ───────────────────────────────────────────────────────────────────────────────


def sentence(dice: random.Random) -> str:
    chosen = dice.choices(WORDS, k=dice.randint(8, 24))
    return " ".join(chosen).capitalize() + "."


def paragraph(dice: random.Random) -> str:
    return " ".join(sentence(dice) for _ in range(dice.randint(2, 6)))


def links(dice: random.Random, count: int) -> str:
    return "".join(
        f'<li class="nav-item"><a href="/page/{dice.randrange(300)}">{dice.choice(WORDS)}</a></li>'
        for _ in range(count)
    )


def page(number: int, seed: int) -> str:
    """An article among menus, teasers, scripts and comments, of 30 to 200 KB in all."""
    dice = random.Random(f"{seed}/{number}")
    size = dice.randint(30_000, 200_000)
    parts: list[str] = []
    length = 0
    while length < size * 0.55:
        text = f"<p>{paragraph(dice)}</p>"
        if dice.random() < 0.15:
            text = f"<h2>{sentence(dice)}</h2>{text}"
        if dice.random() < 0.08:
            rows = "".join(f"<tr><td>{dice.random():.3f}</td><td>x</td></tr>" for _ in range(12))
            text += f"<table><tr><th>a</th><th>b</th></tr>{rows}</table>"
        parts.append(text)
        length += len(text)
    teasers = "".join(
        f'<div class="card"><a href="/x"><h3>{sentence(dice)}</h3></a><p>{sentence(dice)}</p></div>'
        for _ in range(20)
    )
    comments = "".join(
        f'<div class="comment"><b>user{i}</b><p>{paragraph(dice)}</p><a href="/r">Reply</a></div>'
        for i in range(25)
    )
    rest = max(0, size - length - len(teasers) - len(comments) - 8000)
    script = "var state={" + ",".join(f'"k{i}":{i}' for i in range(rest // 12)) + "};"
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>Page {number}</title>"
        f'<meta property="article:published_time" content="2025-01-02"><script>{script}</script>'
        f"</head><body><header><nav><ul>{links(dice, 60)}</ul></nav></header><main><article>"
        f"<h1>Page {number}</h1>{''.join(parts)}</article></main><aside>{teasers}</aside>"
        f"<section class=comments>{comments}</section><footer><ul>{links(dice, 40)}</ul></footer>"
        "</body></html>"
    )


async def serve(count: int, seed: int) -> None:
    """Answer on a free port, which is printed; ends with its standard input."""
    pages = [page(number, seed).encode() for number in range(count)]

    async def answer(source: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        while line := await source.readline():
            path = line.split(b" ")[1].decode()
            while (await source.readline()).strip():
                pass
            known = path.startswith("/page/")
            body = pages[int(path.removeprefix("/page/"))] if known else b""
            status = "200 OK" if known else "404 Not Found"
            head = f"HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\n"
            out.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            await out.drain()
        out.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


# ── the measure ─────────────────────────────────────────────────────────────────────────────


class InLoop:
    """Reads in the event loop: what the workers are for is seen against this."""

    def warm(self) -> None:
        """Nothing to start."""

    async def read(self, data: bytes, url: str, content_type: str) -> Page:
        return read_web(data, url, content_type)

    async def aclose(self) -> None:
        """Nothing to end."""


class Heart:
    """Beats every millisecond; `longest` is by how much the latest beat was late."""

    def __init__(self) -> None:
        self.late: list[float] = []

    async def beat(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(BEAT_S)
            self.late.append(time.perf_counter() - before - BEAT_S)


@asynccontextmanager
async def beating() -> AsyncIterator[Heart]:
    heart = Heart()
    task = asyncio.create_task(heart.beat())
    await asyncio.sleep(0.05)
    heart.late.clear()
    yield heart
    task.cancel()


async def measure(port: int, count: int, readers: ReadsPages) -> tuple[Heart, float, int]:
    guard = Guard([f"127.0.0.1:{port}"])
    async with aclosing(WebPages(guard=guard, readers=readers)) as web, beating() as heart:
        hits = [Hit(f"http://127.0.0.1:{port}/page/{n}", "", "") for n in range(count)]
        start = time.perf_counter()
        pages = await asyncio.gather(*(web.fetch(hit) for hit in hits))
        took = time.perf_counter() - start
    return heart, took, sum(len(page.text) > 1000 for page in pages)


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--pages", type=int, default=300)
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parse.parse_args()
    if options.serve:
        asyncio.run(serve(options.pages, options.seed))
        return
    command = [sys.executable, __file__, "--serve", f"--pages={options.pages}"]
    command.append(f"--seed={options.seed}")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        heart, took, read = asyncio.run(measure(port, options.pages, PageReaders(size=2)))
        inline, inline_took, _ = asyncio.run(measure(port, options.pages, InLoop()))
        assert server.stdin is not None
        server.stdin.close()
    late = sorted(heart.late)
    figures = {
        "longest_stall_ms": round(1000 * late[-1], 1),
        "p99_stall_ms": round(1000 * late[int(0.99 * len(late))], 1),
        "pages": options.pages,
        "pages_read": read,
        "wall_s": round(took, 2),
        "baseline_inline_stall_ms": round(1000 * max(inline.late), 1),
        "baseline_inline_wall_s": round(inline_took, 2),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
