"""Tokens worked out from the list of tokens are those of the tokenizer."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import StoreBroken
from leadline.reader.static import StaticEmbedder, _pieces
from leadline.reader.vocabulary import Cut, _Vocabulary, cutter, tokenizer

ROOT = Path(__file__).parents[2]
# Few letters, so that the same pairs come often and overlap.
FEW = st.sampled_from(["a", "ab", "-", "-=", " ", " a", "\n", "\t ", "aeiou", "the", "é€ß", "абв"])
REPEATING = FEW.flatmap(lambda letters: st.text(st.sampled_from(letters), min_size=1, max_size=40))


def known_file() -> Path:
    spec = importlib.util.find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "tokenizers/l2_supercat_tokenizer_config.json"


@pytest.fixture(scope="module")
def ours() -> Cut:
    return cutter(known_file())


@pytest.fixture(scope="module")
def theirs() -> Cut:
    return tokenizer(known_file())


@pytest.mark.contract("D2")
def test_the_installed_file_is_the_one_that_is_known(ours: Cut) -> None:
    assert isinstance(getattr(ours, "__self__", None), _Vocabulary)


@pytest.mark.contract("D2")
def test_every_token_is_cut_as_the_tokenizer_cuts_it(ours: Cut, theirs: Cut) -> None:
    listed = re.findall(r'^ {6}"(.*)": \d+,?$', known_file().read_text("utf-8"), re.MULTILINE)
    tokens = [bytes(token, "utf-8").decode("utf-8") for token in listed if "\\" not in token]
    assert len(tokens) > 31_000
    assert [token for token in tokens if ours(token) != theirs(token)] == []


@pytest.mark.contract("D2")
def test_every_word_of_the_documentation_is_cut_as_the_tokenizer_cuts_it(
    ours: Cut, theirs: Cut
) -> None:
    texts = [path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md")]
    pieces = sorted({piece for text in texts for piece in _pieces(text)})
    assert len(pieces) > 3_000
    assert [piece for piece in pieces if ours(piece) != theirs(piece)] == []


@pytest.mark.contract("D2")
@settings(max_examples=300, deadline=None)
@given(text=st.one_of(st.text(max_size=60), REPEATING))
def test_any_text_is_cut_as_the_tokenizer_cuts_it(ours: Cut, theirs: Cut, text: str) -> None:
    for piece in _pieces(text):
        assert ours(piece) == theirs(piece)


def test_another_file_is_left_to_the_tokenizer(tmp_path: Path, theirs: Cut) -> None:
    other = tmp_path / "tokenizer.json"
    other.write_text(known_file().read_text("utf-8") + "\n", encoding="utf-8")
    cut = cutter(other)
    assert not isinstance(getattr(cut, "__self__", None), _Vocabulary)
    assert cut(" harbour") == theirs(" harbour")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreBroken, match=re.escape(str(tmp_path / "none.json"))):
        cutter(tmp_path / "none.json")


def test_many_words_have_the_vectors_that_they_have_alone() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b + c for a in letters for b in letters for c in letters]  # 17,576
    many, few = StaticEmbedder().embed(words), StaticEmbedder().embed(words[:200])
    assert (many[:200] == few).all()
    assert (StaticEmbedder().embed(words[-200:]) == many[-200:]).all()
