"""A page that was fetched can be had again, for years if it is cited, by many processes at once."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leadline.errors import StoreBroken
from leadline.keep.pages import GRACE_S, Snapshots
from leadline.keep.sqlite import NOTICES
from leadline.types import Page

URL = "https://site.example/page"


def page(text: str = "Some text.", url: str = URL) -> Page:
    return Page(url, "A title", text, author="Ann", date="2025-01-02", fetched_at="2026-01-01")


def filler(number: int) -> Page:
    """About a kilobyte that hardly packs."""
    import random

    letters = random.Random(number).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=1500)
    return page("".join(letters), f"{URL}/{number}")


class Clock:
    def __init__(self) -> None:
        self.at = 1_000_000.0

    def __call__(self) -> float:
        return self.at


@pytest.mark.contract("E3")
def test_a_page_comes_back_whole_with_where_it_was_found(tmp_path: Path) -> None:
    key = Snapshots(tmp_path).keep(page(), "https://site.example/final", "text/html")
    kept = Snapshots(tmp_path).get(key)
    assert kept is not None
    assert (kept.page, kept.final_url) == (page(), "https://site.example/final")
    assert kept.content_type == "text/html"
    assert key == page().hash


@pytest.mark.contract("E3")
def test_the_same_text_of_two_addresses_is_kept_once_and_found_under_both(tmp_path: Path) -> None:
    store = Snapshots(tmp_path)
    store.keep(page(url=URL))
    store.keep(page(url=URL + "/copy"))
    assert len(list(tmp_path.rglob("*.z"))) == 1
    for url in (URL, URL + "/copy"):
        kept = store.latest(url, 60)
        assert kept is not None
        assert kept.page.url == url


def test_the_latest_page_of_an_address_is_found_by_any_spelling_until_it_is_old(
    tmp_path: Path,
) -> None:
    clock = Clock()
    store = Snapshots(tmp_path, now=clock)
    store.keep(page("old"))
    clock.at += 10
    store.keep(page("new"))
    kept = store.latest("HTTP://Site.Example/page/?utm_source=x#top", 60)
    assert kept is not None
    assert kept.page.text == "new"
    clock.at += 100
    assert store.latest(URL, 60) is None
    assert store.get(page("old").hash) is not None


@pytest.mark.contract("E3")
def test_the_oldest_go_when_there_is_no_room_but_never_a_cited_one(tmp_path: Path) -> None:
    clock = Clock()
    store = Snapshots(tmp_path, max_bytes=20_000, now=clock)
    keys = []
    for number in range(5):
        keys.append(store.keep(filler(number)))
        clock.at += 1
    store.cite("run-1", [keys[0], keys[2]])
    clock.at += GRACE_S
    for number in range(5, 40):
        clock.at += GRACE_S + 1
        keys.append(store.keep(filler(number)))
    assert store.stats().bytes <= 20_000
    assert store.get(keys[0]) is not None
    assert store.get(keys[2]) is not None
    assert store.get(keys[1]) is None
    assert store.get(keys[-1]) is not None
    assert len(list(tmp_path.rglob("*.z"))) == store.stats().pages
    assert store.stats().cited == 2


def test_a_page_just_fetched_is_not_dropped_before_its_run_can_cite_it(tmp_path: Path) -> None:
    store = Snapshots(tmp_path, max_bytes=2_000, now=Clock())
    keys = [store.keep(filler(number)) for number in range(6)]
    assert all(store.get(key) for key in keys)


@pytest.mark.parametrize("damage", [b"", b"not packed", b"\x78\x9c\x03"])
def test_a_damaged_file_is_missing_with_a_notice_and_is_written_anew(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    store = Snapshots(tmp_path)
    key = store.keep(page())
    next(tmp_path.rglob("*.z")).write_bytes(damage)
    assert store.get(key) is None
    assert store.latest(URL, 60) is None
    assert key in caplog.text
    assert "is damaged" in caplog.text
    store.keep(page())
    assert store.get(key) is not None


def test_an_unknown_hash_is_none_and_a_missing_file_too(tmp_path: Path) -> None:
    store = Snapshots(tmp_path)
    assert store.get("0" * 16) is None
    key = store.keep(page())
    next(tmp_path.rglob("*.z")).unlink()
    assert store.get(key) is None


def test_a_folder_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreBroken, match="/file is a file, and a folder was wanted"):
        Snapshots(tmp_path / "file")
    (tmp_path / "pages" / "snapshots.db").mkdir(parents=True)
    with pytest.raises(StoreBroken, match="is a folder, and a file was wanted; move it away"):
        Snapshots(tmp_path / "pages")


WRITER = """
import random, sys
from pathlib import Path
from leadline.keep.pages import Snapshots
from leadline.types import Page
store = Snapshots(Path(sys.argv[1]), max_bytes=30_000)
for number in range(25):
    text = "".join(random.Random(number).choices("abcdefghij0123456789", k=1500))
    key = store.keep(Page(f"https://site.example/{number}", "", text))
    store.cite(sys.argv[2], [key])
    assert store.get(key) is not None
