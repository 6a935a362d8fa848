"""Reflecting without a model: which parts no passage supports, and where the evidence leads on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from leadline.ports import Embedder
from leadline.question.analyse import Part, Question, analyse, keywords
from leadline.question.planning import of_part, other_than
from leadline.rank.evidence import answers_part, has_evidence
from leadline.rank.follow_names import bridges
from leadline.rank.name_links import Held, Ranked, rank_sources
from leadline.rank.word_coverage import coverage, rarity, relatives
from leadline.text.images import in_short
from leadline.text.sentences import sentences
from leadline.text.urls import canonical
from leadline.text.words import content_words, stem
from leadline.types import Passage, Query, Reflection, State

_SUPPORTED = 0.75  # share of a part's words that one passage must have
_SETTLED = 0.95  # and that one sentence and its title must have before the search may end
_FOLLOWED = 3  # bridge queries offered a round
_REPEATS = 0.9
_LEAST_SEARCHES = 2


@dataclass(frozen=True)
class _Text:
    """A held passage as words, and each of its sentences as words with the title."""

    words: frozenset[str]
    sentences: tuple[tuple[str, frozenset[str]], ...]


def reflection(state: State, embedder: Embedder, name: str) -> Reflection:
    """What is open and what to ask next."""
    question = analyse(state.task)
    texts = [_text(hit.title, hit.text) for hit in state.search_results]
    rare = rarity([text.words for text in texts])
    shares = [_support(part, texts, rare) for part in question.parts]
    gaps = tuple(
        part.label for part, found in zip(question.parts, shares, strict=True) if found < _SUPPORTED
    )
    return Reflection(
        sufficient=not gaps and _settled(question, texts, rare, state),
        confidence=round(sum(shares) / len(shares), 3) if shares else 0.0,
        gaps=gaps,
        new_queries=_new_queries(state, question, gaps, embedder),
        model=name,
    )


def still_open(state: State, passages: Sequence[Passage]) -> tuple[str, ...]:
    """The gaps that no sentence of the pages fills either: until then only snippets were seen."""
    parts = {part.label: part for part in analyse(state.task).parts}
    if parts.keys().isdisjoint(state.gaps):
        return state.gaps  # a model's own words for them
    titles = {source.id: source.title for source in state.sources}
    texts = [_text(titles.get(one.source, ""), one.text) for one in passages]
    rare = rarity([has for text in texts for _, has in text.sentences])
    return tuple(
        gap for gap in state.gaps if gap not in parts or not _is_told(parts[gap], texts, rare)
    )


def _is_told(part: Part, texts: Sequence[_Text], rare: dict[str, float]) -> bool:
    if part.own:
        return _support(part, texts, rare) >= _SUPPORTED
    return any(
        coverage(part.words, has, rare) >= _SUPPORTED for text in texts for _, has in text.sentences
    )


def gap_query(state: State, embedder: Embedder) -> Query | None:
    """One query that fills a gap and was not asked, or None when nothing is left."""
    question = analyse(state.task)
    gaps = state.gaps or tuple(part.label for part in question.parts)
    found = _new_queries(state, question, gaps, embedder)
    return found[0] if found else None


@lru_cache(maxsize=1024)  # every round looks at all that was found until then
def _text(title: str, text: str) -> _Text:
    head = content_words(title)
    return _Text(
        frozenset([*head, *content_words(text)]),
        tuple((s.text, frozenset([*head, *content_words(s.text)])) for s in sentences(text)),
    )


def _support(part: Part, texts: Sequence[_Text], rare: dict[str, float]) -> float:
    if part.own:
        return max(
            (answers_part(part, text.sentences, text.words, rare) for text in texts), default=0.0
        )
    return max((coverage(part.words, text.words, rare) for text in texts), default=0.0)


def _settled(
    question: Question, texts: Sequence[_Text], rare: dict[str, float], state: State
) -> bool:
    """One sentence answers each part whole. Anything less may need the next hop."""
    if len(state.asked) < _LEAST_SEARCHES or question.wanted or question.compared:
        return False
    return all(_answered(part, texts, rare) for part in question.parts)


def _answered(part: Part, texts: Sequence[_Text], rare: dict[str, float]) -> bool:
    return any(
        coverage(part.words, has, rare) >= _SETTLED
        and (part.expects not in evidence_kinds or has_evidence(part.expects, said, part.label))
        for text in texts
        for said, has in text.sentences
    )


evidence_kinds = frozenset({"person", "time", "place", "number"})


# ── what to ask next ────────────────────────────────────────────────────────────────────────


def _new_queries(
    state: State, question: Question, gaps: Sequence[str], embedder: Embedder
) -> tuple[Query, ...]:
    held = _ranked(state)
    asked = [query.text for query in state.asked]
    named = bridges(in_short(state.task), held, asked, _FOLLOWED)
    leads = [Query(text, "a name the evidence leads to", "reflect") for text in named]
    open_parts = [Query(_of_gap(gap, question), f"open: {gap}", "gap") for gap in gaps]
    # A question that names nothing seldom has a second hop: its own words come first.
    own = [*open_parts, *state.plan_queries]
    follow = [*leads, *open_parts] if question.names else [*own, *leads]
    wanted = [
        *_instead(state, question),
        *follow,
        *(
            Query(f"{name} {_asked_of(name, question)}".strip(), f"name: {name}", "gap")
            for name in question.names
        ),
    ]
    new = unasked(wanted, asked, state.task, embedder)
    forms = {query.intent: query for query in reversed(new)}  # of a failed query only the first
    return tuple(
        query
        for query in new
        if forms[query.intent] == query or not query.intent.startswith("instead of: ")
    )


def _of_gap(gap: str, question: Question) -> str:
    part = next((part for part in question.parts if part.label == gap), None)
    return of_part(part, question) if part else " ".join(keywords(gap))


def _ranked(state: State) -> list[Ranked]:
    held = [
        Held(canonical(hit.url), hit.title, hit.text, hit.score) for hit in state.search_results
    ]
    return rank_sources(state.task, held)


def _asked_of(name: str, question: Question) -> str:
    said = set(name.lower().split())
    return next((w for w in reversed(question.keywords) if w.lower() not in said), "")


def _instead(state: State, question: Question) -> list[Query]:
    """Other forms of each failed query: fewer of its words, those that the sources know first;
    related words; what the question says beside it."""
    known = {word for hit in state.search_results for word in content_words(hit.text)}
    return [
        Query(form, f"instead of: {failed}", "reflect")
        for failed in state.failed_queries
        for form in _forms(failed, known, question)
    ]


def _forms(query: str, known: set[str], question: Question) -> list[str]:
    parts = list(dict.fromkeys(query.split()))
    order = sorted(parts, key=lambda word: (stem(word.lower()) not in known, -len(word)))
    fewer = [[word for word in parts if word in order[:size]] for size in (4, 2)]
    context = [word for word in question.keywords if word.lower() not in query.lower().split()]
    return [
        *(" ".join(some) for some in fewer if len(some) < len(parts)),
        " ".join(next(iter(relatives(word)), word) for word in parts),
        " ".join([*order[:1], *context[:3]]),
        f"{order[0]} overview" if order else "",
    ]


def unasked(
    wanted: Iterable[Query], asked: Sequence[str], task: str, embedder: Embedder
) -> tuple[Query, ...]:
    """`wanted` without repeats of what was asked or of one another: same words, or nearly so."""
    offered = [Query(other_than(task, one.text), one.intent, one.origin) for one in wanted]
    texts = [*asked, *(query.text for query in offered)]
    if not texts:
        return ()
    vectors = embedder.embed(texts)
    near = vectors @ vectors.T
    keys = [frozenset(content_words(text)) for text in texts]
    held = list(range(len(asked)))
    kept: list[Query] = []
    for place, query in enumerate(offered, len(asked)):
        repeats = any(keys[place] == keys[h] or near[place, h] > _REPEATS for h in held)
        if keys[place] and not repeats:
            kept.append(query)
            held.append(place)
    return tuple(kept)
