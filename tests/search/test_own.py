"""Providers of the user's own: what their code does wrong costs one search and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from provider_server import FakeServer

from leadline.errors import BadInput, SourceLost
from leadline.fakes.search import MemoryCache
from leadline.kit.web import web_search
from leadline.search import registry
from leadline.settings import Settings
from leadline.types import Batch, Query

Write = Callable[[str, str], None]
HEAD = "from leadline.errors import SourceLost\n"
HEAD += "from leadline.types import Hit\n"
GOOD = b'{"results": [{"url": "https://e.org/1", "title": "E", "content": "x"}]}'


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Saves a module of the user's where Python finds it."""
    monkeypatch.syspath_prepend(tmp_path)

    def save(module: str, code: str) -> None:
        (tmp_path / f"{module}.py").write_text(HEAD + code)

    return save


def searcher(body: str) -> str:
    return f"class Own:\n    name = 'own'\n    async def search(self, query, k):\n        {body}\n"


def lost(path: str, **options: object) -> SourceLost:
    made = registry.make(path, options, FakeServer([b"{}"]))
    with pytest.raises(SourceLost) as caught:
        asyncio.run(made.search(Query("x"), 3))
    return caught.value


@pytest.mark.contract("S1", "S6")
@pytest.mark.parametrize(
    ("at", "body", "said"),
    [
        (1, "raise KeyError('no such key')", "its own code failed (KeyError: 'no such key')"),
        (2, "raise RuntimeError('one\\ntwo')", "its own code failed (RuntimeError: one two)"),
        (3, "raise OSError(5, 'broken')", "its own code failed (OSError: [Errno 5] broken)"),
        (4, "import sys; sys.exit(3)", "its own code failed (SystemExit: 3)"),
        (5, "raise SourceLost('closed today')", "closed today"),
        (6, "return None", "its own code failed (TypeError: 'NoneType' object is not iterable)"),
        (
            7,
            "return 'text'",
            "its own code failed (ValidationError: Expected `object`, got `str`)",
        ),
        (
            8,
            "return [Hit('https://e.org', 'E', 'x', score='high')]",
            "its own code failed (ValidationError: Expected `float`, got `str` - at `$.score`)",
        ),
    ],
)
def test_whatever_a_searcher_of_ones_own_does_wrong_is_a_lost_search(
    write: Write, at: int, body: str, said: str
) -> None:
    write(f"own_breaks_{at}", searcher(body))
    assert str(lost(f"own_breaks_{at}:Own")) == f"own: {said}"


@pytest.mark.contract("S1", "S6")
@pytest.mark.parametrize(
    ("at", "body", "said"),
    [
        (1, "raise RuntimeError('boom')", "own: its own code failed (RuntimeError: boom)"),
        (2, "raise KeyError('items')", "KeyError('items')"),
        (3, "return None", "own: its own code failed (TypeError: 'NoneType'"),
        (4, "return (1, 2)", "own: its own code failed (TypeError"),
    ],
)
def test_whatever_a_provider_of_ones_own_does_with_a_reply_is_a_lost_search(
    write: Write, at: int, body: str, said: str
) -> None:
    code = "from leadline.search.provider import Request\nclass Own:\n    name = 'own'\n"
    code += "    def request(self, query, k):\n        return Request('http://127.0.0.1:1/')\n"
    write(f"own_parses_{at}", f"{code}    def parse(self, body):\n        {body}\n")
    failed = str(lost(f"own_parses_{at}:Own"))
    assert failed.startswith("own: ")
    assert said in failed


@pytest.mark.contract("S1", "S6")
def test_a_searcher_of_ones_own_that_never_answers_is_left_after_its_time(write: Write) -> None:
    write("own_hangs", searcher("import asyncio; await asyncio.Event().wait()"))
    failed = lost("own_hangs:Own", search_timeout_s=0.01)
    assert str(failed) == "own: no answer within 0.01 s"
    assert failed.retryable


@pytest.mark.contract("X2")
def test_a_key_is_not_in_what_a_broken_provider_says(write: Write) -> None:
    code = "from dataclasses import dataclass\n@dataclass(frozen=True)\n"
    code += searcher("raise RuntimeError(f'no account for {self.brave_api_key}')")
    write("own_tells", code.replace("'own'\n", "'own'\n    brave_api_key: str\n"))
    assert "tops3cret" not in str(lost("own_tells:Own", brave_api_key="tops3cret"))


@pytest.mark.contract("S1", "S6", "R4")
def test_the_next_provider_is_asked_where_ones_own_breaks(write: Write) -> None:
    write("own_first", searcher("raise ZeroDivisionError('division by zero')"))
    settings = Settings(
        search_providers=("own_first:Own", "searxng"), searxng_url="http://127.0.0.1:1"
    )

    async def found() -> Batch:
        find = web_search(settings, FakeServer([GOOD]), MemoryCache())
        return await find(Query("deep"), 3)

    batch = asyncio.run(found())
    assert [hit.url for hit in batch.hits] == ["https://e.org/1"]
    (noted,) = {loss.why for loss in batch.notes if loss.stage == "fallback"}
    assert noted == (
        "own: its own code failed (ZeroDivisionError: division by zero); searxng asked instead"
    )


@pytest.mark.contract("S1")
@pytest.mark.parametrize(
    ("at", "code", "said"),
    [
        (1, "def (:\n", "cannot load the search provider own_bad_1:Own: SyntaxError"),
        (2, "import sys\nsys.exit('no')\n", "SystemExit: no"),
        (3, "class Own:\n    async def search(self, query, k): ...\n", "it has no name"),
        (
            4,
            "class Own:\n    name = 'own'\n    def __init__(self, url): ...\n"
            "    async def search(self, query, k): ...\n",
            "it cannot be made (TypeError: Own.__init__() missing 1 required",
        ),
        (
            5,
            "class Own:\n    name, package = 'own', 'no.such.thing'\n"
            "    async def search(self, query, k): ...\n",
            "no.such.thing is not installed; pip install no.such.thing",
        ),
    ],
)
def test_a_provider_that_cannot_be_made_is_refused_before_anything_is_sent(
    write: Write, at: int, code: str, said: str
) -> None:
    write(f"own_bad_{at}", code)
    assert said in registry.ready(f"own_bad_{at}:Own", {}).why
    with pytest.raises(BadInput, match=f"search provider own_bad_{at}:Own"):
        registry.make(f"own_bad_{at}:Own", {}, FakeServer())


@pytest.mark.contract("S1")
def test_half_a_letter_in_a_result_of_ones_own_is_made_fit_to_be_kept(write: Write) -> None:
    write("own_half", searcher("return [Hit('https://e.org', 'E', 'x\\ud800')]"))
    made = registry.make("own_half:Own", {}, FakeServer())
    hits: tuple[Any, ...] = asyncio.run(made.search(Query("x"), 3))
    assert hits[0].text == "x?"
