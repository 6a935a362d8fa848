"""What is loaded before the first search."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

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
