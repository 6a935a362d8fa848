"""Keeps the pages that a report was checked against, so that it can be checked years later."""

from __future__ import annotations

import logging

from leadline.errors import BadInput, SourceLost, StoreBroken
from leadline.kit.documents import documents
from leadline.kit.stores import open_snapshots
from leadline.settings import Settings
from leadline.types import AgentResponse, Hit, Page

log = logging.getLogger(__name__)


def quoted_pages(response: AgentResponse) -> dict[str, int]:
    """The hash of every page that the report was checked against, with the source it is of."""
    claims = (*response.claims, *response.dropped)
    quotes = [claim.quote for claim in claims if claim.quote]
    quotes += [quote for dispute in response.disputes for quote in (dispute.one, dispute.other)]
    spans = [(quote.page, quote.source) for quote in quotes]
    spans += [(ground.page, ground.source) for ground in response.grounds]
    return {page: source for page, source in spans if page}


async def keep_cited(settings: Settings, response: AgentResponse) -> None:
    """Keep the documents that a report quotes beside the web pages, and never drop either.

    The answer matters more than its proof later on: a full disk is told to the log only.
    """
    pages = quoted_pages(response)
    if not pages:
        return
    try:
        snapshots = open_snapshots(settings)
        for source in response.sources:
            if source.type == "document":
                page = await fetch_document(settings, source.location)
                if page is not None and page.hash in pages:
                    snapshots.keep(page)
        snapshots.cite(response.run_id, pages)
    except StoreBroken as error:
        log.warning("the pages that %s cites are not kept: %s", response.run_id, error)


async def fetch_document(settings: Settings, location: str) -> Page | None:
    """A document as its index has it; None when it is no longer there."""
    try:
        return await documents(settings).fetch(Hit(location, "", "", kind="document"))
    except (SourceLost, BadInput):
        return None
