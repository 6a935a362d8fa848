"""The cache of searches: a day, many processes, one search for many, and nothing breaks it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.codec import dumped
from leadline.errors import SourceLost, StoreBroken
from leadline.fakes.search import FakeTime, MemoryCache, hit
from leadline.keep.searches import DAY_S, SearchCache, key_of, normal
from leadline.ports import Cache
from leadline.types import Hit

HITS = (hit("https://a.org", "text with ünïcode \ud800 and 深さ", published="2024"),)
Body = Callable[[SearchCache], Awaitable[None]]


class Source:
    """What the cache stands before: counts how often it is asked."""

    def __init__(self, *answers: tuple[Hit, ...] | SourceLost) -> None:
        self.answers, self.asked = list(answers) or [HITS], 0

    async def make(self) -> tuple[Hit, ...]:
        answer = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        await asyncio.sleep(0)
        if isinstance(answer, SourceLost):
            raise answer
        return answer

    async def slow(self) -> tuple[Hit, ...]:
        await asyncio.sleep(0.1)  # the server's slowness
        return await self.make()


async def get(cache: Cache, source: Source, query: str = "depth") -> tuple[tuple[Hit, ...], bool]:
    return await cache.once("one", query, {"k": 5}, source.make)


def play(path: Path, body: Body, **options: object) -> None:
    async def whole() -> None:
        cache = SearchCache(path, **options)  # type: ignore[arg-type]
        try:
            await body(cache)
        finally:
            await cache.close()

    asyncio.run(whole())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "search.sqlite3"


# ── keys ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S2")
@given(query=st.text(alphabet=st.characters(codec="ascii")), space=st.sampled_from(" \t\n\u00a0"))
def test_case_and_spacing_do_not_make_another_search(query: str, space: str) -> None:
    other = f"{space}{space.join(query.upper().split())}{space}"
    assert key_of("one", query, {}) == key_of("one", other, {})


@pytest.mark.contract("S2")
@given(
    one=st.tuples(st.text(), st.text(), st.dictionaries(st.text(), st.integers() | st.text())),
    two=st.tuples(st.text(), st.text(), st.dictionaries(st.text(), st.integers() | st.text())),
)
def test_another_provider_query_or_parameter_is_another_search(
    one: tuple[str, str, dict[str, int | str]], two: tuple[str, str, dict[str, int | str]]
) -> None:
    def meaning(parts: tuple[str, str, dict[str, int | str]]) -> object:
        return parts[0], normal(parts[1]), {name: str(value) for name, value in parts[2].items()}

    assert (key_of(*one) == key_of(*two)) == (meaning(one) == meaning(two))
    assert len(key_of(*one)) == 64


# ── the port, over the file and its stand-in ────────────────────────────────────────────────


@pytest.fixture(params=["file", "memory"])
def any_cache(request: pytest.FixtureRequest, path: Path) -> Cache:
    return SearchCache(path) if request.param == "file" else MemoryCache()


@pytest.mark.contract("S2")
def test_an_answer_is_fetched_once_and_comes_back_as_it_was(any_cache: Cache) -> None:
    async def body() -> None:
        source = Source()
        assert await get(any_cache, source) == (HITS, False)
        assert await get(any_cache, source, " DEPTH ") == (HITS, True)
        assert source.asked == 1

    asyncio.run(body())


@pytest.mark.contract("S2")
def test_an_error_is_never_kept(any_cache: Cache) -> None:
    async def body() -> None:
        source = Source(SourceLost("down"), HITS)
        with pytest.raises(SourceLost, match="down"):
            await get(any_cache, source)
        assert await get(any_cache, source) == (HITS, False)

    asyncio.run(body())


@pytest.mark.contract("S2")
def test_many_who_ask_the_same_at_once_make_one_search(any_cache: Cache) -> None:
    async def body() -> None:
        source = Source()
        answers = await asyncio.gather(*(get(any_cache, source) for _ in range(50)))
        assert source.asked == 1
        assert {hits for hits, _ in answers} == {HITS}
        assert sum(not kept for _, kept in answers) == 1

    asyncio.run(body())


# ── time ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S2")
def test_an_answer_lasts_a_day(path: Path) -> None:
    time = FakeTime(1e9)

    async def body(cache: SearchCache) -> None:
        source = Source()
        await get(cache, source)
        time.now += DAY_S - 1
        assert (await get(cache, source))[1]
        time.now += 2
        assert not (await get(cache, source))[1]
        assert source.asked == 2

    play(path, body, now=time.clock)


def test_finding_nothing_is_believed_for_a_shorter_time(path: Path) -> None:
    time = FakeTime(1e9)

    async def body(cache: SearchCache) -> None:
        source = Source((), HITS)
        assert await get(cache, source) == ((), False)
        assert await get(cache, source) == ((), True)
        time.now += 1000
        assert await get(cache, source) == (HITS, False)

    play(path, body, now=time.clock)


@pytest.mark.contract("S2")
def test_a_ttl_of_nothing_turns_the_cache_off(path: Path) -> None:
    async def body(cache: SearchCache) -> None:
        source = Source()
        await get(cache, source)
        assert not (await get(cache, source))[1]
        assert source.asked == 2

    play(path, body, ttl_s=0)
    assert not path.exists()


@pytest.mark.contract("S2")
def test_refresh_skips_the_read_and_rewrites_but_only_once(path: Path) -> None:
    time = FakeTime(1e9)
    old, new = Source(), Source((hit("https://new.org"),))

    async def first(cache: SearchCache) -> None:
        await get(cache, old)

    async def refreshed(cache: SearchCache) -> None:
        assert await get(cache, new) == (new.answers[0], False)
        assert (await get(cache, new))[1]

    async def after(cache: SearchCache) -> None:
        assert await get(cache, old) == (new.answers[0], True)

    play(path, first, now=time.clock)
    time.now += 10
    play(path, refreshed, now=time.clock, refresh=True)
    play(path, after, now=time.clock)
    assert (old.asked, new.asked) == (1, 1)


@pytest.mark.contract("Z1")
def test_a_frozen_cache_reads_at_any_age_and_never_asks(path: Path) -> None:
    time, source = FakeTime(1e9), Source()

    async def fill(cache: SearchCache) -> None:
        await get(cache, source)

    async def frozen(cache: SearchCache) -> None:
        assert await get(cache, source) == (HITS, True)
        with pytest.raises(SourceLost, match="'other' is not in the frozen cache"):
            await get(cache, source, "other")

    play(path, fill, now=time.clock)
    time.now += 400 * DAY_S
    before = path.read_bytes()
    play(path, frozen, now=time.clock, frozen=True)
    assert path.read_bytes() == before
    assert source.asked == 1


@pytest.mark.contract("Z1")
def test_a_frozen_cache_that_is_not_there_is_a_miss_and_is_not_made(path: Path) -> None:
    async def body(cache: SearchCache) -> None:
        with pytest.raises(SourceLost, match="frozen"):
            await get(cache, Source())

    play(path, body, frozen=True)
    assert not path.exists()


# ── leaving ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S2")
def test_the_first_to_ask_may_leave_and_the_others_still_get_their_answer(path: Path) -> None:
    async def body(cache: SearchCache) -> None:
        begun = asyncio.Event()

        async def make() -> tuple[Hit, ...]:
            begun.set()
            await asyncio.Event().wait()
            return HITS

        first = asyncio.ensure_future(cache.once("one", "q", {}, make))
        await begun.wait()
        second = asyncio.ensure_future(cache.once("one", "q", {}, Source().make))
        await asyncio.sleep(0)  # the second begins to look
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert (await second)[0] == HITS

    play(path, body)


@pytest.mark.contract("R7")
def test_when_all_have_left_the_search_is_ended_and_can_be_made_again(path: Path) -> None:
    async def body(cache: SearchCache) -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def make() -> tuple[Hit, ...]:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return HITS

        asker = asyncio.ensure_future(cache.once("one", "q", {}, make))
        await begun.wait()
        asker.cancel()
        await ended.wait()
        assert await cache.once("one", "q", {}, Source().make) == (HITS, False)

    play(path, body)


@pytest.mark.contract("S2")
def test_two_caches_of_one_file_make_each_search_once(path: Path) -> None:
    source = Source()

    async def body(cache: SearchCache) -> None:
        other = SearchCache(path)  # as another process would have it
        asked = [c.once("one", name, {}, source.slow) for name in "abc" for c in (cache, other)]
        known = [here for _, here in await asyncio.gather(*asked)]
        assert known.count(False) == 3
        await other.close()

    play(path, body)
    assert source.asked == 3


# ── damage ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S2")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE answers SET hits = 'not json'",
        "UPDATE answers SET hits = '[{\"colour\": 1}]'",
        "UPDATE answers SET hits = replace(hits, 'text', 'lies')",
        "UPDATE answers SET hits = x'ff00', stored = stored",
        "UPDATE answers SET digest = ''",
    ],
)
def test_a_corrupt_row_is_a_miss_and_is_written_anew(path: Path, damage: str) -> None:
    source = Source()

    async def ask(cache: SearchCache) -> None:
        assert await get(cache, source) == (HITS, source.asked == kept_from)

    kept_from = -1
    play(path, ask)
    with closing(sqlite3.connect(path)) as db:
        db.execute(damage)
        db.commit()
    play(path, ask)
    assert source.asked == 2
    kept_from = 2
    play(path, ask)
    assert source.asked == 2


@pytest.mark.contract("S2")
def test_a_corrupt_file_is_set_aside_and_begun_anew(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 1000)
    source = Source()

    async def body(cache: SearchCache) -> None:
        assert await get(cache, source) == (HITS, False)
        assert await get(cache, source) == (HITS, True)

    play(path, body)
    assert path.with_name(path.name + ".broken").read_bytes().startswith(b"this is no database")
    assert len(caplog.messages) == 1
    assert "set aside" in caplog.messages[0]


@pytest.mark.contract("S2")
def test_a_file_with_a_damaged_middle_is_set_aside_too(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def fill(cache: SearchCache) -> None:
        for n in range(200):
            await get(cache, Source(), f"query {n}")

    async def ask_all(cache: SearchCache) -> None:
        for n in range(200):
            assert (await get(cache, Source(), f"query {n}"))[0] == HITS

    play(path, fill)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) // 2) + whole[4096 + len(whole) // 2 :])
    play(path, ask_all)
    assert any("set aside" in notice for notice in caplog.messages)


@pytest.mark.contract("S2")
def test_a_cache_that_cannot_be_used_never_loses_a_search(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.mkdir(parents=True)  # a folder where the file should be
    source = Source()

    async def body(cache: SearchCache) -> None:
        for n in range(3):
            assert await get(cache, source, f"q{n}") == (HITS, False)
        with pytest.raises(StoreBroken):
            await cache.stats()

    play(path, body)
    assert len(caplog.messages) == 1
    assert "searching without it" in caplog.messages[0]


@pytest.mark.contract("S2")
def test_a_file_of_a_later_version_is_left_alone_and_loses_no_search(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE answers (other TEXT)")
        db.execute("PRAGMA user_version=99")

    async def body(cache: SearchCache) -> None:
        assert await get(cache, Source()) == (HITS, False)

    play(path, body)
    assert len(caplog.messages) == 1
    assert "later version" in caplog.messages[0]


@pytest.mark.contract("S2")
def test_a_file_that_an_earlier_version_wrote_is_read(path: Path) -> None:
    """As it was written up to format 1, with the claims it had then."""
    path.parent.mkdir()
    stored = json.dumps([dumped(one) for one in HITS])
    key = key_of("one", "depth", {"k": 5})
    digest = hashlib.sha256(f"{key}\n{stored}".encode()).hexdigest()
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE answers (key TEXT PRIMARY KEY, provider TEXT NOT NULL, query TEXT NOT"
            " NULL, stored REAL NOT NULL, hits TEXT NOT NULL, digest TEXT NOT NULL);"
            "CREATE TABLE flights (key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL);"
            "PRAGMA user_version=1"
        )
        row = (key, "one", "depth", 1e9, stored, digest)
        db.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
        db.commit()

    async def body(cache: SearchCache) -> None:
        assert await get(cache, Source()) == (HITS, True)

    play(path, body, now=FakeTime(1e9).clock)


@pytest.mark.contract("S2")
def test_the_loop_goes_on_while_another_process_holds_the_file(path: Path) -> None:
    async def body(cache: SearchCache) -> None:
        await get(cache, Source(), "first")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        asking = asyncio.ensure_future(get(cache, Source(), "second"))
        ticks = 0
        while ticks < 200:  # blocked, the loop would never get here and the lock never end
            ticks += 1
            await asyncio.sleep(0.001)
        assert not asking.done()
        other.execute("COMMIT")
        other.close()
        assert await asking == (HITS, False)

    play(path, body)


# ── upkeep ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S2")
def test_stats_prune_and_clear(path: Path) -> None:
    time = FakeTime(1e9)

    async def body(cache: SearchCache) -> None:
        assert (await cache.stats()).entries == 0
        assert await cache.clear() == 0
        await get(cache, Source(), "old")
        time.now += 2 * DAY_S
        await get(cache, Source(), "new")
        await cache.once("two", "new", {}, Source().make)
        stats = await cache.stats()
        assert (stats.entries, stats.expired) == (3, 1)
        assert stats.providers == (("one", 2), ("two", 1))
        assert (stats.oldest, stats.newest) == (1e9, 1e9 + 2 * DAY_S)
        assert stats.bytes > 0
        assert await cache.prune() == 1
        assert (await get(cache, Source(), "new"))[1]
        assert await cache.clear() == 2
        assert not (await get(cache, Source(), "new"))[1]

    play(path, body, now=time.clock)


# ── many processes ──────────────────────────────────────────────────────────────────────────

SCRIPT = """
import asyncio, sys
from pathlib import Path
from leadline.keep.searches import SearchCache
from leadline.types import Hit

