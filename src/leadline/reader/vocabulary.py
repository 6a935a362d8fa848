"""The tokens of single words, worked out from the list of tokens alone.

The tokenizer's own loader takes ten times as long as reading that list, which is more than all the
words of a run take. It is needed for other files than the one known here, and for many words.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from leadline.errors import StoreBroken

Cut = Callable[[str], tuple[int, ...]]

# Of this file, and a test holds it against the tokenizer, three things are known: two neighbours
# may be joined wherever what they make is a token, those of the lowest number first, and runs of
# spaces last; and a word that is a token is never cut.
_KNOWN = (1_842_796, 1_068_455_936)  # bytes, and their checksum
_NEVER = 1 << 30


def cutter(path: Path) -> Cut:
    """What cuts a piece of text, spaces in front included, into the numbers of its tokens."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StoreBroken(f"the tokenizer cannot be read: {path}: {error}") from error
    if (len(raw), zlib.crc32(raw)) != _KNOWN:
        return tokenizer(path)
    start, end = raw.index(b'"vocab"'), raw.index(b'"merges"')
    numbers = json.loads(raw[raw.index(b"{", start) : raw.rindex(b"}", start, end) + 1])
    return _Vocabulary(numbers).cut


def tokenizer(path: Path) -> Cut:
    """The same by the tokenizer itself. Unlike the original it puts no space in front."""
    from tokenizers import Tokenizer, normalizers

    try:
        made: Any = Tokenizer.from_str(path.read_text("utf-8"))
    except OSError as error:
        raise StoreBroken(f"the tokenizer cannot be read: {path}: {error}") from error
    made.normalizer = normalizers.Replace(" ", "▁")
    return lambda piece: tuple(made.encode(_sound(piece), add_special_tokens=False).ids)


class _Vocabulary:
    """Joins characters to tokens, as the tokenizer does."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self._turns = numbers.copy()  # when what two neighbours make is joined
        for byte in range(256):  # stands for a part of a character, and is never made
            del self._turns[_byte(byte)]
        for token in numbers:
            if not token.strip("▁") and len(token) > 1:
                self._turns[token] += len(numbers)

    def cut(self, piece: str) -> tuple[int, ...]:
        text = _sound(piece).replace(" ", "▁")
        if text in self._turns:
            return (self._numbers[text],)
        return tuple(map(self._numbers.__getitem__, self._joined(self._letters(text))))

    def _letters(self, text: str) -> list[str]:
        """Its characters; one that is no token is the bytes that it is written in."""
        known = self._turns
        if all(map(known.__contains__, text)):
            return list(text)
        letters: list[str] = []
        for one in text:
            letters += (one,) if one in known else map(_byte, one.encode())
        return letters

    def _joined(self, parts: list[str]) -> list[str]:
        turn = self._turns.get
        turns = [turn(left + right, _NEVER) for left, right in pairwise(parts)]
        while turns and (first := min(turns)) != _NEVER:
            at = turns.index(first)
            if turns.count(first) > 1:
                at = self._leading(turns, first, parts)
            parts[at] = new = parts[at] + parts.pop(at + 1)
            del turns[at]
            if at:
                turns[at - 1] = turn(parts[at - 1] + new, _NEVER)
            if at < len(turns):
                turns[at] = turn(new + parts[at + 1], _NEVER)
        return parts

    def _leading(self, turns: list[int], first: int, parts: list[str]) -> int:
        """Which of the pairs that make the same token is joined before the others."""
        number = self._numbers
        places = [at for at, one in enumerate(turns) if one == first]
        return min(places, key=lambda at: (number[parts[at]], number[parts[at + 1]], at))


def _byte(byte: int) -> str:
    return f"<0x{byte:02X}>"


def _sound(piece: str) -> str:
    """Without lone surrogates, which nothing can write down."""
    return piece if piece.isascii() else piece.encode("utf-8", "replace").decode("utf-8")
