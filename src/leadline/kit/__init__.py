"""Settings to tools: the only package that knows every concrete class.

Whatever a run needs is chosen and put together here; the loop sees ports.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from leadline.errors import BadInput
from leadline.kit.documents import documents, embedder, open_indexes, refuse_empty
from leadline.loop import Kit
from leadline.ports import Fetcher, Find
from leadline.settings import Settings, limits, rules
from leadline.types import AgentResponse, Tier
from leadline.wrap import beside, of

if TYPE_CHECKING:
    from leadline.observe.estimate import Asked
    from leadline.store.index import IndexReport, Progress

__all__ = [
    "embedder",
    "keep_cited",
    "open_indexes",
    "open_kit",
    "prepare",
    "reasoner_name",
    "refuse_empty",
    "uses_web",
    "what_is_asked",
]


@asynccontextmanager
async def open_kit(settings: Settings) -> AsyncIterator[Kit]:
    """The tools of a run, closed when it ends. Raises `BadInput` when nothing can be searched."""
    from leadline.reasoners.extractive import ExtractiveReasoner

    async with AsyncExitStack() as stack:
        find, fetcher = await _sources(settings, stack)
        yield Kit(
            reasoner=ExtractiveReasoner(embedder()),
            find=find,
            fetcher=fetcher,
            embedder=embedder(),
            rules={tier: rules(settings, tier) for tier in Tier},
            limits={tier: limits(settings, tier) for tier in Tier},
            tier=settings.tier,
        )


def prepare(
    settings: Settings, progress: Callable[[Progress], None] | None = None
) -> tuple[IndexReport, ...]:
    """See that there is something to search, and bring every index up to date with its folder."""
    if uses_web(settings):
        from leadline.search.registry import ready

        for name in settings.search_providers:
            state = ready(name, settings.values())
            if not state.ready:
                raise BadInput(f"the search provider {name} cannot be used: {state.why}")
    elif not settings.docs:
        raise BadInput("nothing to search: name a folder with --docs DIR, or allow the web")
    return tuple(index.update(progress) for index in open_indexes(settings))


async def _sources(settings: Settings, stack: AsyncExitStack) -> tuple[Find, Fetcher]:
    """Where to search and how to read what was found: documents, the web, or both."""
    own = documents(settings) if settings.docs else None
    if not uses_web(settings):
        assert own is not None
        return of(own), own
    from leadline.fetch.kept import FetchByKind
    from leadline.kit.web import open_web

    web_find, web_fetcher = await open_web(settings, stack)
    if own is None:
        return web_find, web_fetcher
    return beside([of(own), web_find]), FetchByKind({"document": own, "web": web_fetcher})


def keep_cited(settings: Settings, response: AgentResponse) -> None:
    """Mark the pages that a report cites, so that they are never dropped."""
    from leadline.kit.web import open_snapshots

    web = {source.id for source in response.sources if source.type == "web"}
    pages = {claim.quote.page for claim in response.claims if claim.quote and web}
    if pages:
        open_snapshots(settings).cite(response.run_id, pages)


def uses_web(settings: Settings) -> bool:
    """Whether a run may open a socket; with documents alone it may not."""
    return not settings.docs if settings.web is None else settings.web


def what_is_asked(task: str, settings: Settings) -> Asked:
    """What is known of a run before it starts; the tier as the built-in planner would choose it."""
    from leadline.observe.estimate import Asked
    from leadline.reasoners.planning import make_plan

    tier = settings.tier or make_plan(task, ()).tier
    both = "both" if settings.docs else "web"
    return Asked(
        tier=tier,
        reasoner=reasoner_name(settings),
        sources=both if uses_web(settings) else "documents",
        limits=limits(settings, tier),
        pages=rules(settings, tier).url_enrich_count,
        context_chars=settings.context_chars,
    )


def reasoner_name(settings: Settings) -> str:
    """Which reasoner will answer with these settings."""
    from leadline.reasoners.extractive import ExtractiveReasoner

    return ExtractiveReasoner.name
