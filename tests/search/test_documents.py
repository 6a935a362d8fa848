"""The user's documents as a provider, and what an agent sees of them."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.documents import DocIndex
from leadline.errors import SourceLost
from leadline.fakes.embedder import FakeEmbedder
from leadline.search.documents import DocumentSearcher, Folders, read_doc, search_docs
from leadline.types import Query

LINES = "".join(f"Line {number} speaks of harbour{number} and ropes.\n" for number in range(1, 401))


@pytest.fixture(scope="module")
def index() -> DocIndex:
    docs = [(f"d{n}", f"Doc {n}", f"Ropes and tide{n} in place {n}.") for n in range(1, 13)]
    return DocIndex.in_memory([*docs, ("long.txt", "Long", LINES)], FakeEmbedder())


@pytest.mark.contract("S1", "D2")
def test_the_searcher_finds_and_fetches_the_whole_document(index: DocIndex) -> None:
    searcher = DocumentSearcher(index)
    (hit,) = asyncio.run(searcher.search(Query("harbour77"), 1))
    page = asyncio.run(searcher.fetch(hit))
    assert (searcher.name, hit.provider) == ("documents", "documents")
    assert page.text == LINES
    assert page.hash == hit.page


@pytest.mark.contract("D4")
def test_a_listing_names_chunk_score_and_text_and_ends_with_its_cost(index: DocIndex) -> None:
    text = search_docs(index, "tide3 place", k=2)
    assert re.match(r"d3#0  \d\.\d{3}\nRopes and tide3 in place 3\.\n", text)
    body, _, last = text.rpartition("\n\n")
    cost = re.fullmatch(r"\[2 hits, ~(\d+) chars \(~(\d+) tokens\)\]", last)
    assert cost is not None
    assert int(cost.group(1)) == len(body)
    assert int(cost.group(2)) == len(body) // 4


@pytest.mark.contract("D4")
@pytest.mark.parametrize(("k", "hits"), [(-3, 1), (0, 1), (1, 1), (7, 7), (10, 10), (99, 10)])
def test_k_is_held_between_1_and_10(index: DocIndex, k: int, hits: int) -> None:
    assert search_docs(index, "ropes", k).count("#") == hits


@pytest.mark.contract("D4", "D3")
def test_no_hit_is_said_in_so_many_words(index: DocIndex) -> None:
    assert search_docs(index, "zxqwv") == "(no results)"


@pytest.mark.contract("D4")
def test_read_doc_opens_a_window_of_numbered_lines(index: DocIndex) -> None:
    ref = index.search("harbour200", 1, mode="bm25")[0].ref
    text = read_doc(index, ref, before=2, after=2)
    head, *lines = text.split("\n")
    assert re.fullmatch(r"long\.txt, lines \d+–\d+ of 401", head)
    numbers = [int(line.split()[0]) for line in lines]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert all(f"harbour{n} " in line for n, line in zip(numbers, lines, strict=True))
    assert 200 in numbers
    assert len(lines) < 100


@pytest.mark.contract("D4")
def test_read_doc_never_shows_more_than_its_window() -> None:
    index = DocIndex.in_memory([("a", "", LINES), ("wide", "", "word " * 20_000)], None)
    assert len(read_doc(index, "a#3", before=10_000, after=10_000)) < 10_000
    assert len(read_doc(index, "wide#2")) < 10_000
    assert "word" in read_doc(index, "wide#2")


@pytest.mark.contract("S1", "U2")
def test_hits_of_folders_and_files_are_told_apart_by_their_names(tmp_path: Path) -> None:
    places = [tmp_path / "one", tmp_path / "two", tmp_path / "one/a.md", tmp_path / "two/a.md"]
    for folder in places[:2]:
        folder.mkdir()
        (folder / "a.md").write_text(f"Ropes of {folder.name}.")
    sources = []
    for number, place in enumerate(places):
        found = DocIndex.open(tmp_path / f"index{number}", place, FakeEmbedder())
        found.update()
        sources.append((place, DocumentSearcher(found)))
    folders = Folders(sources[2:])
    hits = asyncio.run(folders.search(Query("ropes"), 9))
    assert [hit.ref for hit in hits] == ["one/a.md#0", "two/a.md#0"]
    folders = Folders([sources[0], sources[3]])
    hits = asyncio.run(folders.search(Query("ropes"), 9))
    assert [hit.url for hit in hits] == ["one/a.md", "a.md"]
    for hit, text in zip(hits, ("Ropes of one.", "Ropes of two."), strict=True):
        page = asyncio.run(folders.fetch(hit))
        assert (page.url, page.text) == (hit.url, text)
        assert asyncio.run(folders.locate(hit.ref))[0].text == text
    with pytest.raises(SourceLost, match=r"none of one, a\.md"):
        asyncio.run(folders.locate("a.mdx#0"))


@pytest.mark.contract("D7")
def test_indexing_and_searching_open_no_socket(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(40):
        (docs / f"{number}.md").write_text(f"# Tide {number}\n\n" + "Ropes and tides. " * 9_000)
    code = (
        "import sys\n"
        "def watch(event, args):\n"
        "    if event.startswith('socket.'): raise SystemExit(f'a socket: {event} {args}')\n"
        "sys.addaudithook(watch)\n"
        "from pathlib import Path\n"
        "from leadline.reader.static import StaticEmbedder\n"
        "from leadline.search.documents import search_docs\n"
        "from leadline.documents import DocIndex\n"
        f"index = DocIndex.open(Path({str(tmp_path / 'index')!r}), Path({str(docs)!r}),"
        " StaticEmbedder())\n"
        "assert index.update().files == 40\n"
        "assert 'hits' in search_docs(index, 'tide ropes')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
