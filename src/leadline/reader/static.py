"""Static embeddings from the files inside the wordllama wheel, read without importing wordllama.

A text's vector is the mean of its tokens' vectors, made unit length. No token goes on after a
space, so each word is cut into its tokens once.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.errors import StoreBroken

if TYPE_CHECKING:
    from leadline.ports import Matrix

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WORD = re.compile(" +[^ ]*")
_WORDS = 100_000  # whose tokens are kept; an index of many files takes a third longer without
_LONGEST = 32  # of them, in characters: what has no spaces may be a whole page


class _Tokens(dict[str, tuple[int, ...]]):
    """What `cut` makes of a word, kept; a word that is there costs no call of ours."""

    def __init__(self, cut: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._cut = cut

    def __missing__(self, word: str) -> tuple[int, ...]:
        tokens = self._cut(word)
        if len(word) <= _LONGEST and len(self) < _WORDS:
            self[word] = tokens
        return tokens


class StaticEmbedder:
    """Satisfies `ports.Embedder`. Loads its files on first use, in about 0.1 s."""

    name = "wordllama-l2-supercat-256"
    dim = 256
    words_only = True  # word order and punctuation say nothing here; indexes may leave them out

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def __reduce__(self) -> tuple[type[StaticEmbedder], tuple[Path | None]]:
        return StaticEmbedder, (self._folder,)  # another process reads the files itself

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit row a text; a text without a token is a row of zeros."""
        import numpy as np  # not with the module: the first search should not wait for it

        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text:
                words = _WORD.findall(f" {text}".encode("utf-8", "replace").decode())
                tokens = list(chain.from_iterable(map(self._tokens.__getitem__, words)))
                self._vectors.take(tokens, axis=0).sum(axis=0, out=row)
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)

    @cached_property
    def _root(self) -> Path:
        if self._folder is not None:
            return self._folder
        spec = importlib.util.find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise StoreBroken("the package wordllama, whose weights embed texts, is not installed")
        return Path(spec.origin).parent

    @cached_property
    def _tokens(self) -> _Tokens:
        """The numbers of the tokens of a word, with the spaces before it."""
        from tokenizers import Tokenizer, normalizers

        path = self._root / _TOKENIZER
        try:
            tokenizer: Any = Tokenizer.from_str(path.read_text("utf-8"))
        except Exception as error:  # the library raises nothing narrower
            raise StoreBroken(f"the tokenizer cannot be read: {path}: {error}") from error
        tokenizer.normalizer = normalizers.Replace(" ", "▁")
        tokenizer.no_truncation()
        tokenizer.no_padding()

        def cut(word: str) -> tuple[int, ...]:
            return tuple(tokenizer.encode(word, add_special_tokens=False).ids)

        return _Tokens(cut)

    @cached_property
    def _vectors(self) -> Any:
        """The vector of each token, in a file of one tensor of half precision."""
        import numpy as np

        path = self._root / _WEIGHTS
        try:
            with path.open("rb") as file:
                size = int.from_bytes(file.read(8), "little")
                about = json.loads(file.read(size))
                (tensor,) = [value for name, value in about.items() if name != "__metadata__"]
                if tensor["dtype"] != "F16" or tensor["shape"][1] != self.dim:
                    raise ValueError(f"{self.dim} numbers of half precision a token were expected")
                file.seek(8 + size + tensor["data_offsets"][0])
                half = np.fromfile(file, "<f2", tensor["shape"][0] * self.dim)
                return half.reshape(tensor["shape"]).astype(np.float32)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreBroken(f"the embedding weights cannot be read: {path}: {error}") from error
