"""Memory as a run sees it: only what may be cited again, through the snapshot of its source."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING

from leadline.errors import StoreBroken
from leadline.frozen import frozen
from leadline.rank.domains import Wanted, choose
from leadline.rank.recall import serves, speaking_of, within
from leadline.research.remember import last_seen, question_key
from leadline.text.words import content_words
from leadline.types import Hit, Page, SourceKind
from leadline.types.remembering import Finding, Kept, Lead, Note, Observation, Recall

if TYPE_CHECKING:
    from leadline.keep.memory.store import MemoryStore

TOP_K = 4
MORE = 6  # paragraphs beside those that hold findings
MAX_CHARS = 3000  # of facts that reach the prompts
PROVIDER = "memory"
_AROUND = 600  # characters before and after a quote that its passage may take in
_GOOD = 0.5  # quality of an answer that need not be looked for again
_SAID = 0.9  # share of a finding's words that its passage must have
_PLACE = 0.5  # what a lead counts as in the ranking of sources, beside a search's first result
log = logging.getLogger(__name__)

PageOf = Callable[[Finding], Awaitable[Page | None]]
"""The page that proves a finding, if it is still what it was."""


@frozen
class Terms:
    """What a run may be told: the kinds of sources it searches, which of them, and how old."""

    kinds: frozenset[SourceKind]
    wanted: Wanted
    max_age_days: float = 30.0
    recalls: bool = True  # False: it searches anew, and remembers all the same


@dataclass(slots=True)
class _Found:
    leads: list[Lead]
    facts: list[str]
    hits: list[Hit]
    pages: dict[str, tuple[Finding, Page]] = field(default_factory=dict)
    stale: int = 0
    gone: int = 0
    barred: int = 0


class RunMemory:
    """Satisfies `ports.Memory`. A memory that cannot be used never costs the run its answer."""

    def __init__(
        self, open_store: Callable[[], MemoryStore], page_of: PageOf, terms: Terms
    ) -> None:
        self._open, self._page_of, self._terms = open_store, page_of, terms
        self._store: MemoryStore | None = None
        self._opening, self._closed = Lock(), False
        self._pages: dict[tuple[str, str], Page | None] = {}

    async def recall(self, task: str, today: datetime) -> Recall:
        """What is known of `task`; nothing that is too old, changed, gone or out of bounds."""
        if not self._terms.recalls:
            return Recall()
        try:
            notes = await asyncio.to_thread(self._notes, task)
        except (StoreBroken, OSError) as error:
            log.warning("nothing is remembered: %s", error)
            return Recall(trouble=str(error))
        found = _Found([], [], [])
        for note in notes:
            await self._take(note, task, today, found)
        return Recall(
            leads=tuple(found.leads),
            facts=within(list(dict.fromkeys(found.facts)), MAX_CHARS),
            hits=tuple(dict.fromkeys([*found.hits, *_more(task, found)])),
            stale=found.stale,
            gone=found.gone,
            barred=found.barred,
        )

    async def remember(self, observation: Observation) -> Kept:
        """Hand over what a run proved; the same run only once."""
        try:
            return await asyncio.to_thread(lambda: self._opened().add(observation, once=True))
        except (StoreBroken, OSError) as error:
            log.warning("%s is not remembered: %s", observation.run_id, error)
            return Kept(trouble=str(error))

    def prepare(self) -> None:
        """Open it while there is time; what is wrong with it is told when it is needed."""
        with suppress(StoreBroken, OSError), self._opening:
            if self._store is None and not self._closed:
                self._store = self._open()

    def close(self) -> None:
        """Let go of the file."""
        with self._opening:
            self._closed = True
            if self._store is not None:
                self._store.close()

    def _opened(self) -> MemoryStore:
        with self._opening:
            if self._store is None:
                self._store = self._open()
            return self._store

    def _notes(self, task: str) -> tuple[Note, ...]:
        return self._opened().get_context(task, TOP_K)

    async def _take(self, note: Note, task: str, today: datetime, found: _Found) -> None:
        from leadline.keep.memory.rows import current

        one = note.observation
        same = question_key(one.task) == question_key(task)
        before = len(found.hits)
        held = current(one)
        for finding in held:
            if same or serves(task, finding.text, finding.title, one.task):
                await self._take_finding(finding, today, found)
        used = len(found.hits) - before
        answers = same and used == len(held) and one.quality >= _GOOD
        if used:
            seen = min((last_seen(finding) for finding in held), default=one.updated)
            score = round(note.score, 4)
            found.leads.append(Lead(one.id, one.task, seen, score, used, one.quality, answers))

    async def _page(self, finding: Finding) -> Page | None:
        """Read once for a run, which asks for many of the same."""
        key = (finding.url, finding.page)
        if key not in self._pages:
            self._pages[key] = await self._page_of(finding)
        return self._pages[key]

    async def _take_finding(self, finding: Finding, today: datetime, found: _Found) -> None:
        hit = Hit(finding.url, finding.title, finding.quote, kind=finding.kind)
        allowed = choose([replace(hit, published=finding.published)], self._terms.wanted)[0]
        if finding.kind not in self._terms.kinds or not allowed:
            found.barred += 1
        elif _age(finding, today) > self._terms.max_age_days:
            found.stale += 1
        elif (page := await self._page(finding)) is None or not _stands(finding, page):
            found.gone += 1
        else:
            found.hits.append(
                _hit(finding, page, *_paragraph(page.text, finding.start, finding.end))
            )
            found.pages.setdefault(page.hash, (finding, page))
            disputed = " (another source disagrees)" if finding.standing == "disputed" else ""
            found.facts.append(_fact(finding, found.hits[-1]) + disputed)


def _age(finding: Finding, today: datetime) -> float:
    """Days since the finding was last read in its source; one without a date is too old."""
    try:
        seen = datetime.fromisoformat(last_seen(finding))
    except ValueError:
        return float("inf")
    if seen.tzinfo is None:
        seen = seen.replace(tzinfo=today.tzinfo)
    return (today - seen).total_seconds() / 86_400


def _stands(finding: Finding, page: Page) -> bool:
    """Whether the words are where they were said to be."""
    return page.hash == finding.page and page.text[finding.start : finding.end] == finding.quote


def _fact(finding: Finding, hit: Hit) -> str:
    """What a finding says; its quote where the passage does not say it by itself: a claim may be
    put together from two sources, and nothing in a prompt could prove it then."""
    own, said = set(content_words(finding.text)), set(content_words(f"{hit.title} {hit.text}"))
    return finding.text if len(own & said) >= _SAID * len(own) else finding.quote


def _more(task: str, found: _Found) -> list[Hit]:
    """Other paragraphs of the same pages that speak of the task, the best first."""
    scored = [
        (-share, finding, page, start, end)
        for finding, page in found.pages.values()
        for start, end, share in speaking_of(task, page.title or finding.title, page.text)
    ]
    scored.sort(key=lambda one: one[0])
    return [_hit(finding, page, start, end) for _, finding, page, start, end in scored[:MORE]]


def _hit(finding: Finding, page: Page, start: int, end: int) -> Hit:
    return Hit(
        url=finding.url,
        title=finding.title,
        text=page.text[start:end],
        provider=PROVIDER,
        kind=finding.kind,
        score=_PLACE,
        page=finding.page,
        start=start,
        end=end,
        published=finding.published,
    )


def _paragraph(text: str, start: int, end: int) -> tuple[int, int]:
    """The paragraph round a quote; where it is too long, the quote alone on that side."""
    before = text.rfind("\n\n", max(0, start - _AROUND), start)
    after = text.find("\n\n", end, end + _AROUND)
    first = before + 2 if before >= 0 else (0 if start <= _AROUND else start)
    last = after if after >= 0 else (len(text) if len(text) - end <= _AROUND else end)
    return first, last
