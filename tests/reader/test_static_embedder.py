"""The static embedder gives wordllama's own numbers, without importing it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import StoreBroken
from leadline.reader.static import StaticEmbedder

ODD = [
    "  two  spaces  ",
    "x² . 3²), ²",
    "日本語 text 漢字と仮名",
    "▁a ▁b",
    "12345 costs 1.5%",
    "naïve–“quote” … café",
    "tab\t\ty\n\n z",
    "🎉🎉 ok",
    "ﬁne \u200b \xa0\xa0 z",
    "Ⅷ ½ x²,y",
    "e\u0301a",
    "def f(x):\n    return {'a': x_1}\n",
    "only bare words",
    "x",
    "one  two",
    "Привет, мир! Ελληνικά. שלום",
]


@pytest.fixture(scope="module")
def ours() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.fixture(scope="module")
def oracle() -> object:
    wordllama = pytest.importorskip("wordllama")
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent)


@pytest.mark.contract("D2")
def test_vectors_equal_wordllamas_own(ours: StaticEmbedder, oracle: object) -> None:
    theirs = oracle.embed(ODD, norm=True)  # type: ignore[attr-defined]
    assert np.abs(ours.embed(ODD) - theirs).max() < 1e-5


@pytest.mark.contract("D2")
@settings(max_examples=150, deadline=None)
@given(text=st.text(min_size=1, max_size=200))
def test_any_text_has_wordllamas_vector(ours: StaticEmbedder, oracle: object, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    theirs = oracle.embed([text], norm=True)  # type: ignore[attr-defined]
    assert np.abs(ours.embed([text]) - theirs).max() < 1e-5


def test_rows_are_unit_vectors_and_an_empty_text_is_zeros(ours: StaticEmbedder) -> None:
    rows = ours.embed(["one text", "", "another, longer text"])
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1], abs=1e-6)
    assert ours.embed([]).shape == (0, ours.dim)


def test_a_lone_surrogate_is_taken(ours: StaticEmbedder) -> None:
    assert np.linalg.norm(ours.embed(["bad \udcff byte"])) == pytest.approx(1)


def test_the_batch_does_not_change_a_vector(ours: StaticEmbedder) -> None:
    alone = [ours.embed([text])[0] for text in ODD]
    assert np.abs(ours.embed(ODD * 10)[: len(ODD)] - np.array(alone)).max() < 1e-6


def test_a_text_that_is_asked_for_again_has_the_same_vector() -> None:
    import numpy as np

    fresh, texts = StaticEmbedder(), ["a harbour", "a lamp", "a harbour"]
    first = fresh.embed(texts)
    first[:] = 0  # whoever changes what they got changes nothing for others
    again = fresh.embed(texts[::-1])
    assert np.array_equal(again, StaticEmbedder().embed(texts[::-1]))
    many = [f"text number {number}" for number in range(5000)]
    rows = fresh.embed(many)
    for at in range(0, 5000, 250):
        assert np.array_equal(rows[at : at + 250], fresh.embed(many[at : at + 250]))


def test_similar_meanings_are_closer_than_others(ours: StaticEmbedder) -> None:
    trucks, vehicle, poetry = ours.embed(["cars and trucks", "vehicle", "poetry"])
    assert trucks @ vehicle > 0.5 > trucks @ poetry


def test_it_travels_to_another_process_without_its_weights(ours: StaticEmbedder) -> None:
    parcel = pickle.dumps(ours)
    assert len(parcel) < 1_000
    assert np.array_equal(pickle.loads(parcel).embed(["same"]), ours.embed(["same"]))


def test_wordllama_is_not_imported() -> None:
    code = (
        "import sys; from leadline.reader.static import StaticEmbedder;"
        "StaticEmbedder().embed(['x']); sys.exit('wordllama' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreBroken, match="weights"):
        StaticEmbedder(tmp_path).embed(["x"])
