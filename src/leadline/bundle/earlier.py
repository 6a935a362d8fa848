"""What a finished run has to say to a later question: read from its records and kept pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from leadline.bundle.check import opinions_in, passages_of
from leadline.bundle.contents import RunFile, parts_of
from leadline.bundle.export import export, pages_in_value
from leadline.errors import BadInput
from leadline.guard.policy import screen_hit, screen_page
from leadline.kit import embedder
from leadline.kit.documents import passage_reader
from leadline.research.follow_up import (
    Stock,
    in_view_of,
    is_new,
    numbered_sources,
    passages_for,
)
from leadline.settings import Settings, doors, limits, rules
from leadline.types import Doors, Earlier, Hit, Injection, Tier
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.ports import Engine

FACTS = 8  # claims of the old report that a planner is shown
_HIT = frozenset({"url", "title", "text", "ref", "start", "end", "page"})
_PASSAGE = frozenset({"source", "text", "page", "start", "end", "section"})


async def finished_run(engine: Engine, run_id: str) -> str:
    """The id of a run that can be followed. `BadInput` when it has not finished."""
    info = await engine.info(run_id)
    if info.status != "finished":
        raise BadInput(
            f"run {run_id} is {info.status}, and only a finished run can be asked about; "
            f"go on with it first: leadline runs resume {run_id}"
        )
    return info.id


async def earlier(engine: Engine, settings: Settings, question: str) -> Earlier:
    """What the run that `settings` follows says of `question`, and what it does not."""
    from leadline.question.analyse import analyse
    from leadline.rank.answering import Ranker, unanswered
    from leadline.rank.paragraphs import paragraphs

    run_id = await finished_run(engine, settings.follows)
    content = (await export(engine, run_id, settings)).content
    response, stock = content.response, stock_of(content)
    stock, injections = await asyncio.to_thread(guarded, stock, doors(settings))
    texts = [page.text for page in stock.pages] + [hit.text for hit in stock.hits]
    new = is_new(question, texts)
    asked = in_view_of(question, response.task, new=new)
    tier = settings.tier or Tier.STANDARD
    info = await engine.info(run_id)
    passages = passages_for(
        asked, stock, rules(settings, tier), limits(settings, tier), info.created_at, embedder()
    )
    titles = {source.id: source.title for source in stock.sources}
    found = paragraphs(passages)
    ranker = Ranker(found, [0.0] * len(found), titles, embedder(), passage_reader(settings))
    return Earlier(
        run_id=run_id,
        task=response.task,
        answer=response.final_answer,
        question=asked,
        sources=stock.sources,
        passages=() if new else passages,
        missing=(asked,) if new else unanswered(analyse(asked), ranker),
        found=response.found,
        update=settings.update,
        facts=tuple(claim.text for claim in response.claims[:FACTS]),
        grounds=tuple(passages_of(content)) if settings.update else (),
        opinions=tuple(opinions_in(content.records)) if settings.update else (),
        injections=injections,
    )


def stock_of(content: RunFile) -> Stock:
    """Everything a run found and read, children and earlier runs that it followed included."""
    values = [record["value"] for record in content.records]
    pages = {kept.page.hash: kept.page for kept in content.pages}
    pages |= {page.hash: page for value in values for page in pages_in_value(value)}
    steps = [value for value in values if isinstance(value, dict | list)]
    hits = list(dict.fromkeys(hit for step in steps for hit in parts_of(step, Hit, _HIT)))
    hits += list(_inherited(content, hits))
    read = {page.url for page in pages.values()}
    others = [(hit.url, hit.title, hit.kind) for hit in hits if hit.page or hit.url in read]
    others += [(page.url, page.title, page.kind) for page in pages.values()]
    sources = numbered_sources(content.response.sources, others)
    return Stock(sources, tuple(hits), tuple(pages.values()))


def guarded(stock: Stock, at: Doors | None) -> tuple[Stock, tuple[Injection, ...]]:
    """What was found, scanned again: the earlier run may have been at ease with more than this."""
    if at is None:
        return stock, ()
    pages = tuple(screen_page(page, at) for page in stock.pages)
    hits: list[Hit] = []
    found = [one for page in pages for one in page.injections]
    for hit in stock.hits:
        passed, noted = screen_hit(hit, "documents" if hit.kind == "document" else "results", at)
        hits += passed
        found += noted
    return replace(stock, hits=tuple(hits), pages=pages), tuple(dict.fromkeys(found))


def _inherited(content: RunFile, hits: Sequence[Hit]) -> Iterator[Hit]:
    """What a run had from the one that it followed, as hits of its sources."""
    for record in content.records:
        value = record["value"]
        if record["name"] != "follow" or not isinstance(value, dict):
            continue
        where = {one["id"]: one for one in value["sources"]}
        for one in (*value["passages"], *value["grounds"]):
            source = where.get(one["source"])
            if source is None or one.keys() < _PASSAGE:
                continue
            yield Hit(
                source["url"],
                source["title"],
                one["text"],
                kind=source["kind"],
                page=one["page"],
                start=one["start"],
                end=one["end"],
                section=one["section"],
            )
