"""Words: how text is cut into the tokens that ranking, novelty and planning compare.

Pure and language-light: letters and digits make words, Chinese, Japanese and Korean text is cut
into overlapping pairs of characters, and English endings are folded so that plural and singular
meet.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from leadline.text.cjk import RANGE, has_cjk

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")

STOPWORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before
    being below between both but by can could did do does doing done down during each either else
    etc every few for from further get give given go got had has have having he her here hers him
    his how however i if in into is it its itself just let lets like made make many may me might
    more most much must my nor not now of off on once one only or other our out over own per
    please same shall she should so some such than that the their them then there these they this
    those though through to too under until up upon us use used using very via was way we were what
    when where whether which while who whom whose why will with within without would you your
    tell explain describe list show find know
    whats hows wheres 's s t""".split()  # noqa: SIM905
)


def words(text: str) -> list[str]:
    """The words of `text` in order, lower case; CJK runs become overlapping character pairs."""
    pairs = has_cjk(text)
    tokens = (_word_or_run() if pairs else _WORD).findall(text.lower())
    if "'" in text or "’" in text:
        tokens = [one[:-2] if one.endswith(("'s", "’s")) else one for one in tokens]
    return [part for token in tokens for part in _pairs(token)] if pairs else tokens


@cache
def _word_or_run() -> re.Pattern[str]:
    return re.compile(rf"[{RANGE}]+|[^\W_{RANGE}]+(?:['’][^\W\d_{RANGE}]+)?")


def _pairs(token: str) -> list[str]:
    if len(token) == 1 or not has_cjk(token):
        return [token]
    return [token[i : i + 2] for i in range(len(token) - 1)]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """`word` with a common English ending folded; short words and other scripts stay whole."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: len(word) - len(ending)] + instead
    return word


# What takes the place of an ending; the first that fits counts.
_ENDINGS = (
    ("ations", "at"), ("ation", "at"), ("ments", "ment"), ("nesses", ""), ("ness", ""),
    ("ities", "ity"), ("sses", "ss"), ("ies", "y"), ("ied", "y"), ("ings", ""), ("ing", ""),
    ("edly", ""), ("ers", "er"), ("ed", ""), ("es", ""), ("ly", ""), ("ss", "ss"), ("us", "us"),
    ("is", "is"), ("s", ""), ("e", ""),
)  # fmt: skip


def content_words(text: str) -> list[str]:
    """The words of `text` that carry meaning: no stopwords, endings folded."""
    return [stem(word) for word in words(text) if word not in STOPWORDS]
