"""Headings as questions: what a person might type who has not read the manual."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable

from training.passages import Passage

MOST_PAGES = 4  # a heading on more pages than these says where it stands, not what is told there

_ASKING = re.compile(
    r"^(?:how|what|why|when|where|who|which|can|could|do|does|is|are|should|i )\b", re.I
)
_WAYS = ("{}", "{}", "about {}", "help with {}", "explain {}")


def spread_headings(passages: Iterable[Passage]) -> set[str]:
    """The headings that stand on many pages: synopsis, examples, see also."""
    pages = {(name, passage.page) for passage in passages for name in passage.headings}
    counts = Counter(name.lower() for name, _ in pages)
    return {name for name, count in counts.items() if count > MOST_PAGES}


def asks(heading: str) -> bool:
    """Whether a heading is a question already, as in lists of frequent ones."""
    return bool(_ASKING.match(heading)) and len(heading.split()) > 3


def heading_question(headings: tuple[str, ...], draw: random.Random) -> str:
    """One of the ways to ask for what stands under the last of these headings."""
    question = headings[-1].strip(" .:")
    if not asks(question):
        question = draw.choice(_WAYS).format(question)
        if len(headings) > 1 and draw.random() < 0.5:
            question = f"{question} {draw.choice(('in', 'with', 'of', 'for'))} {headings[0]}"
    return _worn(question, draw)


def _worn(question: str, draw: random.Random) -> str:
    """As people type: often in small letters, with or without a mark, now and then a word less."""
    words = question.rstrip("?").split()
    if len(words) > 4 and draw.random() < 0.3:
        del words[draw.randrange(2, len(words))]
    text = " ".join(words)
    text = text if draw.random() < 0.3 else text.lower()
    return text + "?" if draw.random() < 0.5 else text
