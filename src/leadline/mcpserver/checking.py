"""Checks one claim against a text, a document, a web page or the sources of a run."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from leadline.errors import BadInput, SourceLost
from leadline.guard.removed_spans import clean
from leadline.kit import embedder
from leadline.kit.stores import open_snapshots
from leadline.mcpserver.desk import Desk
from leadline.mcpserver.guarding import page_passed
from leadline.types import AgentResponse, Claim, Hit, Page, Passage

MOST_CHARS = 400_000  # about two seconds of one core
MOST_CLAIM_CHARS = 2_000
RUNS = "leadline://runs/"
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


async def verify(desk: Desk, claim: str, text: str, source: str) -> tuple[Claim, str]:
    """What the text or the source says of the claim, and the name of what it was checked on."""
    said = " ".join(claim.split())
    if not any(character.isalnum() for character in said):
        raise BadInput("the claim is empty; give one sentence to check")
    if len(said) > MOST_CLAIM_CHARS:
        raise BadInput(
            f"the claim has {len(said):,} characters, at most {MOST_CLAIM_CHARS:,}; "
            "check one sentence at a time"
        )
    if bool(text.strip()) == bool(source.strip()):
        raise BadInput("give either the text to check against or a source, not both")
    if text.strip():
        return await _prove(said, _parts(Page("", "", text))), "text"
    where = source.strip()
    if where.startswith(RUNS):
        return await _of_run(desk, said, where)
    page = await _page(desk, where)
    if not (parts := _parts(page)):
        raise SourceLost(f"nothing of {where} may be quoted: it reads like instructions")
    proven = await _prove(said, parts, {1: page.title} if page.title else {})
    return proven, page.url or where


async def _page(desk: Desk, where: str) -> Page:
    if _ADDRESS.match(where):
        return await (await desk.web()).fetcher.fetch(Hit(where, "", "", kind="web"))
    return await page_passed(await _document(desk, where), desk.settings)


async def _document(desk: Desk, where: str) -> Page:
    docs = await desk.docs()
    try:
        return await docs.fetch(Hit(where, "", "", kind="document"))
    except SourceLost:
        if "#" not in where:
            raise
    page, _, _ = await docs.locate(where)
    return page


async def _of_run(desk: Desk, claim: str, where: str) -> tuple[Claim, str]:
    """Against everything that a run's own report was checked against."""
    run_id = where.removeprefix(RUNS).partition("/")[0]
    response = await desk.finished(run_id)
    passages = await asyncio.to_thread(_passages, desk, response)
    if not passages:
        raise BadInput(f"the sources of run {run_id} are not kept any more; name one by itself")
    titles = {one.id: one.title for one in response.sources}
    return await _prove(claim, passages, titles, cited=False), f"{RUNS}{run_id}"


def _passages(desk: Desk, response: AgentResponse) -> list[Passage]:
    snapshots = open_snapshots(desk.settings)
    pages = {ground.page: snapshots.get(ground.page) for ground in response.grounds}
    return [
        Passage(one.source, kept.page.text[one.start : one.end], one.page, one.start, one.end)
        for one in response.grounds
        if (kept := pages[one.page]) is not None
    ]


def _parts(page: Page) -> list[Passage]:
    """The page without what may not be quoted from it."""
    text = page.text[:MOST_CHARS]
    return [
        Passage(1, text[start:end], page.hash, start, end)
        for start, end in clean(text, 0, len(text), page.barred)
    ]


async def _prove(
    claim: str,
    passages: Sequence[Passage],
    titles: dict[int, str] | None = None,
    cited: bool = True,
) -> Claim:
    from leadline.check.prover import Prover

    def prove() -> Claim:
        prover = Prover(passages, embedder(), titles or {})
        return prover.prove(claim, (1,) if cited else ()).claim

    return await asyncio.to_thread(prove)
