"""What a model is shown: findings, leads, limits and passages, as sections of a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from leadline.ports import Embedder
from leadline.text.chunk import best_pieces
from leadline.text.sentences import sentences
from leadline.text.tokens import Counter
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import Hit, Passage, State, Stop
from leadline.values import replace
from leadline.write.prompt_fit import Section, numbered, section, share_out

SHOWN_CHARS = 500  # of a source, to reflection
LATEST = 5  # sources of the last round that reflection sees whatever their rank
LEAST_TOKENS = 250  # of a passage, to the writer; with less room fewer are shown
MOST_BULLETS = 8
TOLD = 0.9  # share of a lead's words that a source must have to say it
_NUMBER = re.compile(r"-?\d+")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_EARLY = {
    Stop.MAX_TIME: "Time ran out before the search was done.",
    Stop.TOKEN_BUDGET: "The budget of tokens ran out before the search was done.",
    Stop.MAX_COST: "The money ran out before the search was done.",
    Stop.DEGRADED: "Most searches failed: what was found is partial.",
}


def found_so_far(state: State, embedder: Embedder) -> Section:
    """The sources a report would be written from now, best first, and what the last round found.

    Each is shown by what serves the task. Without the last round a model could not tell whether
    its own queries found anything.
    """
    hits = _first_hits(state)
    order = list(dict.fromkeys([*state.kept, *_latest(state)]))
    order = [number for number in order if number in hits]
    pieces = [
        numbered(number, hits[number].title, _gist(hits[number], state, embedder))
        for number in order
    ]
    return Section("findings", tuple(pieces), share=4.0, empty="(nothing yet)")


def _first_hits(state: State) -> dict[int, Hit]:
    numbers = {canonical(source.url): source.id for source in state.sources}
    found: dict[int, Hit] = {}
    for hit in state.search_results:
        found.setdefault(numbers[canonical(hit.url)], hit)
    return found


def _latest(state: State) -> list[int]:
    """The sources numbered last: those that the last searches added."""
    newest = sorted((source.id for source in state.sources), reverse=True)
    return newest[:LATEST]


def _gist(hit: Hit, state: State, embedder: Embedder) -> str:
    if len(hit.text) <= SHOWN_CHARS:
        return hit.text
    return _chosen(hit.text, state, SHOWN_CHARS, embedder)


def _chosen(text: str, state: State, chars: int, embedder: Embedder) -> str:
    pieces = best_pieces(text, state.task, chars, embedder, state.plan.knowledge_gaps)
    return "\n\n".join(piece.text for piece in pieces)


# ── for the writer ──────────────────────────────────────────────────────────────────────────


def sources_shown(
    state: State, passages: Sequence[Passage], room: int, counter: Counter, embedder: Embedder
) -> Section:
    """The passages by id, best last. Where they do not fit, each gives what serves the task."""
    titles = {source.id: source.title for source in state.sources}
    pieces = [
        numbered(one.source, titles.get(one.source, ""), one.text, one.section)
        for one in fitted(passages, room, counter, state, embedder)
    ]
    return Section("passages", tuple(pieces), edges=True, empty="(none)")


def fitted(
    passages: Sequence[Passage], room: int, counter: Counter, state: State, embedder: Embedder
) -> list[Passage]:
    """The passages, or of as many sources as can be the parts that serve the task."""
    weights = [counter.weigh(one.text) for one in passages]
    if sum(weights) <= room:
        return list(passages)
    ranked = _one_of_each_first(passages)[: max(3, room // LEAST_TOKENS)]
    weights = [counter.weigh(one.text) for one in ranked]
    allowed = share_out(float(room), weights, [1.0] * len(ranked))
    shown: list[Passage] = []
    for one, weight, given in zip(ranked, weights, allowed, strict=True):
        chars = int(len(one.text) * given / weight) if weight else 0
        text = one.text if given >= weight else _chosen(one.text, state, chars, embedder)
        if text:
            shown.append(replace(one, text=text))
    return shown


def _one_of_each_first(passages: Sequence[Passage]) -> list[Passage]:
    """The first passage of every source, then the second of each, and so on."""
    seen: dict[int, int] = {}
    places: list[tuple[int, int]] = []
    for at, passage in enumerate(passages):
        seen[passage.source] = seen.get(passage.source, 0) + 1
        places.append((seen[passage.source], at))
    return [passages[at] for _, at in sorted(places)]


def lead_lines(state: State, passages: Sequence[Passage] = ()) -> Section:
    """What is known from earlier runs and no source of this one says: leads, never sources.

    What a source says is left to it: here it would take room twice, and have no number to cite.
    """
    told: dict[int, set[str]] = {}
    for one in passages:
        told.setdefault(one.source, set()).update(content_words(one.text))
    open_ = [fact for fact in state.known_facts if not _is_told(fact, told.values())]
    return section("leads", *open_, share=0.5)


def _is_told(fact: str, told: Iterable[set[str]]) -> bool:
    words = set(content_words(fact))
    return any(len(words & one) >= TOLD * len(words) for one in told)


def limits_of(state: State) -> Section:
    """What kept the search from being better."""
    said = [_EARLY[state.stop_reason]] if state.stop_reason in _EARLY else []
    if state.degraded and state.stop_reason is not Stop.DEGRADED:
        said.append(_EARLY[Stop.DEGRADED])
    said += [f"Nothing was found for: {query}" for query in state.failed_queries[:5]]
    return section("limits", *said, share=0.5, empty="(nothing)")


# ── free answers ────────────────────────────────────────────────────────────────────────────


def as_bullets(text: str, max_chars: int, *, cut: bool = False) -> str:
    """A free answer as bullet points of whole sentences within `max_chars`; "" when none fits."""
    lines = [_BULLET.sub("", line).strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.endswith(":")]
    if cut and lines:
        spans = sentences(lines[-1])
        lines[-1] = lines[-1][: spans[-2].end] if len(spans) > 1 else ""
    kept: list[str] = []
    room = max_chars
    for line in filter(None, lines[:MOST_BULLETS]):
        bullet = f"- {line}"
        if len(bullet) + 1 <= room:
            kept.append(bullet)
            room -= len(bullet) + 1
    return "\n".join(kept)


def first_number(text: str) -> int | None:
    """The first whole number, held to 0–10 (G4)."""
    found = _NUMBER.search(text)
    return min(max(int(found.group()), 0), 10) if found else None
