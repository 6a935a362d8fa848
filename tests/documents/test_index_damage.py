"""Whatever happens to an index, killed or damaged, the next update puts it right."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.documents import DocIndex, Progress
from leadline.documents.keywords import Keywords
from leadline.errors import StoreBroken
from leadline.fakes.embedder import FakeEmbedder
from leadline.keep.sqlite import locked

UPDATE = """
import sys
from pathlib import Path
from leadline.fakes.embedder import FakeEmbedder
from leadline.documents import DocIndex
index = DocIndex.open(Path(sys.argv[1]), Path(sys.argv[2]), FakeEmbedder())
print("ready", flush=True)
report = index.update(lambda p: print(p.stage, p.done, flush=True))
print("files", report.files, flush=True)
"""


def pages(folder: Path, count: int, word: str) -> Path:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        text = f"# Page {number}\n\nWord{number} and {word}.\n\n" + "The sea is deep. " * 150
        (folder / f"page{number}.md").write_text(text)
    return folder


def answers(index: DocIndex) -> list[tuple[str, str]]:
    return [(h.ref, h.text) for n in (1, 7, 19) for h in index.search(f"word{n}", 3)]


def files_of(home: Path) -> list[Path]:
    found = sorted(path for path in home.rglob("*") if path.is_file())
    return [path for path in found if path.suffix != ".lock" and path.name != "lock"]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return pages(tmp_path / "docs", 30, "kraken")


def damage(path: Path, how: str) -> None:
    """Puts a damaged file in the place of one: a thread of tantivy's may still read the old one
    through a map of memory, and cutting that very file short would end the process (SIGBUS)."""
    data = bytearray(path.read_bytes())
    if how == "missing":
        path.unlink()
        return
    if how == "scrambled":
        dice = random.Random(5)
        for _ in range(max(1, len(data) // 50)):
            data[dice.randrange(len(data))] ^= 0xFF
    keep = {"cut": len(data) // 2, "emptied": 0}.get(how, len(data))
    damaged = path.with_name(f"{path.name}.damaged")
    damaged.write_bytes(data[:keep])
    damaged.replace(path)


@pytest.mark.contract("D1")
@pytest.mark.parametrize("how", ["missing", "cut", "emptied", "scrambled"])
def test_damage_to_any_file_is_noticed_and_mended(tmp_path: Path, docs: Path, how: str) -> None:
    home = tmp_path / "index"
    index = DocIndex.open(home, docs, FakeEmbedder())
    index.update()
    expected = answers(index)
    index.close()
    names = [path.relative_to(home).name for path in files_of(home)]
    for number in range(len(names)):
        path = files_of(home)[number % len(files_of(home))]
        if not path.stat().st_size or path.name.endswith("-shm"):
            continue
        damage(path, how)
        mended = DocIndex.open(home, docs, FakeEmbedder())
        report = mended.update()
        assert report.files == 30
        assert answers(mended) == expected
        assert report.rebuilt or path.name != "catalogue-5.db"
        assert bool(report.notice) == report.rebuilt
        (docs / "page3.md").write_text(f"# Page 3\n\nNow it holds mended{number}.\n")
        assert mended.update().changed == 1
        assert mended.search(f"mended{number}", 1)[0].url == "page3.md"
        mended.close()


@pytest.mark.contract("D1")
def test_damaged_text_is_noticed_by_a_search_and_mended(tmp_path: Path, docs: Path) -> None:
    index = DocIndex.open(tmp_path / "index", docs, FakeEmbedder())
    index.update()
    expected = answers(index)
    index.close()
    path = tmp_path / "index" / "catalogue-5.db"
    path.write_bytes(path.read_bytes().replace(b"Word7 and kraken", b"Word7 and squids"))
    again = DocIndex.open(tmp_path / "index", docs, FakeEmbedder())
    assert answers(again) == expected
    assert "damaged" in again.notice


@pytest.mark.contract("D1")
def test_killed_at_any_instant_the_last_state_is_whole(tmp_path: Path, docs: Path) -> None:
    home = tmp_path / "index"
    DocIndex.open(home, docs, FakeEmbedder()).update()
    dice = random.Random(3)
    for turn in range(6):
        pages(docs, 30, f"turn{turn}")
        command = [sys.executable, "-c", UPDATE, str(home), str(docs)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        for _ in range(dice.randrange(1, 36)):  # a line is a file done: no waiting by the clock
            if not child.stdout.readline():
                break
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        reader = DocIndex.open(home, docs, FakeEmbedder())
        found = reader.search("word7", 1)
        assert found[0].url == "page7.md"
        assert reader.page("page7.md").hash == found[0].page
        assert reader.notice == ""
        reader.close()
    index = DocIndex.open(home, docs, FakeEmbedder())
    report = index.update()
    assert (report.files, report.rebuilt) == (30, False)
    assert index.search("turn5", 1)
    assert index.search("turn4", 1) == ()
    assert len(Keywords(home / "words")) == report.chunks


@pytest.mark.contract("D1")
def test_two_at_once_leave_one_whole_index(tmp_path: Path, docs: Path) -> None:
    command = [sys.executable, "-c", UPDATE, str(tmp_path / "index"), str(docs)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [child.communicate()[0] for child in both]
    assert [child.returncode for child in both] == [0, 0]
    assert all(text.endswith("files 30\n") for text in said)
    index = DocIndex.open(tmp_path / "index", docs, FakeEmbedder())
    assert not index.needs_update()
    assert len(answers(index)) == len(set(answers(index)))


@pytest.mark.contract("D1")
def test_the_second_says_that_it_waits(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", _HOLD, str(path)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == "held\n"
    waited: list[str] = []

    def let_go() -> None:
        waited.append("waiting")
        holder.communicate("\n")

    with locked(path, let_go):
        assert waited == ["waiting"]


_HOLD = """
import sys
from pathlib import Path
from leadline.keep.sqlite import locked
with locked(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.contract("D1")
def test_an_interrupt_keeps_the_last_state(tmp_path: Path, docs: Path) -> None:
    index = DocIndex.open(tmp_path / "index", docs, FakeEmbedder())
    index.update()
    before = answers(index)
    pages(docs, 30, "later")

    def interrupt(progress: Progress) -> None:
        if progress.done == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.update(interrupt)
    assert answers(index) == before
    assert index.update().changed == 30


def test_a_home_that_cannot_be_made_is_said_and_nothing_is_lost(tmp_path: Path, docs: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(StoreBroken, match="taken"):
        DocIndex.open(tmp_path / "taken" / "index", docs, None).update()
    assert (tmp_path / "taken").read_text() == "a file"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_not_taken_for_damage(tmp_path: Path, docs: Path) -> None:
    home = tmp_path / "index"
    index = DocIndex.open(home, docs, FakeEmbedder())
    index.update()
    before = answers(index)
    index.close()
    pages(docs, 30, "later")
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000));"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + UPDATE
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, str(home), str(docs)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode != 0
    assert "StoreBroken" in done.stderr
    assert "Damaged" not in done.stderr
    again = DocIndex.open(home, docs, FakeEmbedder())
    assert answers(again) == before
    assert again.update().changed == 30
