"""Vectors of passages are made once and kept, through damage and several processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from leadline.fakes.embedder import FakeEmbedder
from leadline.reader.kept import KeptReader

if TYPE_CHECKING:
    from leadline.ports import Matrix

TEXTS = ["The moon pulls the sea.", "A rope.", "", "The moon pulls the sea.", "\ud800 odd"]


class Counting(FakeEmbedder):
    """A reader that knows how many texts it was given."""

    def __init__(self, dim: int = 64) -> None:
        super().__init__(dim)
        self.count = 0

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.count += len(texts)
        return super().embed(texts)

    def score_answers(self, question: str, texts: Sequence[str]) -> Matrix:
        return np.zeros(len(texts), dtype=np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "vectors.db"


def assert_kept(path: Path, texts: Sequence[str]) -> None:
    reader = Counting()
    KeptReader(path, reader).embed(texts)
    assert reader.count == 0


def test_a_vector_is_made_once_ever(path: Path) -> None:
    encoder = Counting()
    first = KeptReader(path, encoder).embed(TEXTS)
    assert encoder.count == 4
    again = KeptReader(path, encoder).embed(TEXTS[::-1])
    assert encoder.count == 4
    assert np.array_equal(first, again[::-1])
    assert np.allclose(first, FakeEmbedder().embed(TEXTS), atol=1e-3)
    assert KeptReader(path, encoder).embed([]).shape == (0, 64)


def test_another_encoder_has_vectors_of_its_own(path: Path) -> None:
    KeptReader(path, Counting()).embed(TEXTS)
    other = Counting(32)
    assert KeptReader(path, other).embed(TEXTS).shape == (5, 32)
    assert other.count == 4


def test_more_texts_than_one_question_to_the_store_takes(path: Path) -> None:
    texts = [f"passage {number}" for number in range(1_700)]
    KeptReader(path, Counting()).embed(texts)
    assert_kept(path, texts)


@pytest.mark.parametrize("how", ["scrambled", "emptied", "cut"])
def test_a_broken_file_is_set_aside_and_begun_anew(
    path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    vectors = KeptReader(path, Counting())
    expected = vectors.embed([f"passage {number}" for number in range(300)])
    vectors.close()
    data = path.read_bytes()
    broken = {"scrambled": b"\x5a" * len(data), "emptied": b"", "cut": data[: len(data) // 2]}
    path.write_bytes(broken[how])
    texts = [f"passage {number}" for number in range(300)]
    assert np.allclose(KeptReader(path, Counting()).embed(texts), expected, atol=1e-3)
    assert_kept(path, texts)
    assert ("set aside" in caplog.text) == (how != "emptied")


def test_a_changed_vector_is_made_anew(path: Path) -> None:
    vectors = KeptReader(path, Counting())
    row = vectors.embed(["rope"])[0].astype(np.float16).tobytes()
    vectors.close()
    path.write_bytes(path.read_bytes().replace(row, b"\x07" * len(row)))
    encoder = Counting()
    again = KeptReader(path, encoder)
    assert np.allclose(again.embed(["rope"]), FakeEmbedder().embed(["rope"]), atol=1e-3)
    assert encoder.count == 1


def test_where_nothing_can_be_kept_vectors_are_still_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    vectors = KeptReader(tmp_path / "file" / "vectors.db", Counting())
    assert vectors.embed(TEXTS).shape == (5, 64)
    assert vectors.embed(TEXTS).shape == (5, 64)
    assert caplog.text.count("not kept") == 1


def test_two_processes_fill_one_file(path: Path) -> None:
    program = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from leadline.reader.kept import KeptReader
from test_kept_reader import Counting
vectors = KeptReader(Path(sys.argv[1]), Counting())
for start in range(0, 200, 10):
    vectors.embed([f"passage {number}" for number in range(start, start + 20)])
"""
    command = [sys.executable, "-c", program, str(path), str(Path(__file__).parent)]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert [child.communicate()[1] for child in both] == ["", ""]
    texts = [f"passage {number}" for number in range(210)]
    assert_kept(path, texts)
