"""Extractive compression: the knowledge state as whole sentences of what was accepted.

What a `compressor` model would write, chosen instead: sentences near the task, near the rest of
the text, and unlike one another. The same input always gives the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from leadline.ports import Embedder
from leadline.text.sentences import Span, flat, is_prose, sentences

FIRST_CHARS = 1200
MAX_CHARS = 1500
FEWEST, MOST = 5, 8
RELEVANCE = 0.7  # of a sentence's worth; the rest is how central it is
SAMENESS = 0.5  # what likeness to a chosen sentence costs
TWIN = 0.9  # likeness above which a sentence only says a chosen one again
BULLET = "- "


def first(bodies: Sequence[str], max_chars: int = FIRST_CHARS) -> str:
    """The first `max_chars` characters of `bodies`, up to the last sentence that fits whole."""
    text = ""
    for body in bodies:
        before: Span | None = None
        for span in sentences(body):
            glue = _glue(body, before, span) if text else ""
            if len(text) + len(glue) + len(span.text) > max_chars:
                if text:
                    return text
                continue  # one longer than the whole state; a later one may fit
            text += glue + span.text
            before = span
    return text


def _glue(body: str, before: Span | None, span: Span) -> str:
    """What stands between two sentences: a space only inside a paragraph."""
    if before is None:
        return "\n\n"
    if before.kind != "prose" or span.kind != "prose":
        return "\n"
    return "\n\n" if "\n" in body[before.end : span.start] else " "


def merge(
    knowledge_text: str,
    new_sentences: Sequence[str],
    task: str,
    embedder: Embedder,
    max_chars: int = MAX_CHARS,
) -> str:
    """Five to eight bullet points of at most `max_chars`, from the old state and the new text."""
    room = max_chars - len(BULLET)
    told = [span.text for span in sentences(knowledge_text)] + list(new_sentences)
    lines = [line for line in dict.fromkeys(map(flat, told)) if 0 < len(line) <= room]
    lines = [line for line in lines if is_prose(line)] or lines
    if not lines:
        return ""
    chosen = sorted(_choose(lines, task, embedder, max_chars))
    return "\n".join(BULLET + lines[number] for number in chosen)


def _choose(lines: Sequence[str], task: str, embedder: Embedder, max_chars: int) -> list[int]:
    """The best lines that differ from one another; room is kept for the fewest there may be."""
    rows = embedder.embed([task, *lines])
    likeness = rows[1:] @ rows[1:].T
    start = RELEVANCE * (rows[1:] @ rows[0]) + (1 - RELEVANCE) * likeness.mean(axis=1)
    worth = start
    costs = [len(BULLET) + len(line) + 1 for line in lines]
    room = max_chars + 1  # the last line has no line end
    goal = sum(total <= room for total in accumulate(sorted(costs)[:FEWEST]))
    chosen: list[int] = []
    while len(chosen) < MOST:
        left = [int(n) for n in np.argsort(-worth, kind="stable") if worth[n] > -np.inf]
        others = max(goal - len(chosen) - 1, 0)  # for the shortest of which room is kept
        shortest = sorted((costs[n], n) for n in left)[: others + 1] if others else []
        pick = next((n for n in left if costs[n] <= room - _kept(shortest, n)), None)
        if pick is None:
            break
        chosen.append(pick)
        room -= costs[pick]
        near = likeness[:, pick]
        worth = np.where(near > TWIN, -np.inf, np.minimum(worth, start - SAMENESS * near))
        worth[pick] = -np.inf
    return chosen


def _kept(shortest: Sequence[tuple[int, int]], line: int) -> int:
    """What the shortest lines cost, all but one of them, without `line`."""
    rest = [cost for cost, number in shortest if number != line]
    return sum(rest[: len(shortest) - 1])
