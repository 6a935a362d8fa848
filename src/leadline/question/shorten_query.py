"""A query made simpler: what is left when operators, filler and qualifiers are gone.

Used when a query found too little. Four words at most, the core concept and names first.
"""

from __future__ import annotations

import re

from leadline.text.words import STOPWORDS, stem, words

MAX_WORDS = 4

# Words that say how a thing is to be treated, not what it is; a page that has the thing may well
# lack them.
_JARGON = """advance analysis application approach aspect assessment available base benefit best
    better challenge common comparison complete comprehensive concept context current detail
    different effect effective efficient essential evaluation evidence example explanation factor
    feature framework fundamental future general guide guideline impact implementation implication
    important improvement information introduction issue key large latest limitation main major
    mechanism method methodology metric modern new optimization option overview perspective
    possible potential practical practice principle problem process production recent recommendation
    relate report research result review role scalability significance solution specific standard
    step strategy strength study summary survey system technical technique technology tool topic
    trend tutorial various"""
_FILLER = frozenset(stem(stem(word)) for word in _JARGON.split())
_OPERATOR = re.compile(
    r"(?<!\w)-?(?:site|inurl|intitle|intext|filetype|before|after|lang):\S+|(?<!\S)-\w\S*"
    r"|\([^()]*\)|\[[^\[\]]*\]|\b(?:AND|OR|NOT|NEAR)\b"
)
_TOKEN = re.compile(r"[^\s,;:!?\"“”„«»()\[\]{}<>/|。，、；：？！（）「」『』]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


def simpler(query: str) -> str:
    """`query` in at most four words, or "" when nothing simpler can be said."""
    found = (token.strip(".'’-–—*+~^") for token in _TOKEN.findall(_OPERATOR.sub(" ", query)))
    tokens = list({stem(token.lower()): token for token in found if token}.values())
    core = [token for token in tokens if _carries(token)] or tokens
    names_first = sorted(range(len(core)), key=lambda at: (not _is_name(core, at), at))
    short = " ".join(core[at] for at in sorted(names_first[:MAX_WORDS]))
    return short if words(short) and words(short) != words(query) else ""


def _carries(token: str) -> bool:
    """Whether a token names something: no stopword, no filler, no year."""
    low = token.lower()
    if low in STOPWORDS or stem(stem(low)) in _FILLER or _YEAR.fullmatch(token):
        return False
    return len(token) > 1 or not token.isascii() or token.isdigit()


def _is_name(tokens: list[str], at: int) -> bool:
    """Whether a token is written like a name; the first of a sentence need not be one."""
    token = tokens[at]
    return any(char.isupper() or char.isdigit() for char in token[1 if at == 0 else 0 :])
