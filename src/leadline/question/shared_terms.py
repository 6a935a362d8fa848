"""Terms: the words that several documents have beside what a question is about.

How and why are told by the pages on the subject, not by those that they name; what they share is
what the subject is talked of with, and another page on it will say it too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache

from leadline.rank.name_links import Ranked
from leadline.rank.names import fold
from leadline.rank.passage_words import Rarity, reading, stems_of
from leadline.text.sentences import sentences
from leadline.text.words import STOPWORDS, stem

PASSAGES = 15  # how many of the best passages are read for terms
_SHORTEST = 4
_LEAST = 2  # documents that must have a term: what one says alone may be its own business
_MANY = 3  # and that have those which come first
_TOKEN = re.compile(r"[^\W\d_][\w-]*[^\W_]")


def terms(about: Sequence[str], held: Sequence[Ranked], known: frozenset[str]) -> list[str]:
    """What the sentences about `about` have in common and `known` stems lack, best first."""
    rarity = Rarity.within([reading(one.held.title, one.held.text) for one in held])
    wanted = frozenset(about)
    whole = rarity.total(wanted) or 1.0
    worth: defaultdict[str, float] = defaultdict(float)
    documents: defaultdict[str, set[str]] = defaultdict(set)
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in held[:PASSAGES]:
        nearest: dict[str, float] = {}
        for stems, written in _sentences(one.held.title, one.held.text):
            near = rarity.total(wanted & stems) / whole
            for key, form in written:
                forms[key][form] += 1
                nearest[key] = max(nearest.get(key, 0.0), near)
        for key, near in nearest.items():
            worth[key] += near * near
            documents[key].add(one.held.key)
    shared = (key for key in worth if len(documents[key]) >= _LEAST and worth[key])
    # What is never written small is a name, or the button of a page.
    new = (key for key in shared if known.isdisjoint([key, *stems_of(key)]) and _small(forms[key]))
    best = sorted(
        new, key=lambda key: (len(documents[key]) < _MANY, -worth[key] * rarity.of(key), key)
    )
    return [_small(forms[key]) for key in best]


@lru_cache(maxsize=4096)  # every round looks at all that was found until then
def _sentences(
    title: str, text: str
) -> tuple[tuple[frozenset[str], tuple[tuple[str, str], ...]], ...]:
    """Of each sentence its stems, with those of the title, and its longer words: stem and form."""
    head = stems_of(title)
    return tuple(
        (frozenset([*head, *stems_of(said.text)]), _longer(fold(said.text)))
        for said in sentences(text)
    )


def _longer(text: str) -> tuple[tuple[str, str], ...]:
    found = (token for token in _TOKEN.findall(text) if len(token) >= _SHORTEST)
    return tuple((stem(one.lower()), one) for one in found if one.lower() not in STOPWORDS)


def _small(forms: Counter[str]) -> str:
    """The form without capitals that is written most often, or nothing."""
    small = [form for form in forms if form.islower()]
    return max(small, key=lambda form: (forms[form], form), default="")
