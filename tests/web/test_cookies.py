"""A site's cookies go back to that site, and nowhere else."""

from __future__ import annotations

import asyncio

import pytest
from page_server import ARTICLE, Names, fetching, outcome

from hostile import Hostile, Request, answer, redirect
from leadline.types import Page
from leadline.web.addresses import Guard


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


@pytest.mark.contract("E4")
def test_they_go_to_the_very_host_that_set_them_whatever_they_ask_for() -> None:
    async def ask() -> list[tuple[str, str]]:
        async with Hostile() as server:
            hosts = [f"{name}site.example:{server.port}" for name in ("", "www.")]
            given = answer(ARTICLE, set_cookie="seen=yes; Path=/; Domain=.site.example")
            server.routes = dict.fromkeys(["/a", "/b"], given)
            guard = Guard(hosts, Names(["127.0.0.1"]))
            async with fetching(server, guard=guard, robots=False) as web:
                for url in (f"http://{hosts[0]}/a", f"http://{hosts[1]}/a", f"http://{hosts[0]}/b"):
                    await outcome(web, url)
            return [(one.headers["host"], one.headers.get("cookie", "")) for one in server.asked]

    (first, none), (www, not_given), (again, given) = asyncio.run(ask())
    assert (none, not_given, given) == ("", "", "seen=yes")
    assert (first, again) == (www.removeprefix("www."),) * 2
