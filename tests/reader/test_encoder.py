"""The learned reader: any ONNX network of the right shape, told plainly what is wrong with others.

The networks here are made by hand with known answers; they have nothing to do with the weights.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leadline.errors import BadInput, StoreBroken
from leadline.reader.encoder import OnnxReader
from onnx_maker import write_reader


def test_vectors_are_unit_rows_and_do_not_depend_on_what_they_are_read_with(tmp_path: Path) -> None:
    reader = OnnxReader(write_reader(tmp_path, "embedding"))
    texts = ["a cat", "a much longer text about a dog and a cat", ""]
    together = reader.embed(texts)
    assert together.shape == (3, reader.dim)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-3)
    apart = np.concatenate([reader.embed([text]) for text in texts])
    np.testing.assert_array_equal(together, apart)


def test_states_of_an_encoder_are_averaged(tmp_path: Path) -> None:
    reader = OnnxReader(write_reader(tmp_path, "last_hidden_state"))
    row = reader.embed(["cat cat"])
    np.testing.assert_allclose(np.linalg.norm(row), 1, atol=1e-3)


def test_a_network_of_pairs_scores_by_its_first_number(tmp_path: Path) -> None:
    reader = OnnxReader(write_reader(tmp_path, "logits"))
    scores = reader.score_answers("cat", ["cat", "dog dog dog"])
    assert scores.shape == (2,)
    assert scores[1] > scores[0]  # this network counts the tokens of the second text


def test_an_encoder_without_scores_ranks_by_cosine(tmp_path: Path) -> None:
    reader = OnnxReader(write_reader(tmp_path, "embedding"))
    rows = reader.embed(["cat", "cat", "dog"])
    scores = reader.score_answers("cat", ["cat", "dog"])
    np.testing.assert_allclose(scores, rows[1:] @ rows[0], atol=1e-6)


def test_a_network_that_only_scores_says_so_when_asked_for_vectors(tmp_path: Path) -> None:
    reader = OnnxReader(write_reader(tmp_path, "logits"))
    assert reader.dim == 0
    with pytest.raises(BadInput, match="has no vectors"):
        reader.embed(["cat"])


def test_nothing_to_read_gives_nothing(tmp_path: Path) -> None:
    reader = OnnxReader(write_reader(tmp_path, "embedding"))
    assert reader.embed([]).shape == (0, reader.dim)
    assert reader.score_answers("cat", []).shape == (0,)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.onnx, which is not there"):
        OnnxReader(tmp_path / "none.onnx")
    path = write_reader(tmp_path, "embedding")
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(BadInput, match=r"tokenizer\.json, which is not there"):
        OnnxReader(path)


def test_a_file_that_is_no_network_is_told(tmp_path: Path) -> None:
    path = write_reader(tmp_path, "embedding")
    path.write_bytes(b"no network at all")
    with pytest.raises(StoreBroken, match="no ONNX network"):
        OnnxReader(path).embed(["cat"])


def test_a_tokenizer_that_is_none_is_told(tmp_path: Path) -> None:
    path = write_reader(tmp_path, "embedding")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(StoreBroken, match="is no tokenizer"):
        OnnxReader(path).embed(["cat"])


def test_a_network_of_another_shape_is_told_what_it_should_take_and_give(tmp_path: Path) -> None:
    path = write_reader(tmp_path, "something_else")
    with pytest.raises(BadInput, match="gives embedding, last_hidden_state or logits"):
        OnnxReader(path).embed(["cat"])
