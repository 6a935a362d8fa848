"""robots.txt is read as RFC 9309 says, asked for once, and obeyed."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_server import ARTICLE, fetching, outcome

from growth import LINEAR, growth
from hostile import Hostile, Request, answer, head, redirect
from leadline.errors import SourceLost
from leadline.types import Page
from leadline.web.robots import MAX_BYTES, read_robots

SITE = "https://site.example"


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", False),
        ("User-agent: *\nDisallow: /same\nAllow: /same", "/same", True),
        ("User-agent: leadline\nDisallow: /\n\nUser-agent: *\nDisallow:", "/x", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Leadline/1.0\nAllow: /", "/x", True),
        ("User-agent: other\nUser-agent: leadline\nDisallow: /p", "/p", False),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("User-agent: leadlinebot\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/files/a.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/files/a.pdf?x", True),
        ("User-agent: *\nDisallow: /*/private/*/x", "/a/private/b/c/x/y", False),
        ("User-agent: *\nDisallow: /%7Ejoe", "/~joe/index.html", False),
        ("User-agent: *\nDisallow: /caf%C3%A9", "/café", False),
        ("User-agent: *\nDisallow: /q?a=", "/q?a=1", False),
        ("User-agent: * # all\nDisallow: /x # not this", "/x", False),
        ("\ufeffUser-agent: *\r\nDisallow: /x\r\n", "/x", False),
        ("<html>not found</html>", "/x", True),
        ("Disallow: /", "/x", True),
        ("User-agent: *\nDisallow: /\n", "/robots.txt", True),
        ("User-agent: *\nSitemap: https://x/s\nDisallow: /x", "/x", False),
    ],
)
def test_rules(text: str, path: str, allowed: bool) -> None:
    assert read_robots(text).allows(SITE + path) is allowed


@given(st.text(), st.text(max_size=30))
def test_no_text_breaks_it(text: str, path: str) -> None:
    read_robots(text).allows(f"{SITE}/{path}")


def test_many_stars_take_no_time() -> None:
    rules = read_robots("User-agent: *\nDisallow: /" + "*a" * 5000 + "$")
    assert rules.allows(SITE + "/" + "a" * 20_000 + "b")


def test_the_pause_a_site_asks_for_is_held_to_ten_seconds() -> None:
    assert read_robots("User-agent: *\nCrawl-delay: 2").delay_s == 2
    assert read_robots("User-agent: *\nCrawl-delay: 900").delay_s == 10
    assert read_robots("User-agent: *\nCrawl-delay: soon").delay_s == 0


async def _ask(
    robots: tuple[str, str], paths: list[str], obey: bool = True
) -> tuple[list[Page | SourceLost], list[str]]:
    text, status = robots
    async with Hostile() as server:
        server.routes = dict.fromkeys(["/open", "/closed"], answer(ARTICLE))
        server.routes["/robots.txt"] = answer(text, kind="text/plain", status=status)
        async with fetching(server, robots=obey) as web:
            found = await asyncio.gather(*(outcome(web, server.url(path)) for path in paths))
        return found, server.paths()


@pytest.mark.contract("E4")
def test_a_page_the_site_does_not_want_read_is_not_asked_for() -> None:
    rules = ("User-agent: *\nDisallow: /closed", "200 OK")
    found, asked = asyncio.run(_ask(rules, ["/open", "/closed", "/open"]))
    assert [isinstance(one, Page) for one in found] == [True, False, True]
    assert "asks not to fetch" in str(found[1])
    assert asked.count("/robots.txt") == 1
    assert "/closed" not in asked


@pytest.mark.contract("E4")
def test_it_can_be_turned_off() -> None:
    rules = ("User-agent: *\nDisallow: /", "200 OK")
    found, asked = asyncio.run(_ask(rules, ["/closed"], obey=False))
    assert isinstance(found[0], Page)
    assert asked == ["/closed"]


def test_no_robots_txt_means_no_rules_and_a_broken_server_means_no_page() -> None:
    for status in ("404 Not Found", "403 Forbidden", "401 Unauthorized"):
        found, _ = asyncio.run(_ask(("Disallow: /", status), ["/open"]))
        assert isinstance(found[0], Page)
    found, asked = asyncio.run(_ask(("", "503 Busy"), ["/open"]))
    assert isinstance(found[0], SourceLost)
    assert found[0].retryable
    assert "/open" not in asked


def test_a_redirected_robots_txt_is_followed() -> None:
    async def ask() -> Page | SourceLost:
        async with Hostile() as server:
            server.routes = {
                "/robots.txt": redirect("/r2.txt"),
                "/r2.txt": answer("User-agent: *\nDisallow: /", kind="text/plain"),
                "/open": answer(ARTICLE),
            }
            async with fetching(server) as web:
                return await outcome(web, server.url("/open"))

    assert "asks not to fetch" in str(asyncio.run(ask()))


def test_a_failing_robots_txt_is_asked_for_once_by_all_who_wait_and_again_by_later_ones() -> None:
    async def go() -> tuple[int, int, int]:
        async with Hostile() as server, fetching(server) as web:
            server.routes["/open"] = answer(ARTICLE)
            server.routes["/robots.txt"] = answer("", status="503 Busy")
            found = await asyncio.gather(*(outcome(web, server.url("/open")) for _ in range(6)))
            first = server.paths().count("/robots.txt")
            server.routes["/robots.txt"] = answer("", kind="text/plain")
            later = await outcome(web, server.url("/open"))
            lost = sum(isinstance(one, SourceLost) for one in found)
            return lost, first, isinstance(later, Page)

    assert asyncio.run(go()) == (6, 1, True)


@pytest.mark.contract("E4")
@pytest.mark.parametrize("charset", ["punycode", "idna", "undefined"])
def test_a_robots_txt_in_a_charset_that_is_none_is_obeyed(charset: str) -> None:
    async def ask() -> Page | SourceLost:
        async with Hostile() as server, fetching(server) as web:
            server.routes["/robots.txt"] = answer(
                b"User-agent: *\nDisallow: /\n\xff", kind=f"text/plain; charset={charset}"
            )
            return await outcome(web, server.url("/open"))

    assert "asks not to fetch" in str(asyncio.run(ask()))


@pytest.mark.contract("E4")
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_of_a_long_robots_txt_the_first_500_kibibytes_count(told: bool, packed: bool) -> None:
    assert MAX_BYTES >= 500 * 1024
    rules = b"User-agent: *\nDisallow: /closed\n"
    filler = b"# a line that says nothing\n" * 40_000
    cut = rules + b"Disallow: /" + b"open#" * 200_000  # no rule, since it is cut in the middle

    async def ask(text: bytes) -> list[Page | SourceLost]:
        body = gzip.compress(text) if packed else text
        headers = {"content-type": "text/plain"}
        headers |= {"content-length": str(len(body))} if told else {}
        headers |= {"content-encoding": "gzip"} if packed else {}

        async def robots(_: Request, out: asyncio.StreamWriter) -> None:
            out.write(head("200 OK", headers) + body)

        async with Hostile() as server, fetching(server) as web:
            server.routes = dict.fromkeys(["/open", "/closed"], answer(ARTICLE))
            server.routes["/robots.txt"] = robots
            return [await outcome(web, server.url(path)) for path in ("/open", "/closed")]

    for text in (rules + filler, cut, rules + filler + b"Disallow: /\n"):
        found = asyncio.run(ask(text))
        assert isinstance(found[0], Page)
        assert "asks not to fetch" in str(found[1])


def _many(count: int, *lines: str) -> str:
    """`count` of each line in turn, numbered, so that no two are the same."""
    return "\n".join(line.format(chr(97 + n % 26)) for line in lines for n in range(count))


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    "lines",
    [
        ("User-agent: {}",),
        ("User-agent: {}", "Disallow: /{}"),
        ("User-agent: {}", "User-agent: *", "Disallow: /{}", "Crawl-delay: 1"),
        ("Disallow: /%7{0}%7{0}",),
    ],
)
def test_reading_the_rules_takes_time_in_proportion_to_them(lines: tuple[str, ...]) -> None:
    assert growth(lambda count: read_robots(_many(count, *lines)), 1_000) < LINEAR
