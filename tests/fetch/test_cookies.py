"""A site's cookies go back to that site, and nowhere else."""

from __future__ import annotations

import asyncio

import pytest
from web import ARTICLE, fetching, outcome

from hostile import Hostile, Request, answer, redirect
from leadline.fetch.cookies import MOST, Cookies
from leadline.fetch.guard import parse
from leadline.types import Page


def test_they_go_to_the_host_and_scheme_that_set_them_and_nowhere_else() -> None:
    cookies = Cookies()
    site = parse("https://site.example/a")
    cookies.take(site, "one=1; Path=/; Domain=.example\ntwo=2; Expires=Wed, 21 Oct 2065 07:28 GMT")
    assert cookies.sent(parse("https://site.example/b")) == {"Cookie": "one=1; two=2"}
    for other in ("http://site.example/", "https://www.site.example/", "https://other.example/"):
        assert cookies.sent(parse(other)) == {}


def test_one_that_is_over_is_forgotten_and_there_is_a_most() -> None:
    cookies, site = Cookies(), parse("https://site.example/")
    cookies.take(site, "one=1")
    cookies.take(site, "one=; Max-Age=0")
    cookies.take(site, "=nameless\n\n")
    assert cookies.sent(site) == {}
    cookies.take(site, "\n".join(f"n{n}=x" for n in range(2 * MOST)))
    cookies.take(site, "long=" + "x" * 5_000)
    assert cookies.sent(site)["Cookie"].count(";") == MOST - 1
    assert "long" not in cookies.sent(site)["Cookie"]


@pytest.mark.contract("E2")
def test_a_site_that_asks_for_its_cookie_on_the_way_is_read() -> None:
    async def gate(request: Request, out: asyncio.StreamWriter) -> None:
        act = answer(ARTICLE) if "seen=yes" in request.headers.get("cookie", "") else redirect("/")
        await act(request, out)

    async def ask() -> object:
        first = answer(status="302 Found", location="/inside", set_cookie="seen=yes; Path=/")
        async with Hostile({"/": first, "/inside": gate}) as server, fetching(server) as web:
            return await outcome(web, f"http://127.0.0.1:{server.port}/")

    assert isinstance(asyncio.run(ask()), Page)
