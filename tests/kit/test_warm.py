"""What is loaded before the first search, and what behind it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import AsyncExitStack

import pytest

from leadline.kit.warm import Warming
from leadline.kit.web import LateFetcher
from leadline.types import Hit, Page

HEAVY = ("numpy", "tokenizers", "leadline.check.conflicts", "leadline.fetch.client")


@pytest.mark.contract("R11")
def test_what_the_first_search_does_not_need_is_not_loaded_before_it() -> None:
    code = (
        "import sys, leadline.session, leadline.kit.web, leadline.keep.leads;"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_loading_goes_on_while_a_request_is_out_and_is_over_when_the_run_ends() -> None:
    began: list[str] = []

    async def scene() -> None:
        first = asyncio.Event()

        def reader() -> None:
            began.append("reader")
            first.set()

        async with AsyncExitStack() as stack:
            warming = Warming(stack, pages=reader)
            assert not began
            with warming.waiting(), warming.waiting():
                await asyncio.wait_for(first.wait(), 120)
                assert warming.loading is not None
                await asyncio.wait_for(asyncio.shield(warming.loading), 120)
            with warming.waiting():
                pass

    asyncio.run(scene())
    assert began == ["reader"]
    assert "leadline.fetch.client" in sys.modules
    assert "leadline.check.settle" in sys.modules


def test_a_request_that_is_answered_at_once_begins_nothing() -> None:
    async def scene() -> None:
        async with AsyncExitStack() as stack:
            warming = Warming(stack, pages=lambda: pytest.fail("begun"))
            with warming.waiting():
                pass

    asyncio.run(scene())


def test_a_run_that_ends_in_the_middle_of_loading_does_not_wait_for_the_rest() -> None:
    async def scene() -> None:
        async with AsyncExitStack() as stack:
            begun = asyncio.Event()
            warming = Warming(stack, pages=begun.set)
            with warming.waiting():
                await asyncio.wait_for(begun.wait(), 120)

    asyncio.run(scene())  # ends: a thread that waited for ever would hold it


def test_a_late_fetcher_is_made_by_the_first_page_and_only_once() -> None:
    made: list[int] = []

    class Fetcher:
        async def fetch(self, hit: Hit) -> Page:
            return Page(hit.url, hit.title, "text")

    def make() -> Fetcher:
        made.append(1)
        return Fetcher()

    late = LateFetcher(make)
    assert not made
    pages = [asyncio.run(late.fetch(Hit(f"https://{n}.example/", "t", ""))) for n in range(2)]
    assert [page.url for page in pages] == ["https://0.example/", "https://1.example/"]
    assert made == [1]
