"""The connection goes to the address that was checked, under the name that was asked for."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import aclosing
from pathlib import Path

import pytest
from page_server import ARTICLE, SMALL, InLoop, Names, Reroute, hit, outcome

from hostile import Hostile, answer, redirect
from leadline.errors import SourceLost
from leadline.types import Page
from leadline.web.addresses import Guard
from leadline.web.fetch import WebPages
from leadline.web.http import trusted

PEM = Path(__file__).with_name("site_example.pem")
PUBLIC = "93.184.216.34"


def fetcher(
    names: Names, network: Reroute, context: ssl.SSLContext | None = None
) -> aclosing[WebPages]:
    return aclosing(
        WebPages(
            guard=Guard(resolve=names),
            limits=SMALL,
            readers=InLoop(),
            attempts=1,
            network=network,
            ssl_context=context,
        )
    )


@pytest.mark.contract("E4")
def test_a_name_that_changes_its_answer_after_the_check_gains_nothing() -> None:
    async def ask() -> tuple[Page | SourceLost, Reroute, Names]:
        async with Hostile({"/": answer(ARTICLE)}) as server:
            network, names = Reroute(server.port), Names([PUBLIC], ["127.0.0.1"])
            async with fetcher(names, network) as web:
                return await outcome(web, "http://site.example/"), network, names

    found, network, names = asyncio.run(ask())
    # robots.txt is asked for first; its answer closes the connection, so the name is looked up
    # again, and this time it leads inside: nothing is sent there.
    assert isinstance(found, SourceLost)
    assert "127.0.0.1" in str(found)
    assert network.connected == [(PUBLIC, 80)]
    assert len(names.asked) == 2


@pytest.mark.contract("E4")
def test_the_checked_address_is_connected_to_and_the_name_is_sent() -> None:
    async def ask() -> tuple[Page | SourceLost, Reroute, Hostile]:
        async with Hostile({"/": answer(ARTICLE)}) as server:
            network = Reroute(server.port)
            async with fetcher(Names([PUBLIC]), network) as web:
                return await outcome(web, "http://site.example/"), network, server

    found, network, server = asyncio.run(ask())
    assert isinstance(found, Page)
    assert set(network.connected) == {(PUBLIC, 80)}
    assert {request.headers["host"] for request in server.asked} == {"site.example"}


@pytest.mark.contract("E4")
def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    async def ask() -> tuple[Page | SourceLost, Reroute]:
        async with Hostile({"/": answer(ARTICLE)}) as server:
            network = Reroute(server.port, PUBLIC)
            async with fetcher(Names([PUBLIC, "8.8.8.8"]), network) as web:
                return await outcome(web, "http://site.example/"), network

    found, network = asyncio.run(ask())
    assert isinstance(found, Page)
    assert network.connected[:2] == [(PUBLIC, 80), ("8.8.8.8", 80)]


@pytest.mark.contract("E4")
def test_a_redirect_is_checked_like_the_first_address() -> None:
    async def ask() -> tuple[Page | SourceLost, Reroute]:
        async with Hostile({"/": redirect("http://inside.example/")}) as server:
            network = Reroute(server.port)
            async with fetcher(Names([PUBLIC], [PUBLIC], ["10.0.0.1"]), network) as web:
                return await outcome(web, "http://site.example/"), network

    found, network = asyncio.run(ask())
    assert isinstance(found, SourceLost)
    assert "inside.example (10.0.0.1)" in str(found)
    assert set(network.connected) == {(PUBLIC, 80)}


def _contexts() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(PEM)
    return server, ssl.create_default_context(cafile=str(PEM))


@pytest.mark.contract("E4")
def test_servers_are_verified_by_the_certificates_of_the_machine() -> None:
    context = trusted()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.contract("E4")
def test_the_certificate_is_checked_against_the_name_and_not_the_address() -> None:
    async def ask(url: str) -> tuple[Page | SourceLost, list[str]]:
        context, trusting = _contexts()
        seen: list[str] = []
        context.sni_callback = lambda _, name, __: seen.append(str(name))
        async with Hostile({"/": answer(ARTICLE)}, context=context) as server:
            network = Reroute(server.port)
            async with fetcher(Names([PUBLIC]), network, context=trusting) as web:
                return await outcome(web, url), seen

    found, seen = asyncio.run(ask("https://site.example/"))
    assert isinstance(found, Page)
    assert set(seen) == {"site.example"}
    other, _ = asyncio.run(ask("https://other.example/"))
    assert isinstance(other, SourceLost)
    assert "no safe connection" in str(other)
    assert not other.retryable


def test_the_page_keeps_the_address_it_was_asked_for_and_tells_where_it_was_found() -> None:
    async def ask() -> tuple[str, str, str]:
        routes = {"/old": redirect("/new"), "/new": answer(ARTICLE)}
        async with (
            Hostile(routes) as server,
            fetcher(Names([PUBLIC]), Reroute(server.port)) as web,
        ):
            found = await web.download(hit("http://site.example/old"))
            return found.page.url, found.final_url, found.content_type

    asked, final, kind = asyncio.run(ask())
    assert (asked, final) == ("http://site.example/old", "http://site.example/new")
    assert kind == "text/html"
