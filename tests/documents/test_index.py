"""The document index: what it finds, how it keeps up with a folder, what it never does."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from leadline.documents import DocIndex, Progress
from leadline.errors import BadInput, SourceLost
from leadline.fakes.embedder import FakeEmbedder
from leadline.reader.static import StaticEmbedder

PROSE = "Ships measure depth with a weighted rope. "


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text)
    return folder


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write(
        tmp_path / "docs",
        tides="# Tides\n\nThe moon pulls the sea. Tides rise and fall twice a day.\n",
        ropes="# Ropes\n\nA leadline is a rope with a weight of lead.\n",
        bread="# Bread\n\nFlour, water, salt and time.\n",
    )


@pytest.fixture
def index(tmp_path: Path, docs: Path) -> DocIndex:
    found = DocIndex.open(tmp_path / "index", docs, FakeEmbedder())
    found.update()
    return found


# ── finding ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("D1", "D2")
def test_a_hit_names_its_chunk_and_its_offsets_prove_its_text(index: DocIndex) -> None:
    hit = index.search("weight of lead", 3)[0]
    assert (hit.url, hit.ref, hit.title, hit.section) == (
        "ropes.md",
        "ropes.md#0",
        "Ropes",
        "Ropes",
    )
    page = index.page(hit.url)
    assert page.text[hit.start : hit.end] == hit.text
    assert page.hash == hit.page
    assert (hit.kind, hit.provider) == ("document", "documents")


@pytest.mark.contract("D1")
def test_a_hit_names_the_headings_it_stands_under() -> None:
    text = f"# Ropes\n\n{PROSE * 60}\n\n## Lead\n\n{PROSE * 60}\n\n### Weight\n\nSeven pounds."
    index = DocIndex.in_memory([("a", "Ropes", text)], None)
    assert index.search("depth", 9)[0].section.startswith("Ropes")
    sections = {hit.section for query in ("pounds", "ships") for hit in index.search(query, 9)}
    assert sections <= {"Ropes", "Ropes › Lead", "Ropes › Lead › Weight"}
    assert len(sections) > 1


@pytest.mark.contract("D2")
@pytest.mark.parametrize("mode", ["bm25", "hybrid", "vector"])
def test_every_mode_finds_the_page(index: DocIndex, mode: str) -> None:
    assert index.search("tides rise", 3, mode=mode)[0].url == "tides.md"  # type: ignore[arg-type]


@pytest.mark.contract("D2")
def test_words_are_found_in_other_forms_and_without_accents() -> None:
    index = DocIndex.in_memory([("a", "", "The café was measuring tides")], None)
    assert index.search("CAFE measured", 1)


@pytest.mark.contract("D2")
def test_chinese_japanese_and_korean_are_found() -> None:
    docs = [
        ("zh", "", "深度研究需要证据"),
        ("ja", "", "潮の満ち引き"),
        ("ko", "", "바다의 깊이를 잰다"),
    ]
    index = DocIndex.in_memory(docs, None)
    for query, wanted in (("研究证据", "zh"), ("満ち引き", "ja"), ("바다의 깊이", "ko")):
        assert index.search(query, 1)[0].url == wanted


@pytest.mark.contract("D2")
def test_a_paraphrase_is_found_by_meaning_alone() -> None:
    index = DocIndex.in_memory(
        [("cars", "", "cars and trucks"), ("bread", "", "flour and water")], StaticEmbedder()
    )
    assert [hit.url for hit in index.search("vehicle", 5)] == ["cars"]
    assert index.search("vehicle", 5, mode="bm25") == ()


@pytest.mark.contract("D3")
@pytest.mark.parametrize("query", ["zxqwv blorp", "", "   ", "?!", "\x00", "the of and"])
def test_nonsense_finds_nothing(query: str) -> None:
    index = DocIndex.in_memory(
        [("a", "Ropes", PROSE), ("b", "Sea", "Deep water")], StaticEmbedder()
    )
    assert index.search(query, 5) == ()


@pytest.mark.contract("D3")
def test_scores_are_positive_and_fall_and_a_minimum_is_kept(index: DocIndex) -> None:
    scores = [hit.score for hit in index.search("rope sea tides water lead", 10)]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0
    best = index.search("rope sea tides water lead", 10, min_score=scores[0])
    assert [hit.score for hit in best] == scores[:1]


@pytest.mark.contract("D3")
def test_neighbouring_chunks_become_one_hit_without_repeated_words() -> None:
    text = PROSE * 30 + "The kraken sleeps here. " + PROSE * 120
    index = DocIndex.in_memory([("long", "", text)], None)
    hits = index.search("rope depth ships", 10)
    spans = sorted((hit.start, hit.end) for hit in hits)
    assert len(spans) > 1
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert all(text[hit.start : hit.end] == hit.text for hit in hits)


@pytest.mark.contract("D3", "S4")
def test_copies_are_one_hit_unless_their_numbers_differ() -> None:
    text = "The old harbour wall stands on sand and was built by masons from the north in {}."
    same = [("a", "", text.format(1820)), ("b", "", text.format(1820))]
    other = [("c", "", text.format(1830))]
    assert len(DocIndex.in_memory(same, FakeEmbedder()).search("harbour wall", 5)) == 1
    assert len(DocIndex.in_memory(same + other, FakeEmbedder()).search("harbour wall", 5)) == 2
    assert len(DocIndex.in_memory(same + other, None).search("harbour wall", 5)) == 2


def test_a_query_of_a_megabyte_is_answered(index: DocIndex) -> None:
    assert index.search("tides " + "word " * 200_000, 1)


def test_threads_can_search_at_once(index: DocIndex) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(index.search("tides", 1)[0].url))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["tides.md"] * 8


def test_a_document_that_is_not_there_is_lost(index: DocIndex) -> None:
    with pytest.raises(SourceLost, match="nowhere"):
        index.page("nowhere.md")
    for ref in ("tides.md#9", "tides.md", "#", "tides.md#x", "tides.md#99999999999999"):
        with pytest.raises(SourceLost, match="chunk"):
            index.locate(ref)


# ── keeping up ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("D1")
def test_only_what_changed_is_read_again(index: DocIndex, docs: Path) -> None:
    assert not index.needs_update()
    (docs / "bread.md").write_text("# Bread\n\nNow with raisins.\n")
    (docs / "ropes.md").unlink()
    write(docs, sails="# Sails\n\nCanvas catches wind.\n")
    assert index.needs_update()
    read: list[str] = []
    report = index.update(lambda p: read.append(p.name) if p.stage == "reading" else None)
    assert sorted(read) == ["bread.md", "sails.md"]
    assert (report.added, report.changed, report.deleted) == (1, 1, 1)
    assert (report.files, report.chunks, report.skipped) == (3, 3, ())
    assert report.unchanged == 1
    assert index.search("raisins", 1)[0].url == "bread.md"
    assert index.search("leadline lead", 5) == ()
    assert index.search("flour salt", 5) == ()


@pytest.mark.contract("D1")
def test_a_file_that_was_only_touched_is_not_indexed_again(index: DocIndex, docs: Path) -> None:
    os.utime(docs / "bread.md", ns=(1, 1))
    assert index.needs_update()
    report = index.update()
    assert (report.added, report.changed, report.deleted) == (0, 0, 0)
    assert not index.needs_update()
    assert index.search("flour salt", 1)[0].url == "bread.md"
    assert index.notice == ""


@pytest.mark.contract("D1")
def test_progress_ends_with_all_files_done(tmp_path: Path, docs: Path) -> None:
    seen: list[Progress] = []
    DocIndex.open(tmp_path / "fresh", docs, None).update(seen.append)
    assert seen[0].stage == "scanning"
    assert [p.done for p in seen if p.stage == "reading"] == [1, 2, 3]
    assert (seen[-1].stage, seen[-1].done, seen[-1].total) == ("saving", 3, 3)


@pytest.mark.contract("D1")
def test_an_open_index_sees_what_another_one_published(
    tmp_path: Path, docs: Path, index: DocIndex
) -> None:
    reader = DocIndex.open(tmp_path / "index", docs, FakeEmbedder())
    assert reader.search("kraken", 1) == ()
    write(docs, deep="The kraken sleeps.")
    index.update()
    assert reader.search("kraken", 1)[0].url == "deep.md"


@pytest.mark.contract("D1", "D6")
def test_many_files_are_taken_in_by_several_processes_as_by_one(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for number in range(120):
        text = f"# Page {number}\n\n" + f"Word{number} stands here. {PROSE}" * 700
        write(docs / f"part{number % 7}", **{f"page{number}": text})
    index = DocIndex.open(tmp_path / "index", docs, StaticEmbedder())
    report = index.update()
    assert report.files == 120
    assert index.search("word77", 1)[0].url == "part0/page77.md"
    alone = DocIndex.in_memory([("a", "Page 77", (docs / "part0/page77.md").read_text())], None)
    ours = index.search("word77", 1, mode="bm25")[0]
    assert ours.text == alone.search("word77", 1)[0].text


def test_another_embedder_means_a_new_index(tmp_path: Path, docs: Path, index: DocIndex) -> None:
    report = DocIndex.open(tmp_path / "index", docs, FakeEmbedder(32)).update()
    assert report.rebuilt
    assert "embedder" in report.notice


@pytest.mark.contract("D1")
def test_an_index_of_an_earlier_format_is_made_anew_and_said_so(tmp_path: Path, docs: Path) -> None:
    home = tmp_path / "index"
    (home / "words").mkdir(parents=True)
    old = sqlite3.connect(home / "catalogue.db")
    old.executescript(
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);"
        "INSERT INTO meta VALUES ('format', '1'), ('embedder', 'fake-64'), ('generation', '3');"
        "CREATE TABLE files (id INTEGER PRIMARY KEY, path BLOB, url TEXT);"
    )
    old.close()
    searched = DocIndex.open(home, docs, FakeEmbedder())
    assert searched.search("tides", 1)[0].url == "tides.md"
    assert "of another version, or not whole; it was built anew" in searched.notice
    assert not (home / "catalogue.db").exists()
    assert not DocIndex.open(home, docs, FakeEmbedder()).update().rebuilt


# ── odd folders ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("D1")
def test_what_cannot_be_read_is_named_and_the_rest_is_indexed(tmp_path: Path, docs: Path) -> None:
    (docs / "empty.txt").write_text("")
    (docs / "photo.png").write_bytes(b"\x89PNG")
    (docs / "blob.dat").write_bytes(b"\0\1\2" * 100)
    (docs / "huge.txt").write_text("x" * 3_000)
    os.mkfifo(docs / "pipe.md")
    index = DocIndex.open(tmp_path / "index", docs, None, max_bytes=2_000)
    report = index.update()
    assert report.files == 3
    why = {loss.what: loss.why for loss in report.skipped}
    assert set(why) == {"empty.txt", "photo.png", "blob.dat", "huge.txt", "pipe.md"}
    assert "empty" in why["empty.txt"]
    assert ".png" in why["photo.png"]
    assert "binary" in why["blob.dat"]
    assert "2,000 bytes" in why["huge.txt"]
    assert "regular" in why["pipe.md"]
    assert not index.needs_update()


@pytest.mark.skipif(sys.platform == "darwin", reason="file names there are always UTF-8")
@pytest.mark.contract("D1")
def test_odd_file_names_are_indexed_and_shown_safely(tmp_path: Path, docs: Path) -> None:
    for name in (b"new\nline.md", b"caf\xe9.md", b"back\\nslash.md", "猫 #1.md".encode()):
        (docs / os.fsdecode(name)).write_text("The kraken sleeps.")
    index = DocIndex.open(tmp_path / "index", docs, None)
    assert index.update().files == 7
    assert not index.needs_update()
    urls = {r"new\nline.md", r"caf\udce9.md", r"back\\nslash.md", "猫 #1.md"}
    assert {url for url in urls if index.page(url).text == "The kraken sleeps."} == urls
    assert index.locate("猫 #1.md#0")[0].url == "猫 #1.md"


@pytest.mark.contract("D1", "X2")
def test_links_are_not_followed_out_of_the_folder_or_in_circles(tmp_path: Path, docs: Path) -> None:
    outside = write(tmp_path / "outside", secret="The password is swordfish.")
    (docs / "loop").symlink_to(docs)
    (docs / "self").symlink_to(docs / "self")
    (docs / "out").symlink_to(outside)
    (docs / "file.md").symlink_to(outside / "secret.md")
    (docs / "twin.md").symlink_to(docs / "tides.md")
    index = DocIndex.open(tmp_path / "index", docs, None)
    report = index.update()
    assert report.files == 3
    assert {loss.what for loss in report.skipped} == {"self", "out", "file.md"}
    assert index.search("swordfish password", 5) == ()


def test_hidden_and_generated_folders_are_passed_by(tmp_path: Path, docs: Path) -> None:
    for name in (".git", "node_modules", ".venv", "__pycache__"):
        write(docs / "deep" / name, x="kraken")
    index = DocIndex.open(tmp_path / "index", docs, None)
    assert (index.update().files, index.search("kraken", 1)) == (3, ())


def test_a_folder_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="docs"):
        DocIndex.open(tmp_path / "index", tmp_path / "docs", None).update()


def test_an_empty_folder_gives_an_empty_index(tmp_path: Path) -> None:
    index = DocIndex.open(tmp_path / "index", write(tmp_path / "docs"), StaticEmbedder())
    assert index.update().files == 0
    assert index.search("tides", 5) == ()
