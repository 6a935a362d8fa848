"""What is kept in PostgreSQL beside the runs: answers of models, pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from leadline.errors import BadInput, StoreBroken
from leadline.fakes.model import ScriptedModel
from leadline.models.kept import CallBook, KeptModel, Size
from leadline.store.postgres.keeping import PostgresCalls, PostgresSnapshots
from leadline.store.postgres.link import Link, place_of
from leadline.types import Ask, Call, Completion, Page, ToolCall
from pg_server import MISSING, PgServer, programs

pytestmark = pytest.mark.slow
ODD = "a \0 b \udcff c \x1b[0m"


@pytest.fixture(scope="module")
def server() -> Iterator[PgServer]:
    if programs() is None:
        pytest.skip(MISSING)
    made = PgServer()
    yield made
    left = made.connected()
    made.remove()
    assert not left


@pytest.fixture
def url(server: PgServer) -> Iterator[str]:
    address = server.new_database()
    link = Link.to(address)
    yield address
    link.close()


@pytest.mark.contract("R9", "H5")
def test_an_answer_is_there_for_the_worker_that_takes_over(url: str) -> None:
    done = Completion(ODD, 7, 3, 0.5, "m", True, 1.5, (ToolCall("search", '{"q": "x"}'),))
    model = ScriptedModel([done])
    ask = Ask("Be brief.", "Say.", None, 20)

    def complete(script: ScriptedModel) -> Completion:
        kept = KeptModel(script, "planner", CallBook(PostgresCalls(url), "r"))
        return asyncio.run(kept.complete(ask))

    first = complete(model)
    assert complete(ScriptedModel([])) == first
    assert first.text == ODD
    book = CallBook(PostgresCalls(url), "r")
    book.called(Call("planner", "m", 1, 0, 0.0, 0.1, error="busy"))
    book.note_size("planner", Size(8192, 3.5))
    book.note_size("planner", Size(1, 1.0))
    assert [call.error for call in book.calls()] == ["", "busy"]
    assert book.spent().calls == 2
    assert book.size("planner") == Size(8192, 3.5)
    assert CallBook(PostgresCalls(url), "other").calls() == ()


@pytest.mark.contract("E5", "H5")
def test_a_page_is_found_by_its_hash_and_its_address(url: str) -> None:
    now = [1000.0]
    store = PostgresSnapshots(url, now=lambda: now[0])
    page = Page("https://a.example/x?utm_source=y", "T", f"text {ODD}")
    key = store.keep(page, "https://a.example/final", "text/html")
    now[0] += 50
    for found in (store.get(key), store.latest("https://a.example/x", 100)):
        assert found is not None
        assert (found.page.text, found.final_url) == (page.text, "https://a.example/final")
    assert store.latest("https://a.example/x", 10) is None
    assert store.get("nothing") is None


@pytest.mark.contract("E5", "H5")
def test_the_oldest_pages_go_when_room_is_short_but_not_the_cited(url: str) -> None:
    now = [1000.0]
    store = PostgresSnapshots(url, max_bytes=50, now=lambda: now[0])
    keys = []
    for number in range(6):
        now[0] += 10_000
        keys.append(store.keep(Page(f"https://a.example/{number}", "", f"{number}" * 9)))
        if number == 0:
            store.cite("r", keys)
    assert store.get(keys[0]) is not None
    assert store.get(keys[1]) is None
    assert store.get(keys[-1]) is not None
    assert store.stats().bytes <= 50
    assert store.stats().cited == 1


@pytest.mark.contract("X2")
def test_a_database_that_is_not_there_is_named_without_its_password() -> None:
    address = "postgresql://ann:geheim@127.0.0.1:1/base"
    link = Link.to(address)
    with pytest.raises(StoreBroken, match=r"127\.0\.0\.1:1/base") as broken:
        link.now(lambda connection: connection.execute("SELECT 1"), patience_s=0.0)
    link.close()
    assert "geheim" not in str(broken.value)
    with pytest.raises(BadInput) as bad:
        place_of("postgresql://ann:geheim@[host/base")
    assert "geheim" not in str(bad.value)


@pytest.mark.contract("H5")
def test_work_goes_on_over_a_restart_of_the_server(server: PgServer, url: str) -> None:
    store = PostgresSnapshots(url)
    key = store.keep(Page("https://a.example/", "A", "words"))
    server.restart()
    assert store.get(key) is not None


@pytest.mark.contract("H5")
def test_who_only_borrows_the_database_leaves_no_connection_open(server: PgServer) -> None:
    address = server.new_database()
    calls = PostgresCalls(address)  # nobody keeps the link open for it
    assert CallBook(calls, "r").calls() == ()
    assert server.connected() == []
