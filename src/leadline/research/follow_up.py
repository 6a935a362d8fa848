"""A question on a finished run: its pages answer first, and only what they lack is searched for.

The same stages as any run, with what the earlier one found to begin with. Sources keep their
numbers, so that what the old report cites as [2] is [2] in the new one.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from leadline.check.claims import cut, is_note
from leadline.check.verify import Asked, verify
from leadline.ports import Embedder, Run
from leadline.question.analyse import keywords
from leadline.question.entities import entities
from leadline.question.language import language
from leadline.question.planning import make_plan
from leadline.rank.word_coverage import coverage
from leadline.research.loop import Kit, drafted, finished, in_words, look, proven
from leadline.research.read import passages_of, union
from leadline.research.search import choose_sources
from leadline.research.state import begin
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import (
    AgentResponse,
    Checked,
    Citation,
    Draft,
    Earlier,
    Hit,
    Limits,
    Page,
    Passage,
    Rules,
    Source,
    SourceKind,
    Stop,
)
from leadline.values import replace
from leadline.write.wordings import phrases

Recall = Callable[[str], Awaitable[Earlier]]
"""What an earlier run has to say to a question."""

COVERED = 0.6  # share of an open part's words that a new claim must have to close it
LEAD_CHARS = 500  # of a page that no hit speaks for, to rank it by
_FEW = 2  # words of its own that a question needs to be understood alone
_SHORT = 6  # words; in a longer question, or one with names, "it" is something it says itself
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|he|she|him|his|her|this|that|these|those|there|the same)\b",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(r"\s*(?:what|who)(?:'s| is| are| was| were)\b", re.IGNORECASE)
_HEADING = re.compile(r"^(#{1,5}) ", re.MULTILINE)


async def follow(task: str, kit: Kit, run: Run, recall: Recall) -> AgentResponse:
    """Answer `task` from what an earlier run read; only what that lacks is searched for.

    With `update` the answer is the earlier report with the new findings in it.
    """
    return await in_words(task, kit, run, lambda words: _followed(words, kit, run, recall))


async def _followed(task: str, kit: Kit, run: Run, recall: Recall) -> AgentResponse:
    earlier = await run.step("follow", recall, task)
    thinker = kit.reasoner if earlier.missing else kit.plain or kit.reasoner
    wanted = ". ".join(earlier.missing) or earlier.question
    plan = await run.step("plan", thinker.plan, wanted, run.started, earlier.facts)
    whole = make_plan(earlier.question, ())  # what is missing does not say how to answer
    plan = replace(
        plan,
        tier=kit.tier or plan.tier,
        subtasks=(),
        task_type=whole.task_type,
        language=whole.language,
        wanted_items=whole.wanted_items,
    )
    limits, rules = kit.limits[plan.tier], kit.rules[plan.tier]
    run.limit(limits)
    state = begin(earlier.question, plan, limits, run.started)
    state = replace(state, sources=earlier.sources, injections=earlier.injections)
    if not earlier.missing:  # there is nothing to search for
        enough = Stop.SUFFICIENT
        state = replace(state, stop_reason=enough, sufficient=True, confidence=1.0, gaps=())
    found = await look(state, rules, kit, run)
    found = replace(found, passages=with_earlier(found.passages, earlier.passages))
    state, checked = await proven(found, await drafted(found, kit, run), kit, run)
    passages = found.passages
    if earlier.update:
        passages = with_earlier(passages, earlier.grounds)
        state = replace(state, task=earlier.task, plan=replace(plan, wanted_items=0))
        args = (checked, task, earlier, passages, state.sources, kit.embedder)
        checked = await run.last_step("update", update_report, *args)
    response = await finished(state, checked, passages, kit, run)
    title = earlier.task if earlier.update else task
    return replace(response, task=title, follows=earlier.run_id)


def with_earlier(passages: Sequence[Passage], earlier: Sequence[Passage]) -> tuple[Passage, ...]:
    """All passages, the earlier ones first, no text of a page twice."""
    pages: dict[tuple[int, str], list[Passage]] = {}
    for passage in (*earlier, *passages):
        pages.setdefault((passage.source, passage.page), []).append(passage)
    return tuple(passage for spans in pages.values() for passage in union(spans))


# ── the question ────────────────────────────────────────────────────────────────────────────


def is_new(question: str, texts: Iterable[str]) -> bool:
    """Whether not one of these texts has a single word of what `question` is about."""
    own = set(content_words(question))
    return bool(own) and not any(own & set(content_words(text)) for text in texts)


def in_view_of(question: str, earlier: str, *, new: bool = False) -> str:
    """`question` as it can be understood alone: one that points back gets what it points at.

    "What is QUIC?" points nowhere, nor does "what is parking" where that is `new`.
    """
    own = content_words(question)
    if _WHAT_IS.match(question) and (new or entities(question)):
        return question
    points = len(own) <= _SHORT and not entities(question) and _PRONOUN.search(question)
    if len(own) >= _FEW and not points:
        return question
    about = [word for word in keywords(earlier) if not set(content_words(word)) <= set(own)]
    return f"{question} ({' '.join(about)})" if about else question


# ── what the earlier run had ────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Stock:
    """What a run found: its numbered sources, its hits, and the pages that it read."""

    sources: tuple[Source, ...]
    hits: tuple[Hit, ...]
    pages: tuple[Page, ...]


def numbered_sources(
    cited: Sequence[Citation], others: Iterable[tuple[str, str, str]]
) -> tuple[Source, ...]:
    """The cited sources with their numbers; the others, by address, title and kind, after them."""
    sources = {
        canonical(one.location): Source(
            one.id, one.location, one.title, one.type, one.author, one.published, one.accessed
        )
        for one in cited
    }
    numbers = count(max((source.id for source in sources.values()), default=0) + 1)
    for url, title, kind in others:
        if canonical(url) not in sources:
            held: SourceKind = "document" if kind == "document" else "web"
            sources[canonical(url)] = Source(next(numbers), url, title, held)
    return tuple(sources.values())


def passages_for(
    question: str, stock: Stock, rules: Rules, limits: Limits, started: datetime, embedder: Embedder
) -> tuple[Passage, ...]:
    """What the old pages say of the new question: chosen as they would be if just read."""
    known = {canonical(source.url) for source in stock.sources}
    found = {canonical(hit.url) for hit in stock.hits}
    alone = [
        Hit(page.url, page.title, page.text[:LEAD_CHARS], kind=page.kind)
        for page in stock.pages
        if canonical(page.url) not in found
    ]
    hits = tuple(hit for hit in (*stock.hits, *alone) if canonical(hit.url) in known)
    state = begin(question, make_plan(question, ()), limits, started)
    state = choose_sources(replace(state, search_results=hits, sources=stock.sources))
    return passages_of(state, stock.pages, rules, embedder)


# ── the old report, updated ─────────────────────────────────────────────────────────────────


async def update_report(
    checked: Checked,
    question: str,
    earlier: Earlier,
    passages: tuple[Passage, ...],
    sources: tuple[Source, ...],
    embedder: Embedder,
) -> Checked:
    """The old report with what was found, all of it checked; parts it had left open are closed."""
    draft = Draft(_together(checked, question, earlier), found=checked.found or earlier.found)
    asked = Asked(earlier.task, language=language(earlier.task))
    again = await verify(draft, passages, embedder, sources, asked, earlier.opinions)
    return replace(again, dropped=(*checked.dropped, *again.dropped), notes=checked.notes)


def _together(checked: Checked, question: str, earlier: Earlier) -> str:
    heading = " ".join(re.sub(r"[\[\]#*_`<>|]+", " ", question).split())
    if not checked.found:
        note = phrases(language(question)).missing.format(what=heading.rstrip("?？"))
        return f"{earlier.answer}\n\n{note}"
    if not earlier.found:
        return checked.answer
    words = {word for claim in checked.claims for word in content_words(claim.text)}
    old = [unit.raw for unit in cut(earlier.answer) if not _is_closed(unit.raw, words)]
    body = _HEADING.sub(r"\1# ", checked.answer)
    return "\n".join(old).strip() + f"\n\n## {heading}\n\n{body}"


def _is_closed(raw: str, words: set[str]) -> bool:
    """Whether `raw` says that a part was not found which the new claims speak of."""
    if not is_note(raw):
        return False
    wanted = tuple(content_words(re.split(r"[:：]", raw, maxsplit=1)[-1]))
    return bool(wanted) and coverage(wanted, words, {}) >= COVERED
