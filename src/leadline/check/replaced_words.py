"""A word in the place of another: a claim that repeats a sentence but for one word that means
something else ("a soft rock" for "a volcanic rock")."""

from __future__ import annotations

from collections.abc import Set
from difflib import SequenceMatcher

from leadline.check.anchors import folded
from leadline.text.words import STOPWORDS, stem, words

ALIKE = 0.6  # of the claim's words, in the source's order
LONGEST = 24  # words of a claim: a longer one says more than one thing
_MOST = 2  # words that stand for each other
# Before a describing word. Verbs are left alone: most that differ ("took", "won") mean the same.
_DESCRIBED = frozenset("a an the is are was were be been its their his her very most".split())  # noqa: SIM905


def supplanted(claim: str, source: str, strange: Set[str]) -> tuple[str, str] | None:
    """A word of `claim` whose stem is `strange` to the page, where `source`, otherwise alike, has
    another."""
    ours, theirs = words(folded(claim)), words(folded(source))
    if len(ours) > LONGEST or not strange:
        return None
    steps = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    same = sum(end - start for kind, start, end, _, _ in steps if kind == "equal")
    if same < ALIKE * len(ours):
        return None
    for kind, start, end, at, till in steps:
        if kind != "replace" or max(end - start, till - at) > _MOST:
            continue
        mine = [
            ours[place]
            for place in range(max(start, 1), end)
            if stem(ours[place]) in strange and ours[place - 1] in _DESCRIBED
        ]
        other = [word for word in theirs[at:till] if word not in STOPWORDS and word not in ours]
        if mine and other:
            return mine[0], other[0]
    return None
