"""Answers made of single sentences: those that lead to one another, the sides of a comparison, and
so many items as were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leadline.ports import Embedder
from leadline.question.analyse import Question
from leadline.question.entities import entities
from leadline.rank.quotable_sentences import candidates
from leadline.rank.sentence_scores import Field, Scored, alike, concerns, measure, picked, ranked
from leadline.types import Passage
from leadline.values import replace

MOST = 3  # sentences of an answer
ITEMS_ROOM = 4000  # characters
NEAR = 0.5  # of the best score; below it a sentence says little to the question


def leading_sentences(
    question: Question, passages: Sequence[Passage], titles: Mapping[int, str], embedder: Embedder
) -> str | None:
    """The best sentence with the one that leads to it or follows from it; of things compared the
    best about each. None where there is no sentence to quote."""
    field = _field(question, passages, titles, embedder)
    if field is None:
        return None
    order = ranked(question, field)
    firsts = _sides(question, field, order, embedder) if question.compared else [order[0]]
    if not question.compared and order[0].via < 0:
        firsts += [one for one in order if one.via == order[0].place][:1]
    places: list[int] = []
    for one in firsts:
        new = [place for place in (one.via, one.place) if place >= 0]
        new = [p for p in new if not any(alike(field, p, other) for other in places)]
        if len(places) + len(new) <= MOST:
            places += new
    return " ".join(_quoted(field, place) for place in places)


def items_asked_for(
    question: Question, passages: Sequence[Passage], titles: Mapping[int, str], embedder: Embedder
) -> str | None:
    """As many sentences as items were asked for, each about something that no other is about."""
    field = _field(question, passages, titles, embedder)
    if field is None:
        return None
    order = ranked(question, field)
    near = [one for one in order if one.score >= NEAR * order[0].score and concerns(field, one)]
    best = picked(field, near, ITEMS_ROOM, 4 * question.wanted)
    seen: set[str] = set()
    chosen: list[int] = []
    for one in best:
        named = [name.lower() for name in entities(field.candidates[one.place].text)]
        new = next((name for name in named if name not in question.text.lower()), "")
        if not new or new not in seen:
            seen.add(new)
            chosen.append(one.place)
    lines = [_quoted(field, place) for place in chosen[: question.wanted]]
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1)) or None


def _field(
    question: Question, passages: Sequence[Passage], titles: Mapping[int, str], embedder: Embedder
) -> Field | None:
    found = candidates(passages, titles)
    return measure(question, found, embedder) if found else None


def _sides(
    question: Question, field: Field, order: Sequence[Scored], embedder: Embedder
) -> list[Scored]:
    """A sentence about both, which is worth most, or else the best about each side."""
    best = field.candidates[order[0].place]
    firsts = [order[0]] if all(best.words & set(part.words) for part in question.parts) else []
    for part in question.parts:
        others = {w for other in question.parts if other is not part for w in other.words}
        shared = (w for w in question.words if w not in part.words and w not in others)
        narrow = replace(
            question,
            text=part.label,
            words=(*part.words, *shared),
            names=part.names,
            expects=part.expects,
        )
        firsts.append(ranked(narrow, measure(narrow, field.candidates, embedder, field))[0])
    return firsts


def _quoted(field: Field, place: int) -> str:
    one = field.candidates[place]
    return f"{one.text} [{one.source}]"