path, log, what = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]

def said(line):
    with log.open("a") as file:
        file.write(line + "\\n")

async def slow():
    said("made")
    await asyncio.sleep(0.5)
    return (Hit("https://a.org", "A", "text"),)

async def hang():
    said("hanging")
    await asyncio.Event().wait()

async def main():
    cache = SearchCache(path)
    if what == "hang":
        await cache.once("one", "same", {}, hang)
    elif what == "same":
        hits, kept = await cache.once("one", "same", {}, slow)
        said(f"{len(hits)} {kept}")
    else:
        async def quick():
            return (Hit("https://a.org", "A", what),)
        for n in range(25):
            await cache.once("one", f"{what} {n}", {}, quick)
    await cache.close()

asyncio.run(main())
"""


def processes(path: Path, log: Path, *what: str) -> list[subprocess.Popen[bytes]]:
    arguments = [[sys.executable, "-c", SCRIPT, str(path), str(log), one] for one in what]
    return [subprocess.Popen(one) for one in arguments]


@pytest.mark.contract("S2")
def test_processes_that_ask_the_same_at_once_make_one_search(path: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    running = processes(path, log, *["same"] * 4)
    assert [one.wait(60) for one in running] == [0] * 4
    lines = log.read_text().split("\n")
    assert lines.count("made") == 1
    assert (lines.count("1 False"), lines.count("1 True")) == (1, 3)


@pytest.mark.contract("S2")
def test_a_process_that_is_killed_while_it_fetches_does_not_block_the_others(
    path: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.touch()
    (victim,) = processes(path, log, "hang")
    while "hanging" not in log.read_text():
        assert victim.poll() is None
    victim.send_signal(signal.SIGKILL)
    victim.wait(10)
    (heir,) = processes(path, log, "same")
    assert heir.wait(60) == 0
    assert log.read_text().split("\n")[:3] == ["hanging", "made", "1 False"]


@pytest.mark.contract("S2")
def test_where_there_is_no_place_for_locks_nothing_is_lost(path: Path) -> None:
    path.parent.mkdir()
    path.with_name(f"{path.name}.locks").write_text("a file where the folder should be")

    async def body(cache: SearchCache) -> None:
        assert await get(cache, Source()) == (HITS, False)
        assert await get(cache, Source()) == (HITS, True)

    play(path, body)


@pytest.mark.contract("S2")
def test_many_processes_write_at_once_and_nothing_is_lost(path: Path, tmp_path: Path) -> None:
    running = processes(path, tmp_path / "log", *"abcd")
    assert [one.wait(60) for one in running] == [0] * 4
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT query, hits FROM answers").fetchall()
    assert len(rows) == 100
    assert all(json.loads(hits)[0]["text"] == query.split()[0] for query, hits in rows)
