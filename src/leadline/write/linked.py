"""Answers made of single sentences: those that lead to one another, the sides of a comparison, and
so many items as were asked for."""

from __future__ import annotations

from leadline.question.analyse import Question
from leadline.question.entities import entities
from leadline.rank.linked_sentences import Field, Scored
from leadline.values import replace

MOST = 3  # sentences of an answer
NEAR = 0.5  # of the best score; below it a sentence says little to the question


def leading_sentences(question: Question, field: Field) -> str | None:
    """The best sentence with the one that leads to it or follows from it; of things compared the
    best about each. None where there is no sentence to quote."""
    if not field.sentences:
        return None
    order = field.ranked(question)
    firsts = _sides(question, field, order[0]) if question.compared else [order[0]]
    if not question.compared and order[0].via < 0:
        firsts += [one for one in order if one.via == order[0].place][:1]
    places: list[int] = []
    for one in firsts:
        new = [place for place in (one.via, one.place) if place >= 0]
        new = [p for p in new if not any(field.repeats(p, other) for other in places)]
        if len(places) + len(new) <= MOST:
            places += new
    return " ".join(_quoted(field, place) for place in places)


def items_asked_for(question: Question, field: Field) -> str | None:
    """As many sentences as items were asked for, each about something that no other is about."""
    if not field.sentences:
        return None
    order = field.ranked(question, linked=False)
    seen: set[str] = set()
    chosen: list[int] = []
    for one in order:
        text = field.sentences[one.place].text
        named = [name.lower() for name in entities(text)]
        new = next((name for name in named if name not in question.text.lower()), "")
        repeated = any(field.repeats(one.place, other) for other in chosen)
        if one.score >= NEAR * order[0].score and not repeated and (not new or new not in seen):
            seen.add(new)
            chosen.append(one.place)
    lines = [_quoted(field, place) for place in chosen[: question.wanted]]
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1)) or None


def _sides(question: Question, field: Field, best: Scored) -> list[Scored]:
    """A sentence about both, which is worth most, or else the best about each side."""
    said = field.sentences[best.place].words
    firsts = [best] if all(said & set(part.words) for part in question.parts) else []
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
        firsts.append(field.ranked(narrow)[0])
    return firsts


def _quoted(field: Field, place: int) -> str:
    one = field.sentences[place]
    return f"{one.text} [{one.source}]"
