"""Writing without a model: a report of quoted sentences, the direct answer first.

Every sentence that claims something is quoted from a passage and carries its `[n]`; the rest says
what was looked for and not found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leadline.frozen import frozen
from leadline.ports import Embedder
from leadline.question.analyse import Part, Question, analyse, as_asked
from leadline.question.entities import entities
from leadline.rank.back_references import told
from leadline.rank.first_sentence import opening
from leadline.rank.is_answered import answers
from leadline.rank.quotable_sentences import Candidate, candidates
from leadline.rank.sentence_scores import Field, Scored, alike, concerns, measure, picked, ranked
from leadline.rank.word_coverage import share
from leadline.types import Citation, Draft, Passage, State, Tier
from leadline.write.wordings import phrases

_ROOM = {Tier.SIMPLE: 1000, Tier.STANDARD: 1600, Tier.DEEP: 3200}  # characters of quotes
_MOST = {Tier.SIMPLE: 8, Tier.STANDARD: 12, Tier.DEEP: 24}  # quotes
_ITEM_ROOM = 200  # more for each item asked for
_DIRECT = 3
_ENOUGH = 0.5  # of the best score; below it a sentence says little to the question
_SAME_SOURCE = 0.15  # more for a sentence of a source that the direct answer quotes
_NEAREST = 3
_STOP = re.compile(r"[.?!…。？！]+(?=\s|$)")  # in a query it would end the note that names it
_SUPPORTED = 0.6  # share of a part's words that the quoted sentences must have


@frozen
class _Group:
    heading: str
    places: tuple[int, ...]


def draft(state: State, passages: Sequence[Passage], embedder: Embedder, name: str) -> Draft:
    """The report on `state.task` from `passages`."""
    question = analyse(state.task)
    titles = {source.id: source.title for source in state.sources}
    own = {source.id for source in state.sources if source.kind == "document"}
    found = candidates(passages, titles, own)
    if not found:
        return Draft(_nothing(state, question, []), (), name, found=False)
    field = measure(question, found, embedder)
    order = ranked(question, field)
    parts = _parts(question, field, embedder)
    if not answers(question, field, order) and not any(part.answered for part in parts):
        nearest = [found[one.place] for one in picked(field, order, 900, _NEAREST)]
        text = _nothing(state, question, nearest)
        return Draft(text, _cited(state, nearest), name, found=False)
    direct, groups = _chosen(state, question, field, order, parts)
    text = _report(question, field, direct, groups, [p.asked for p in parts if not p.supported])
    shown = [*direct, *(place for group in groups for place in group.places)]
    return Draft(text, _cited(state, [found[place] for place in shown]), name)


def unanswered(
    task: str, passages: Sequence[Passage], titles: Mapping[int, str], embedder: Embedder
) -> tuple[str, ...]:
    """The parts of `task` that these passages do not answer; all of it where they answer none."""
    question = analyse(task)
    found = candidates(passages, titles)
    if not found:
        return (task,)
    field = measure(question, found, embedder)
    parts = _parts(question, field, embedder)
    if not answers(question, field, ranked(question, field)):
        if not any(part.answered for part in parts):
            return (task,)
        return tuple(part.label for part in parts if not part.answered)
    return tuple(part.label for part in parts if not part.supported)


# ── choosing ────────────────────────────────────────────────────────────────────────────────


@frozen
class _Ranked:
    """One part of a question and the candidates by how well they answer it."""

    label: str
    asked: str  # the label in the words of the question
    order: tuple[Scored, ...]
    first: Scored  # of them, which says it best
    supported: bool  # the best sentences have its words
    answered: bool  # and answer it like a question of its own


def _parts(question: Question, field: Field, embedder: Embedder) -> list[_Ranked]:
    """The parts of a question that has several; what it only describes is not one of them."""
    wanted = [part for part in question.parts if not part.inner]
    if len(wanted) < 2 or question.wanted:
        return []
    return [_ranked_part(part, question, field, embedder) for part in wanted]


def _ranked_part(part: Part, question: Question, field: Field, embedder: Embedder) -> _Ranked:
    words = part.words
    if question.compared:  # a compared thing matters in what it is compared by
        others = {w for other in question.parts if other is not part for w in other.words}
        words = (*words, *(w for w in question.words if w not in words and w not in others))
    narrow = replace(question, text=part.label, words=words, names=part.names, expects=part.expects)
    own = measure(narrow, field.candidates, embedder, field)
    order = ranked(narrow, own)
    supported = _support(part, own, [one.place for one in order[:_DIRECT]]) >= _SUPPORTED
    if part.own and not supported:
        order = _told_first(part, own, order)
        supported = _support(part, own, [order[0].place]) >= _SUPPORTED
    answered = supported and answers(narrow, own, order)
    asked = as_asked(part.label, question.text)
    first = opening(narrow, own, order)[0] if order[0].via < 0 else order[0]
    return _Ranked(part.label, asked, tuple(order), first, supported, answered)


def _told_first(part: Part, field: Field, order: Sequence[Scored]) -> list[Scored]:
    """`order`, but first a sentence that answers a part that refers back, if there is one: in the
    ranking the many words of what it refers to count for more than its own."""
    own = field.inside[:, [at for at, word in enumerate(part.words) if word in part.own]]
    said = [one for one in order if own[one.place].any()]
    best = next((one for one in said if _told(part, field, one.place) >= _SUPPORTED), None)
    return [best, *(one for one in order if one is not best)] if best else list(order)


def _support(part: Part, field: Field, places: Sequence[int]) -> float:
    """The share of the words of `part` that the candidates at `places` have."""
    if part.own:
        return max(_told(part, field, place) for place in places)
    best = field.found[list(places), : len(part.words)].max(axis=0)
    return share(best.tolist(), field.weight[: len(part.words)].tolist())


def _told(part: Part, field: Field, place: int) -> float:
    """How far a candidate answers a part that refers back to what its passage speaks of."""
    one = field.candidates[place]
    around = {w for c in field.candidates if c.passage == one.passage for w in (*c.words, *c.about)}
    return told(part, [(one.text, one.words | one.about)], around, field.together.rarity)


def _chosen(
    state: State,
    question: Question,
    field: Field,
    order: Sequence[Scored],
    parts: Sequence[_Ranked],
) -> tuple[list[int], list[_Group]]:
    """The places of the direct answer, and the rest under headings."""
    tier = state.plan.tier
    room = _ROOM[tier] + _ITEM_ROOM * question.wanted
    most = max(_MOST[tier], question.wanted)
    if question.wanted:
        items = _items(question, field, _rest(field, order, [], room, 4 * question.wanted))
        room -= sum(len(field.candidates[place].text) for place in items)
        return items, _by_source(field, _rest(field, order, items, room, most))
    by_part = {part.asked: part.order for part in parts if part.supported}
    firsts = [part.first for part in parts if part.supported]
    direct = _direct(question, field, order, firsts)
    room -= sum(len(field.candidates[place].text) for place in direct)
    if len(by_part) > 1:
        return direct, _by_part(field, by_part, order, direct, (room, most))
    return direct, _by_source(field, _rest(field, order, direct, room, most))


def _direct(
    question: Question,
    field: Field,
    order: Sequence[Scored],
    of_parts: Sequence[Scored],
) -> list[int]:
    """The best sentences, with what leads to them or follows from them, and the best of parts."""
    best = order[0]
    firsts = [best]
    if question.compared:  # a sentence about both is worth most
        both = all(field.candidates[best.place].words & set(p.words) for p in question.parts)
        firsts = [best] if both else []
    elif question.hops and best.via < 0:
        firsts += [one for one in order if one.via == best.place][:1]
    elif best.via < 0:
        firsts = opening(question, field, order)
    places: list[int] = []
    for one in [*firsts, *of_parts]:
        new = [place for place in (one.via, one.place) if place >= 0]
        new = [p for p in new if not any(alike(field, p, other) for other in places)]
        if len(places) + len(new) <= _DIRECT:
            places += new
    return places


def _rest(
    field: Field, order: Sequence[Scored], taken: Sequence[int], room: int, most: int
) -> list[int]:
    """What else belongs in the report: near the best in score, and unlike what is there."""
    sources = {field.candidates[place].source for place in taken[:_DIRECT]}
    enough = _ENOUGH * order[0].score

    def worth(one: Scored) -> float:
        return one.score + _SAME_SOURCE * (field.candidates[one.place].source in sources)

    left = [
        one
        for one in sorted(order, key=worth, reverse=True)
        if worth(one) >= enough
        and concerns(field, one)
        and not any(alike(field, one.place, other) for other in taken)
    ]
    places: dict[int, None] = {}
    for one in picked(field, left, room, most - len(taken)):
        places |= {place: None for place in (one.via, one.place) if place >= 0}
    return [place for place in places if place not in taken]


def _items(question: Question, field: Field, places: Sequence[int]) -> list[int]:
    """As many as were asked for, best first, each about something that no other is about."""
    seen: set[str] = set()
    chosen: list[int] = []
    for place in places:
        said = [name.lower() for name in entities(field.candidates[place].text)]
        new = next((name for name in said if name not in question.text.lower()), "")
        if new and new in seen:
            continue
        seen.add(new)
        chosen.append(place)
    return chosen[: question.wanted]


def _by_part(
    field: Field,
    by_part: dict[str, tuple[Scored, ...]],
    order: Sequence[Scored],
    direct: Sequence[int],
    limits: tuple[int, int],
) -> list[_Group]:
    """Each part in turn gets its share of the room; what is left goes to the whole question."""
    room, most = limits
    taken = list(direct)
    groups: list[_Group] = []
    share = max(room // (len(by_part) + 1), 250)
    for label, scored in by_part.items():
        places = _rest(field, scored, taken, share, len(taken) + max(most // len(by_part), 2))
        taken += places
        groups.append(_Group(label, tuple(_reading_order(field, places))))
    used = sum(len(field.candidates[place].text) for place in taken)
    if room - used > 0:
        groups += _by_source(field, _rest(field, order, taken, room - used, most))
    return [group for group in groups if group.places]


def _by_source(field: Field, places: Sequence[int]) -> list[_Group]:
    """Under the title of the source, best source first."""
    grouped: dict[str, list[int]] = {}
    for place in places:
        one = field.candidates[place]
        grouped.setdefault(one.title or one.section or "…", []).append(place)
    return [_Group(title, tuple(_reading_order(field, some))) for title, some in grouped.items()]


def _reading_order(field: Field, places: Sequence[int]) -> list[int]:
    def key(place: int) -> tuple[int, int]:
        return field.candidates[place].passage, field.candidates[place].at

    return sorted(places, key=key)


# ── printing ────────────────────────────────────────────────────────────────────────────────


def _report(
    question: Question,
    field: Field,
    direct: Sequence[int],
    groups: Sequence[_Group],
    missing: Sequence[str],
) -> str:
    say = phrases(question.language)
    quotes = [_quoted(field.candidates[place]) for place in direct]
    lines = [" ".join(quotes)]
    if question.wanted:
        lines = [f"{number}. {quote}" for number, quote in enumerate(quotes, 1)]
    for group in groups:
        lines += ["", f"## {as_heading(group.heading)}", ""]
        lines += [f"- {_quoted(field.candidates[place])}" for place in group.places]
    for label in missing:
        lines += ["", say.missing.format(what=as_heading(label))]
    if len(direct) < question.wanted:
        lines += ["", say.fewer.format(found=len(direct), wanted=question.wanted)]
    return "\n".join(lines).strip()


def _nothing(state: State, question: Question, nearest: Sequence[Candidate]) -> str:
    say = phrases(question.language)
    queries = "; ".join(_STOP.sub("", query.text) for query in state.asked) or "–"
    lines = [f"_{say.nothing}_", "", f"_{say.tried.format(queries=queries)}_"]
    if nearest:
        lines += ["", f"_{say.nearest}_", "", *(f"- {_quoted(one)}" for one in nearest)]
    return "\n".join(lines)


def _quoted(one: Candidate) -> str:
    return f"{one.text} [{one.source}]"


def as_heading(label: str) -> str:
    """A label as one short line that cannot be read as markup."""
    text = re.sub(r"[\[\]#*_`<>|]+", " ", label)
    text = " ".join(text.split()).rstrip(".:?!。？！")
    if len(text) > 90:
        text = text[:90].rsplit(" ", 1)[0] + " …"
    return text[:1].upper() + text[1:]


def _cited(state: State, quoted: Sequence[Candidate]) -> tuple[Citation, ...]:
    used = {one.source for one in quoted}
    return tuple(
        Citation(source.id, source.title, source.kind, source.url)
        for source in state.sources
        if source.id in used
    )