"""


@pytest.mark.contract("E3")
def test_many_processes_write_at_once(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"run-{n}"])
        for n in range(4)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    stats = Snapshots(tmp_path).stats()
    assert (stats.pages, stats.cited) == (25, 25)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.text(max_size=300))
def test_any_text_comes_back(tmp_path: Path, text: str) -> None:
    store = Snapshots(tmp_path)
    kept = store.get(store.keep(page(text)))
    assert kept is not None
    assert kept.page.text == text


GARBAGE = b"no database" * 1000


@pytest.fixture
def notices() -> Iterator[list[str]]:
    """What whoever asked is told."""
    told: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    ear, logger = Ear(), logging.getLogger(NOTICES)
    logger.addHandler(ear)
    yield told
    logger.removeHandler(ear)


@pytest.mark.contract("E3")
@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.cite("run", [page().hash]),
        lambda store: store.get(page().hash),
        lambda store: store.latest(URL, 60),
        lambda store: store.stats(),
        lambda store: store.keep(page()),
    ],
)
def test_a_damaged_list_is_set_aside_whatever_is_asked_of_it(
    tmp_path: Path, notices: list[str], ask: Callable[[Snapshots], object]
) -> None:
    store = Snapshots(tmp_path)
    key = store.keep(page())
    store.close()
    (tmp_path / "snapshots.db").write_bytes(GARBAGE)
    ask(store)
    assert (tmp_path / "snapshots.db.broken").read_bytes() == GARBAGE
    (told,) = notices
    assert "it is set aside as snapshots.db.broken and begun anew" in told
    store.keep(filler(1))
    assert Snapshots(tmp_path).stats().pages >= 1
    assert store.get(key) is not None


@pytest.mark.contract("E3")
def test_a_page_kept_before_the_list_was_damaged_is_still_found_by_its_hash(tmp_path: Path) -> None:
    key = Snapshots(tmp_path).keep(page())
    (tmp_path / "snapshots.db").write_bytes(GARBAGE)
    kept = Snapshots(tmp_path).get(key)
    assert kept is not None
    assert kept.page.text == page().text


@pytest.mark.contract("E3")
def test_a_page_that_a_run_cited_before_the_list_was_damaged_is_not_dropped_after_it_is_met_again(
    tmp_path: Path,
) -> None:
    clock = Clock()
    store = Snapshots(tmp_path, max_bytes=5_000, now=clock)
    key = store.keep(filler(0))
    store.cite("run-1", [key])
    (tmp_path / "snapshots.db").write_bytes(GARBAGE)
    assert store.keep(filler(0)) == key
    for number in range(1, 20):
        clock.at += 2 * GRACE_S
        store.keep(filler(number))
    assert store.get(key) is not None
    assert store.get(filler(1).hash) is None


@pytest.mark.contract("E3")
def test_a_list_damaged_a_second_time_leaves_the_first_where_it_is(tmp_path: Path) -> None:
    for garbage in (GARBAGE, GARBAGE * 2):
        Snapshots(tmp_path).close()
        (tmp_path / "snapshots.db").write_bytes(garbage)
    Snapshots(tmp_path)
    assert (tmp_path / "snapshots.db.broken").read_bytes() == GARBAGE
    assert (tmp_path / "snapshots.db.broken-2").read_bytes() == GARBAGE * 2


@pytest.mark.contract("E3")
def test_a_list_that_was_deleted_under_way_is_begun_anew(tmp_path: Path) -> None:
    store = Snapshots(tmp_path)
    (tmp_path / "snapshots.db").unlink()
    store.keep(page())
    assert Snapshots(tmp_path).stats().pages == 1
