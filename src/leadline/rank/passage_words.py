"""A passage taken apart once for ranking: its words, its names, and the names it mentions."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from leadline.rank.names import fold, names, normal, spans
from leadline.text.sentences import sentences
from leadline.text.words import STOPWORDS, content_words, stem, words

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_ROOT = 5  # letters: direct, director and directed meet


class Mention(NamedTuple):
    """A name that a passage mentions: its stems, its first and last word, and its sentence's."""

    name: str
    written: str
    stems: frozenset[str]
    first: int
    last: int
    opens: int
    closes: int


@dataclass(frozen=True)
class Reading:
    """A passage as ranking sees it. `flat` is title and text as words, with a space all round."""

    counts: Mapping[str, int]
    length: int
    names: tuple[str, ...]
    own: frozenset[str]  # stems of its names
    flat: str
    stems: tuple[str, ...]  # of the text's words in order; stopwords are empty
    roots: tuple[str, ...]
    mentions: tuple[Mention, ...]
    small: frozenset[str]  # words that it writes without a capital


@dataclass(frozen=True)
class Rarity:
    """Inverse document frequency within what was found; a word never seen is the rarest."""

    counts: Mapping[str, int]
    size: int

    @classmethod
    def within(cls, readings: Sequence[Reading]) -> Rarity:
        return cls(Counter(word for one in readings for word in one.counts), len(readings))

    def of(self, word: str) -> float:
        count = self.counts.get(word, 0)
        return math.log(1 + (self.size - count + 0.5) / (count + 0.5))

    def total(self, stems: Sequence[str] | frozenset[str]) -> float:
        return sum(map(self.of, stems))

    def mean(self, stems: frozenset[str]) -> float:
        """The rarity of a name: the mean over its words."""
        return self.total(stems) / max(len(stems), 1)


def stems_of(text: str) -> list[str]:
    """The content words of `text`, without accents."""
    return content_words(fold(text))


def root(word: str) -> str:
    """What `word` shares with its relatives; empty for a stopword."""
    if word in STOPWORDS:
        return ""
    return word[:_ROOT] if len(word) > _ROOT else stem(word)


@lru_cache(maxsize=8192)
def reading(title: str, text: str) -> Reading:
    """The passage taken apart."""
    text = fold(text)
    said = words(text)
    stems = tuple("" if word in STOPWORDS else stem(word) for word in said)
    counts = Counter([*stems_of(title), *filter(None, stems)])
    called = names(title, text)
    return Reading(
        counts=counts,
        length=counts.total(),
        names=called,
        own=frozenset(stem for name in called for stem in content_words(name)),
        flat=f" {normal(title)} . {' '.join(said)} ",
        stems=stems,
        roots=tuple(map(root, said)),
        mentions=_mentions(text),
        small=frozenset(word for word in _LETTERS.findall(text) if word.islower()),
    )


def _mentions(text: str) -> tuple[Mention, ...]:
    """The names in `text`, each with its place counted in words."""
    named = [(span, frozenset(content_words(span.name))) for span in spans(text)]
    ends = [0, *(span.end for span in sentences(text)), len(text)]
    cuts = sorted({*ends, *(span.start for span, _ in named)})
    counted = accumulate((len(words(text[a:b])) for a, b in pairwise(cuts)), initial=0)
    words_before = dict(zip(cuts, counted, strict=True))
    found = []
    for span, stems in named:
        place = bisect_right(ends, span.start)
        first = words_before[span.start]
        last = first + len(span.name.split())
        opens, closes = words_before[ends[place - 1]], words_before[ends[place]]
        if stems:
            found.append(Mention(span.name, span.written, stems, first, last, opens, closes))
    return tuple(found)
