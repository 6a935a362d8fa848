"""Memory as a run sees it: leads, each checked against the page that proved it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from leadline.errors import StoreBroken
from leadline.keep.findings import last_seen
from leadline.rank.domains import Wanted, choose
from leadline.rank.recall import serves, within
from leadline.types import Finding, Hit, Kept, Lead, Note, Observation, Page, Recall, SourceKind
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.keep.memory import MemoryStore

TOP_K = 4
MAX_CHARS = 3000  # of facts that reach the prompts
PROVIDER = "memory"
_AROUND = 600  # characters before and after a quote that its passage may take in
_GOOD = 0.5  # quality of an answer that need not be looked for again
_PLACE = 0.5  # what a lead counts as in the ranking of sources, beside a search's first result
log = logging.getLogger(__name__)

PageOf = Callable[[Finding], Awaitable[Page | None]]
"""The page that proves a finding, if it is still what it was."""


@dataclass(frozen=True)
class Terms:
    """What a run may be told: the kinds of sources it searches, which of them, and how old.

    A search is saved only by an answer younger than `fresh_s`, and never where there are documents:
    to search them costs nothing, and shows what was added, changed or removed since.
    """

    kinds: frozenset[SourceKind]
    wanted: Wanted
    max_age_days: float = 30.0
    fresh_s: float = 86_400.0
    recalls: bool = True  # False: it searches anew, and remembers all the same


class RunMemory:
    """Satisfies `ports.Memory`. A memory that cannot be used never costs the run its answer."""

    def __init__(
        self, open_store: Callable[[], MemoryStore], page_of: PageOf, terms: Terms
    ) -> None:
        self._open, self._page_of, self._terms = open_store, page_of, terms

    async def recall(self, task: str, today: datetime) -> Recall:
        """What is known of `task`; nothing that is too old, changed, gone or out of bounds."""
        if not self._terms.recalls:
            return Recall()
        try:
            notes = await asyncio.to_thread(lambda: self._store.get_context(task, TOP_K))
        except (StoreBroken, OSError) as error:
            log.warning("nothing is remembered: %s", error)
            return Recall(trouble=str(error))
        leads, facts, hits = [], list[str](), list[Hit]()
        for note in notes:
            proven = [pair async for pair in self._proven(note.observation, task, today)]
            if proven:
                leads.append(self._lead(note, len(proven), task, today))
            facts += [_fact(finding) for finding, _ in proven]
            # A document is searched in any case, and then found with what is newest.
            hits += [_hit(finding, page) for finding, page in proven if finding.kind == "web"]
        facts = list(dict.fromkeys(facts))
        return Recall(tuple(leads), within(facts, MAX_CHARS), tuple(dict.fromkeys(hits)))

    async def remember(self, observation: Observation) -> Kept:
        """Hand over what a run proved; the same run only once."""
        try:
            return await asyncio.to_thread(lambda: self._store.add(observation))
        except (StoreBroken, OSError) as error:
            log.warning("%s is not remembered: %s", observation.run_id, error)
            return Kept(trouble=str(error))

    def close(self) -> None:
        """Let go of the file."""
        if "_store" in vars(self):
            self._store.close()

    @cached_property
    def _store(self) -> MemoryStore:
        return self._open()

    async def _proven(
        self, one: Observation, task: str, today: datetime
    ) -> AsyncIterator[tuple[Finding, Page]]:
        """The findings that serve the task and may be used, each with the page that proves it."""
        same = _wording(one.task) == _wording(task)
        for finding in one.current:
            if same or serves(task, finding.text, finding.title, one.task):
                page = await self._page_of(finding) if self._may_use(finding, today) else None
                if page is not None and _stands(finding, page):
                    yield finding, page

    def _may_use(self, finding: Finding, today: datetime) -> bool:
        hit = Hit(finding.url, finding.title, finding.quote, kind=finding.kind)
        return (
            finding.kind in self._terms.kinds
            and _age_s(last_seen(finding), today) <= 86_400 * self._terms.max_age_days
            and bool(choose([replace(hit, published=finding.published)], self._terms.wanted)[0])
        )

    def _lead(self, note: Note, used: int, task: str, today: datetime) -> Lead:
        """An observation as the run is told of it; whether it `answers`, so that the very same
        question need not be searched for again."""
        one = note.observation
        seen = min(last_seen(finding) for finding in one.current)
        same = _wording(one.task) == _wording(task)
        complete = used == len(one.current) and one.quality >= _GOOD
        fresh = _age_s(seen, today) <= self._terms.fresh_s
        answers = same and complete and fresh and self._terms.kinds == {"web"}
        return Lead(one.id, one.task, seen, round(note.score, 4), used, one.quality, answers)


def _wording(task: str) -> str:
    return " ".join(task.casefold().split())


def _age_s(seen: str, today: datetime) -> float:
    """Seconds since then; what has no date is too old."""
    try:
        at = datetime.fromisoformat(seen)
    except ValueError:
        return float("inf")
    return (today - (at if at.tzinfo else at.replace(tzinfo=today.tzinfo))).total_seconds()


def _stands(finding: Finding, page: Page) -> bool:
    """Whether the words are where they were said to be."""
    return page.hash == finding.page and page.text[finding.start : finding.end] == finding.quote


def _fact(finding: Finding) -> str:
    disputed = " (another source disagrees)" if finding.standing == "disputed" else ""
    return finding.quote + disputed


def _hit(finding: Finding, page: Page) -> Hit:
    start, end = _paragraph(page.text, finding.start, finding.end)
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
