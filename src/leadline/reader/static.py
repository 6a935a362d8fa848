"""Static embeddings from the weights inside the wordllama wheel, read without importing wordllama.

A text's vector is the mean of its tokens' vectors, made unit length. Tokens never cross the
boundary between letters, digits and punctuation, so the tokens of each distinct word are worked
out once and kept.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from leadline.errors import StoreBroken
from leadline.reader.vocabulary import Cut, cutter, tokenizer

if TYPE_CHECKING:
    from leadline.ports import Matrix

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"

# Where this cuts, no token of the vocabulary crosses; a test checks it against the tokenizer.
# The first branch is the common case, made of plain sets because they match several times faster.
_PIECE = re.compile(
    r" *+[A-Za-z]++(?![^\x00-\x7f])| *+[^\W\d_²]++|\d"
    r"| *+[!-/:-@\[-`{-~]++(?![^\x00-\x7f])| *+(?:[^\w\s]|[_²\u2000-\u200a\xa0])++| ++|\s|.",
    re.DOTALL,
)
_SPECIAL = re.compile(r"(<s>|</s>|<unk>)")
_BLOCK = 64  # texts whose words are looked up together
_HEADER = 1_000_000  # bytes of the weights' description, at most
_MANY = 10_000  # distinct words, after which loading the tokenizer pays
_CACHE = 200_000  # distinct words whose tokens are kept
_FEW = 400  # texts of one question, which are asked for by several steps
_MOST_KEPT = 4000  # of their rows, 1 kB each


@dataclass(frozen=True)
class _Weights:
    """Where in the file the vectors lie, `count` of them."""

    path: Path
    start: int
    count: int


class StaticEmbedder:
    """Satisfies `ports.Embedder`. Loads its files on first use, in about 0.02 s."""

    name = "wordllama-l2-supercat-256"
    dim = 256
    words_only = True  # word order and punctuation say nothing here; indexes may leave them out

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._tokens: dict[str, tuple[int, ...]] = {}
        self._row: dict[int, int] = {}
        self._kept: dict[str, Matrix] = {}
        self._turn = Lock()  # searches embed their queries in threads

    def __reduce__(self) -> tuple[type[StaticEmbedder], tuple[Path | None]]:
        return StaticEmbedder, (self._folder,)  # another process reads the files itself

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit row a text; a text without a token is a row of zeros."""
        import numpy as np  # not with the module: the first search should not wait for it

        if not texts or len(texts) > _FEW:  # an index's, which come once
            return self._embedded(texts)
        kept = self._kept
        fresh = [text for text in dict.fromkeys(texts) if text not in kept]
        if fresh:
            if len(kept) + len(fresh) > _MOST_KEPT:
                self._kept = kept = {}
                fresh = list(dict.fromkeys(texts))
            kept.update(zip(fresh, self._embedded(fresh), strict=True))
        return np.stack([kept[text] for text in texts])

    def _embedded(self, texts: Sequence[str]) -> Matrix:
        import numpy as np

        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for at in range(0, len(texts), _BLOCK):
            block = [_pieces(text) for text in texts[at : at + _BLOCK]]
            known = self._knowing(block)
            for row, pieces in zip(rows[at:], block, strict=False):
                ids = list(chain.from_iterable(map(known, pieces)))
                # A gather and a sum a text beat one sparse or dense product a block, whose
                # threads also fight with the indexer's.
                self._vectors.take(ids, axis=0).sum(axis=0, out=row)
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)

    def _knowing(self, block: list[list[str]]) -> Callable[[str], tuple[int, ...]]:
        """The rows of every piece's tokens; those of pieces not met before are worked out."""
        with self._turn:
            return self._learn(block)

    def _learn(self, block: list[list[str]]) -> Callable[[str], tuple[int, ...]]:
        known = self._tokens
        fresh = sorted(piece for piece in set().union(*block) if piece not in known)
        if fresh:
            if len(self._tokens) + len(fresh) > _CACHE:
                self._tokens = {}  # common words are back at once; another thread keeps the old
                return self._learn(block)
            cut = self._cut if len(self._tokens) + len(fresh) < _MANY else self._cut_many
            found = {piece: cut(piece) for piece in fresh}
            rows = self._rows_of(sorted(set(chain.from_iterable(found.values()))))
            self._tokens |= {piece: tuple(rows[n] for n in ids) for piece, ids in found.items()}
        return self._tokens.__getitem__

    @cached_property
    def _root(self) -> Path:
        if self._folder is not None:
            return self._folder
        spec = importlib.util.find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise StoreBroken("the package wordllama, whose weights embed texts, is not installed")
        return Path(spec.origin).parent

    def _rows_of(self, ids: list[int]) -> dict[int, int]:
        """In which row of `_vectors` each token is. One that is new is read from the file."""
        import numpy as np

        new = [number for number in ids if number not in self._row]
        if new:
            # Row by row: a mapped file brings its neighbours along, and takes ten times as long.
            size = 2 * self.dim
            with self._weights.path.open("rb", buffering=0) as file:
                at = (self._weights.start + size * number for number in new)
                rows = b"".join(os.pread(file.fileno(), size, place) for place in at)
            first = len(self._row)
            found = np.frombuffer(rows, "<f2").reshape(len(new), self.dim)
            self._vectors[first : first + len(new)] = found
            self._row |= {number: first + at for at, number in enumerate(new)}
        return self._row

    @cached_property
    def _vectors(self) -> Any:
        """Room for every vector; memory is taken by those in use alone, not by all 32 MB."""
        import numpy as np

        return np.empty((self._weights.count, self.dim), dtype=np.float32)

    @cached_property
    def _weights(self) -> _Weights:
        path = self._root / _WEIGHTS
        try:
            with path.open("rb") as file:
                size = int.from_bytes(file.read(8), "little")
                about = json.loads(file.read(size) if size < _HEADER else b"")
            (tensor,) = [value for name, value in about.items() if name != "__metadata__"]
            start, count = 8 + size + tensor["data_offsets"][0], tensor["shape"][0]
            if tensor["dtype"] != "F16" or path.stat().st_size < start + 2 * self.dim * count:
                raise ValueError("vectors of half precision were expected, all of them")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreBroken(f"the embedding weights cannot be read: {path}: {error}") from error
        return _Weights(path, start, count)

    @cached_property
    def _cut(self) -> Cut:
        return cutter(self._root / _TOKENIZER)

    @cached_property
    def _cut_many(self) -> Cut:
        return tokenizer(self._root / _TOKENIZER)


def _pieces(text: str) -> list[str]:
    if not text:
        return []
    if _is_bare(text):
        return f"\n {text}".replace(" ", "\n ").split("\n")[2:]
    found = _PIECE.findall(" " + text.replace("▁", " "))
    return found if "<" not in text else _with_specials(text, found)


def _is_bare(text: str) -> bool:
    """English letters and single spaces only: then pieces are words, found without matching."""
    if not text.isascii() or text[0] == " " or text[-1] == " " or "  " in text:
        return False
    return text.replace(" ", "").isalpha()


def _with_specials(text: str, found: list[str]) -> list[str]:
    """The tokenizer takes `<s>` and its like as one token and begins anew after it."""
    parts = _SPECIAL.split(text)
    if len(parts) == 1:
        return found
    return [
        piece for part in parts for piece in ([part] if _SPECIAL.fullmatch(part) else _pieces(part))
    ]
