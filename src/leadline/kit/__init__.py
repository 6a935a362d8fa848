"""Settings to tools: the only package that knows every concrete class.

Whatever a run needs is chosen and put together here; the loop sees ports.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.errors import BadInput
from leadline.kit.cited import keep_cited
from leadline.kit.documents import documents, embedder, open_indexes, refuse_empty
from leadline.kit.eyes import open_look
from leadline.kit.memory import open_memory, remembering
from leadline.kit.minds import (
    billed,
    check_agent,
    check_models,
    decide,
    open_minds,
    price,
    reasoner_name,
    unasked,
)
from leadline.kit.stores import open_engine
from leadline.ports import Fetcher, Find, Helm, Memory, Pilot, Run
from leadline.research.loop import Kit
from leadline.search.policies import from_provider, merged
from leadline.settings import Settings, agent_steps, doors, limits, rules
from leadline.types import Batch, Query, Sources, Tier
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.documents import IndexReport, Progress
    from leadline.observe.estimate import Asked

DEPTH = 4  # times the results of a search of the web

__all__ = [
    "billed",
    "check_agent",
    "decide",
    "embedder",
    "keep_cited",
    "open_engine",
    "open_indexes",
    "open_kit",
    "prepare",
    "reasoner_name",
    "refuse_empty",
    "refuse_unfit",
    "refuse_unknown_providers",
    "uses_web",
    "what_is_asked",
]


@asynccontextmanager
async def open_kit(settings: Settings, run: Run | None = None) -> AsyncIterator[Kit]:
    """The tools of a run, closed when it ends. Raises `BadInput` when nothing can be searched.

    Without a `run` no model is asked: there is nobody to pay for it.
    """
    async with AsyncExitStack() as stack:
        sources = _guarded(await _sources(settings, stack), settings)
        minds = await open_minds(settings, run, stack)
        memory = open_memory(settings, stack, uses_web(settings))
        yield Kit(
            reasoner=minds.reasoner,
            find=sources.find,
            fetcher=sources.fetcher,
            embedder=embedder(),
            rules={tier: rules(settings, tier) for tier in Tier},
            limits={tier: limits(settings, tier) for tier in Tier},
            tier=settings.tier,
            long=settings.long,
            look=open_look(settings, stack, minds.till),
            plain=minds.plain,
            bill=minds.bill,
            judge=minds.judge,
            helm=_helm(settings, minds.pilot, sources),
            editing=minds.editing,
            memory=_watched(memory, settings),
            doors=doors(settings),
        )


def prepare(
    settings: Settings, progress: Callable[[Progress], None] | None = None
) -> tuple[IndexReport, ...]:
    """See that there is something to search, and bring every index up to date with its folder."""
    refuse_unfit(settings)
    return tuple(index.update(progress) for index in open_indexes(settings))


def refuse_unfit(settings: Settings) -> None:
    """Raises `BadInput` where no run with these settings could begin; reads and sends nothing."""
    check_models(settings)
    if settings.no_model or not uses_web(settings):  # else one may yet be found
        check_agent(settings)
    if settings.frozen and (settings.refresh or not settings.cache):
        other = "refresh asks anew" if settings.refresh else "the cache is off (cache = false)"
        raise BadInput(
            f"frozen answers from the cache alone, and {other}: nothing could be searched; "
            "leave out one of the two"
        )
    if uses_web(settings):
        from leadline.search.registry import load, ready

        for name in settings.search_providers:
            load(name)
            state = ready(name, settings.values())
            if not state.ready:
                raise BadInput(f"the search provider {name} cannot be used: {state.why}")
    elif not settings.docs:
        raise BadInput("nothing to search: name documents with --docs PATH, or allow the web")
    else:
        refuse_unknown_providers(settings)


def refuse_unknown_providers(settings: Settings) -> None:
    """Raises `BadInput` for a name that no search provider has, also where none is asked."""
    if settings.search_providers == Settings.declared["search_providers"].default:
        return
    from leadline.search.registry import entry

    for name in settings.search_providers:
        entry(name)


def _deep(find: Find) -> Find:
    """A search that brings more: passages of documents cost nothing to read, and are ranked."""

    async def deeper(query: Query, k: int) -> Batch:
        return await find(query, DEPTH * k)

    return deeper


@dataclass(frozen=True)
class _Sources:
    """What is searched, whole and by its parts, and what reads the results."""

    find: Find
    fetcher: Fetcher
    docs: Find | None = None
    web: Find | None = None


def _helm(settings: Settings, pilot: Pilot | None, sources: _Sources) -> Helm | None:
    if pilot is None:
        return None
    steps = {tier: agent_steps(settings, tier) for tier in Tier}
    return Helm(pilot, steps, sources.docs, sources.web)


async def _sources(settings: Settings, stack: AsyncExitStack) -> _Sources:
    """Where to search and how to read what was found: documents, the web, or both."""
    own = documents(settings) if settings.docs else None
    if not uses_web(settings):
        assert own is not None
        return _Sources(_deep(from_provider(own)), own, docs=from_provider(own))
    from leadline.kit.web import open_web

    web_find, web_fetcher = await open_web(settings, stack)
    if own is None:
        return _Sources(web_find, web_fetcher, web=web_find)
    from leadline.web.fetch import PagesByKind

    fetcher = PagesByKind({"document": own, "web": web_fetcher})
    docs = from_provider(own)
    return _Sources(merged([docs, web_find]), fetcher, docs, web_find)


def _guarded(sources: _Sources, settings: Settings) -> _Sources:
    """The sources with every door watched; pages that memory leads to come through one as well."""
    sources = replace(sources, fetcher=remembering(settings, sources.fetcher))
    at = doors(settings)
    if at is None:
        return sources
    from leadline.guard.gate import GuardedFetcher, guarded_find

    return _Sources(
        guarded_find(sources.find, at),
        GuardedFetcher(sources.fetcher, at),
        sources.docs and guarded_find(sources.docs, at),
        sources.web and guarded_find(sources.web, at),
    )


def _watched(memory: Memory | None, settings: Settings) -> Memory | None:
    """The memory with its door watched."""
    at = doors(settings)
    if memory is None or at is None:
        return memory
    from leadline.guard.gate import GuardedMemory

    return GuardedMemory(memory, at)


def uses_web(settings: Settings) -> bool:
    """Whether a run may open a socket; with documents alone it may not."""
    return not settings.docs if settings.web is None else settings.web


def what_is_asked(task: str, settings: Settings) -> Asked:
    """What is known of a run before it starts; the tier as the built-in planner would choose it."""
    from leadline.observe.estimate import Asked
    from leadline.question.planning import make_plan

    settings = unasked(settings, uses_web(settings))
    plan = make_plan(task, ())
    tier = settings.tier or plan.tier
    web: Sources = "both" if settings.docs else "web"
    return Asked(
        tier=tier,
        reasoner=reasoner_name(settings),
        sources=web if uses_web(settings) else "documents",
        limits=limits(settings, tier),
        pages=rules(settings, tier).url_enrich_count,
        context_chars=settings.context_chars,
        price=price(settings),
        revise=settings.revise,
        parts=len(plan.subtasks) if settings.subtasks == "auto" else 0,
        agent=settings.agent,
    )
