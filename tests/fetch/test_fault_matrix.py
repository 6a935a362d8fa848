"""Whatever a server does ends as docs/fetching.md says, in its time, while other pages go on."""

from __future__ import annotations

import asyncio
import gzip
import re
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest
from web import ARTICLE, fetching, hit, outcome

from hostile import Act, Hostile, answer, bomb, redirect
from leadline.errors import SourceLost
from leadline.fetch.reading import ReaderPool
from leadline.types import Page

DOCS = Path(__file__).resolve().parents[2] / "docs" / "fetching.md"

# What the server does: what comes of it, and whether trying again may help. None: the page is read.
MATRIX: dict[str, tuple[str | None, bool]] = {
    "slow first byte": ("sent nothing for", True),
    "slow drip": ("took longer than", True),
    "endless body": ("is larger than", False),
    "gzip bomb": ("decompression bomb", False),
    "brotli bomb": ("decompression bomb", False),
    "broken gzip": ("cannot be read", False),
    "length too long": ("broke off", True),
    "length too short": (None, False),
    "wrong charset": (None, False),
    "redirect loop": ("redirects in a circle", False),
    "endless redirects": ("more than 5 redirects", False),
    "redirect to a private address": ("not a public address", False),
    "redirect to another scheme": ("only http and https", False),
    "429 with Retry-After": ("answered 429", True),
    "500": ("answered 500", True),
    "404": ("answered 404", False),
    "204": ("answered 204", False),
    "truncated body": ("broke off", True),
    "no HTTP at all": ("broke off", True),
    "connection closed": ("broke off", True),
    "HTML instead of PDF": (None, False),
    "text instead of PDF": ("was promised", False),
    "empty answer": ("empty", False),
    "picture": ("holds no text", False),
    "100 MB PDF, told": ("more than the", False),
    "100 MB PDF, not told": ("larger than", False),
    "200,000 tags": (None, False),
    "200,000 tags, nested": ("nested more than", False),
    "broken PDF": ("cannot be opened", False),
    "broken office file": ("broken zip", False),
}


async def _raw(text: bytes, out: asyncio.StreamWriter) -> None:
    out.write(text)


def _routes(server: Hostile) -> dict[str, Act]:
    pdf = "application/pdf"
    latin = ARTICLE.replace("leadline", "Lötleine").encode("cp1252")
    return {
        "slow first byte": server.silence,
        "slow drip": server.drip,
        "endless body": server.endless,
        "gzip bomb": answer(bomb(30), content_encoding="gzip"),
        "brotli bomb": answer(brotli.compress(bytes(30_000_000)), content_encoding="br"),
        "broken gzip": answer(gzip.compress(ARTICLE.encode())[:40] + b"x" * 90,
                              content_encoding="gzip"),
        "length too long": answer(ARTICLE, content_length="99999"),
        "length too short": answer(ARTICLE + "tail that is cut", content_length=str(len(ARTICLE))),
        "wrong charset": answer(latin, kind="text/html; charset=utf-8"),
        "redirect loop": redirect("/redirect-loop-2"),
        "redirect loop 2": redirect("/redirect-loop"),
        "endless redirects": redirect("/r1"),
        "redirect to a private address": redirect("http://169.254.169.254/latest/meta-data/"),
        "redirect to another scheme": redirect("file:///etc/passwd"),
        "429 with Retry-After": answer("wait", status="429 Too Many Requests", retry_after="7"),
        "500": answer("oh", status="500 Internal Server Error"),
        "204": answer(status="204 No Content"),
        "truncated body": answer(ARTICLE[:700], content_length=str(len(ARTICLE))),
        "no HTTP at all": lambda _, out: _raw(b"SSH-2.0-OpenSSH_9.2\r\n", out),
        "connection closed": lambda _, out: _raw(b"", out),
        "HTML instead of PDF": answer(ARTICLE, kind=pdf),
        "text instead of PDF": answer("no PDF at all", kind=pdf),
        "empty answer": answer(b""),
        "picture": answer(b"\x89PNG", kind="image/png"),
        "100 MB PDF, told": server.large(100, pdf, told=True),
        "100 MB PDF, not told": server.large(100, pdf, told=False),
        "200,000 tags": answer("<body>" + "<b></b>" * 100_000 + ARTICLE),
        "200,000 tags, nested": answer("<body>" + "<div>" * 200_000 + ARTICLE),
        "broken PDF": answer(b"%PDF-1.7\nbroken", kind=pdf),
        "broken office file": answer(b"PK\x03\x04broken", kind="application/octet-stream"),
    } | {f"r{n}": redirect(f"/r{n + 1}") for n in range(1, 9)}  # fmt: skip


def _path(name: str) -> str:
    return "/" + re.sub(r"[^a-zA-Z0-9]+", "-", name)


async def _all_at_once() -> tuple[dict[str, Page | SourceLost], list[Page | SourceLost]]:
    async with Hostile() as server:
        server.routes = {_path(name): act for name, act in _routes(server).items()}
        good = [f"/good-{n}" for n in range(12)]
        server.routes |= dict.fromkeys(good, answer(ARTICLE))
        async with fetching(server, readers=ReaderPool(2, 60.0)) as web:
            await web.fetch(hit(server.url(good[0])))  # the workers are up
            found = await asyncio.gather(
                *(outcome(web, server.url(_path(name))) for name in MATRIX),
                *(outcome(web, server.url(path)) for path in good),
            )
        return dict(zip(MATRIX, found, strict=False)), found[len(MATRIX) :]


@pytest.mark.contract("E4", "E2")
def test_every_fault_ends_as_documented_while_the_others_go_on() -> None:
    async def within() -> tuple[dict[str, Page | SourceLost], list[Page | SourceLost]]:
        async with asyncio.timeout(90):  # far above the limits; only a hang reaches it
            return await _all_at_once()

    found, others = asyncio.run(within())
    wrong = {}
    for name, (why, retryable) in MATRIX.items():
        came = found[name]
        if why is None:
            right = isinstance(came, Page) and "Sentence number 19" in came.text
        else:
            right = isinstance(came, SourceLost) and came.retryable is retryable
            right = right and why in str(came)
        if not right:
            wrong[name] = came
    assert not wrong
    assert [isinstance(page, Page) for page in others] == [True] * 12


def test_a_server_that_asks_to_wait_is_heard() -> None:
    async def ask() -> Page | SourceLost:
        async with Hostile() as server, fetching(server) as web:
            server.routes["/"] = answer("", status="503 Busy", retry_after="12")
            return await outcome(web, server.url("/"))

    lost = asyncio.run(ask())
    assert isinstance(lost, SourceLost)
    assert (lost.retryable, lost.retry_after) == (True, 12.0)


def test_a_charset_that_the_header_gets_wrong_is_found_all_the_same() -> None:
    async def ask() -> Page | SourceLost:
        async with Hostile() as server, fetching(server) as web:
            text = ARTICLE.replace("leadline", "Lötleine")
            server.routes["/"] = answer(text.encode("cp1252"), kind="text/html; charset=utf-8")
            return await outcome(web, server.url("/"))

    page = asyncio.run(ask())
    assert isinstance(page, Page)
    assert "Lötleine" in page.text


def test_every_fault_is_in_the_documented_table() -> None:
    table = DOCS.read_text("utf-8")
    assert [name for name in MATRIX if f"| {name} |" not in table] == []
