"""A query made simpler: what is left when operators, filler and qualifiers are gone.

Used when a query found too little. Four words at most, the core concept and names first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from leadline.text.cjk import has_cjk
from leadline.text.words import STOPWORDS, stem, words

MAX_WORDS = 4

# Words that say how a thing is to be treated, not what it is; a page that has the thing may well
# lack them. Folded like the words they are compared with.
_SAID = """action advanced aim analyse analysing analysis analyze application approach aspect
    assess assessing assessment available based benefit best better case challenge common compare
    comparing comparison complete comprehensive concept consideration contemporary context current
    deep definition detail detailed different discussion effect effective efficient emerging
    essential evaluate evaluation evidence evolving example explanation exploration explore fact
    factor feature finding framework fundamental future general guide guideline handle high impact
    implementation implication important improve improvement in-depth include including
    information insight interdisciplinary introduction investigate investigation issue key large
    latest leading leverage leveraging limitation literature low main major mechanism meta method
    methodological methodology metric modern multiple new novel optimal optimise optimization
    optimize option overview paradigm particular perspective possible potential practical practice
    present principle problem process pros cons proven recent recommendation recommended relate
    related relevant report research result review role scalable significance significant solution
    specific standard state-of-the-art step strategy strength study summary survey systematic
    technical technique technology today tool top topic trend tutorial understand
    understanding various weakness work"""
_FILLER = frozenset(stem(stem(word)) for word in _SAID.split())
_OPERATOR = re.compile(r"(?<!\w)-?(?:site|inurl|intitle|intext|filetype|before|after|lang):\S+")
_EXCLUDED = re.compile(r"(?<!\S)-\w\S*")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_BOOLEAN = re.compile(r"\b(?:AND|OR|NOT|NEAR)\b")
_TOKEN = re.compile(r"[^\s,;:!?\"“”„«»()\[\]{}<>/|。，、；：？！（）「」『』]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


def simpler(query: str) -> str:
    """`query` in at most four words, or "" when nothing simpler can be said."""
    text = _OPERATOR.sub(" ", query)
    text = _BOOLEAN.sub(" ", _EXCLUDED.sub(" ", _BRACKETS.sub(" ", text)))
    tokens = _distinct(token.strip(".'’-–—*+~^") for token in _TOKEN.findall(text))
    core = [token for token in tokens if _carries(token)] or tokens
    kept = _best(core)
    short = " ".join(kept)
    return short if words(short) and words(short) != words(query) else ""


def _carries(token: str) -> bool:
    """Whether a token names something: no stopword, no filler, no year."""
    low = token.lower()
    # Twice: `practices` folds to `practice`, and that one further.
    if low in STOPWORDS or stem(stem(low)) in _FILLER or _YEAR.fullmatch(token):
        return False
    return has_cjk(token) or len(token) > 1 or token.isdigit()


def _best(tokens: list[str]) -> list[str]:
    """Names before other words, earlier before later, in the order of the query."""
    ranked = sorted(range(len(tokens)), key=lambda at: (not _names(tokens, at), at))
    return [tokens[at] for at in sorted(ranked[:MAX_WORDS])]


def _names(tokens: list[str], at: int) -> bool:
    """Whether a token is written like a name; the first of a sentence need not be one."""
    token = tokens[at]
    written = any(character.isupper() or character.isdigit() for character in token[1:])
    return written or (at > 0 and token[:1].isupper())


def _distinct(tokens: Iterable[str]) -> list[str]:
    seen: dict[str, str] = {}
    for token in tokens:
        if token:
            seen.setdefault(stem(token.lower()), token)
    return list(seen.values())
