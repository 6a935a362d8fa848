"""Reads the sources of a report that anybody wrote, and checks each of its claims on them.

Sources are files of the folders that are given, or addresses whose pages are kept here; nothing is
fetched. A claim that its own sources do not bear out is looked for in all the documents.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.check.claims import Part
from leadline.check.prover import Prover
from leadline.check.report import (
    CheckedClaim,
    ListedSource,
    checked_claim,
    claims_in,
    is_borne_out,
    take_apart,
)
from leadline.errors import BadInput, SourceLost
from leadline.guard.policy import screen_page
from leadline.guard.removed_spans import clean
from leadline.kit import embedder, prepare
from leadline.kit.documents import documents, refuse_empty
from leadline.kit.stores import open_snapshots
from leadline.settings import Settings, doors, load
from leadline.types import Hit, Page, Passage, Query, Verdict
from leadline.values import Value

MOST_CHARS = 2_000_000  # of a report
MOST_PAGE_CHARS = 400_000
HITS = 5  # passages that a claim is held against beside those of its sources
_EVER = 100 * 365 * 86_400.0  # seconds: a kept page may be as old as it likes


class ReportCheck(Value):
    """What came of a report: its claims in order, its sources, and those that cannot be read."""

    claims: tuple[CheckedClaim, ...]
    sources: tuple[ListedSource, ...]
    lost: tuple[str, ...] = ()

    @property
    def borne_out(self) -> bool:
        return is_borne_out(self.claims)


def check_report(
    report: str, docs: Sequence[str | Path] = (), settings: Settings | None = None, **options: Any
) -> ReportCheck:
    """Each claim of `report`, Markdown with `[n]` marks and a list of sources, with its verdict.

    `docs` are the folders and files that hold the sources. Raises `BadInput` where there is
    nothing to check, or no source can be read. Not for code with an event loop of its own.
    """
    chosen = settings or load(overrides={**options, "docs": [str(one) for one in docs]})
    return asyncio.run(check_report_text(report, chosen))


async def check_report_text(report: str, settings: Settings) -> ReportCheck:
    """The same for the documents and kept pages of `settings`."""
    if len(report) > MOST_CHARS:
        raise BadInput(f"the report has {len(report):,} characters, at most {MOST_CHARS:,}")
    body, listed = take_apart(report)
    parts = tuple(claims_in(body))
    if not parts:
        raise BadInput("the report makes no claim: there is no sentence in it to check")
    library = await _Library.opened(settings)
    library.free = 1 + max((n for part in parts for n in part.ids), default=0)
    for source in listed:
        await library.read(source)
    if not library.passages and not settings.docs:
        raise BadInput("none of its sources can be read; name their folder with --docs DIR")
    checks = await library.checked(parts)
    return ReportCheck(checks, tuple(library.sources), tuple(library.lost.values()))


@dataclass
class _Library:
    """The sources of one report: those it lists, and documents found beside them."""

    settings: Settings
    docs: Any = None
    sources: list[ListedSource] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    lost: dict[int, str] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)  # the number of each document
    free: int = 1  # a number that the report does not use, and all above it

    @classmethod
    async def opened(cls, settings: Settings) -> _Library:
        if not settings.docs:
            return cls(settings)
        offline = settings.but(web=False)
        await asyncio.to_thread(lambda: refuse_empty(offline, prepare(offline)))
        return cls(settings, documents(offline))

    async def read(self, source: ListedSource) -> None:
        """Take in a source that the report lists."""
        try:
            page = await self._page(source)
        except SourceLost as error:
            self.lost[source.id] = f"cannot be read: {error}"
            self.sources.append(source)
            return
        self.files[page.url] = source.id
        self.sources.append(ListedSource(source.id, source.title or page.title, page.url))
        at = doors(self.settings)
        page = screen_page(page, at) if at else page
        text = page.text[:MOST_PAGE_CHARS]
        self.passages += [
            Passage(source.id, text[start:end], page.hash, start, end)
            for start, end in clean(text, 0, len(text), page.barred)
        ]

    async def _page(self, source: ListedSource) -> Page:
        where = source.location
        if where.startswith(("http://", "https://")):
            kept = open_snapshots(self.settings).latest(where, _EVER)
            if kept is None:
                raise SourceLost(f"no page of {where} is kept here")
            return kept.page
        if self.docs is None:
            raise SourceLost(f"{where} is in no folder that was given")
        for name in (*_names(where), *await self._titled(source.title or where)):
            try:
                page: Page = await self.docs.fetch(Hit(name, "", "", kind="document"))
            except SourceLost:
                continue
            return page
        raise SourceLost(f"{where} is not among the documents")

    async def _titled(self, title: str) -> list[str]:
        """Documents of that name in any folder, or of that title."""
        name = Path(title).name.casefold()
        hits = await self.docs.search(Query(title), HITS)
        return [
            hit.url for hit in hits if name in (Path(hit.url).name.casefold(), hit.title.casefold())
        ]

    async def checked(self, parts: Sequence[Part]) -> tuple[CheckedClaim, ...]:
        """Each claim on its own sources; where they do not do, on all documents."""
        checks = await asyncio.to_thread(self._on_sources, parts)
        if self.docs is None:
            return checks
        open_parts = [
            part
            for part, check in zip(parts, checks, strict=True)
            if check.verdict is Verdict.NOT_FOUND
        ]
        for part in open_parts:
            for hit in await self.docs.search(Query(part.text), HITS):
                self._found(hit)
        return await asyncio.to_thread(self._on_sources, parts) if open_parts else checks

    def _found(self, hit: Hit) -> None:
        number = self.files.get(hit.url)
        if number is None:
            number = max(self.free, *(one.id + 1 for one in self.sources), 1)
            self.files[hit.url] = number
            self.sources.append(ListedSource(number, hit.title, hit.url))
        passage = Passage(number, hit.text, hit.page, hit.start, hit.end)
        if passage not in self.passages:
            self.passages.append(passage)

    def _on_sources(self, parts: Sequence[Part]) -> tuple[CheckedClaim, ...]:
        titles = {source.id: source.title for source in self.sources}
        prover = Prover(self.passages, embedder(), titles)
        return tuple(checked_claim(part, prover, self.lost) for part in parts)


def _names(where: str) -> list[str]:
    """What a document may be called in an index of its folder: the path, and its ends."""
    parts = [part for part in where.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return ["/".join(parts[at:]) for at in range(len(parts))]
