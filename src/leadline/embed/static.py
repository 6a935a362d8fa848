"""Static embeddings from the weights inside the wordllama wheel, read without importing wordllama.

A text's vector is the mean of its tokens' vectors, made unit length. Tokens never cross the
boundary between letters, digits and punctuation, so the tokens of each distinct word are worked
out once and kept.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import StoreBroken

if TYPE_CHECKING:
    from leadline.ports import Matrix

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"

# Where this cuts, no token of the vocabulary crosses; a test checks it against the vocabulary.
_PIECE = re.compile(r" *[^\W\d_²]+|\d| *(?:[^\w\s]|[_²\u2000-\u200a\xa0])+| +|\s|.", re.DOTALL)
_SPECIAL = re.compile(r"<s>|</s>|<unk>")
_CACHE = 200_000  # distinct words whose tokens are kept


class StaticEmbedder:
    """Satisfies `ports.Embedder`. Loads its files on first use, in about 0.1 s."""

    name = "wordllama-l2-supercat-256"
    dim = 256

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._tokens: dict[str, tuple[int, ...]] = {}

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit row a text; a text without a token is a row of zeros."""
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            # A gather and a sum a text beat one sparse or dense product a block, whose threads
            # also fight with the indexer's.
            self._vectors.take(self._ids(text), axis=0).sum(axis=0, out=row)
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)

    def _ids(self, text: str) -> list[int]:
        if _SPECIAL.search(text):  # the tokenizer treats these apart, wherever they stand
            return list(self._whole.encode(_sound(text), add_special_tokens=False).ids)
        if not text:
            return []
        pieces = _PIECE.findall(" " + text.replace("▁", " "))
        known = self._tokens
        try:
            return list(chain.from_iterable(map(known.__getitem__, pieces)))
        except KeyError:
            learned = self._learn({piece for piece in pieces if piece not in known})
            return list(chain.from_iterable([known.get(p) or learned[p] for p in pieces]))

    def _learn(self, pieces: set[str]) -> dict[str, tuple[int, ...]]:
        fresh = sorted(pieces)
        found = self._words.encode_batch([_sound(p) for p in fresh], add_special_tokens=False)
        learned = {piece: tuple(code.ids) for piece, code in zip(fresh, found, strict=True)}
        if len(self._tokens) < _CACHE:
            self._tokens.update(learned)
        return learned

    @cached_property
    def _root(self) -> Path:
        if self._folder is not None:
            return self._folder
        spec = importlib.util.find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise StoreBroken("the package wordllama, whose weights embed texts, is not installed")
        return Path(spec.origin).parent

    @cached_property
    def _vectors(self) -> Any:
        """The vector of each token: 32 MB."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        path = self._root / _WEIGHTS
        try:
            (tensor,) = load_file(path).values()
        except (OSError, SafetensorError, ValueError) as error:
            raise StoreBroken(f"the embedding weights cannot be read: {path}: {error}") from error
        return tensor.astype(np.float32)

    @cached_property
    def _whole(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._root / _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _words(self) -> Any:
        """The same tokenizer for pieces of a text: it does not put a space in front."""
        from tokenizers import Tokenizer, normalizers

        tokenizer = Tokenizer.from_file(str(self._root / _TOKENIZER))
        tokenizer.normalizer = normalizers.Replace(" ", "▁")
        return tokenizer


def _sound(text: str) -> str:
    """`text` without lone surrogates, which the tokenizer cannot take."""
    return text.encode("utf-8", "replace").decode("utf-8")
