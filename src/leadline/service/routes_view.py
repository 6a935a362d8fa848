"""Routes that a person's page looks through: a run to watch or read, its plan, its kept pages."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from leadline.codec import dumped
from leadline.kit import reasoner_name
from leadline.kit.cited import quoted_pages
from leadline.kit.stores import open_snapshots
from leadline.render import outline
from leadline.service.docs import errors
from leadline.service.refusals import Refused
from leadline.service.routes_runs import AtDesk, By, RunId
from leadline.service.wire import Body, RunItem, Switch
from leadline.settings import Settings, limits
from leadline.types import Plan, Query, Quote, Tier
from leadline.values import replace

router = APIRouter()
PAGE_HASH = r"^[0-9a-f]{8,128}$"
QUERY_CHARS, MOST_QUERIES = 400, 12


class Report(BaseModel):
    """A finished report as a part of a page; `html` was made and cleaned here."""

    title: str
    html: str
    facts: str
    found: bool
    stop_reason: str
    follows: str
    sources: int
    claims: int


class View(BaseModel):
    """All that is shown of a run beside its events."""

    run: RunItem
    now: datetime
    reasoner: str
    limits: dict[str, dict[str, float]]
    reviewed: bool
    waiting: bool  # with its plan, for a person
    follows: str
    report: Report | None


class PlanForm(BaseModel):
    """A plan that waits for a person."""

    task: str
    queries: list[dict[str, str]]
    subtasks: list[str]
    tier: str


class Asked(BaseModel):
    """One query of an edited plan."""

    text: str = Field(min_length=1, max_length=QUERY_CHARS)
    intent: str = Field(default="", max_length=QUERY_CHARS)


class PlanAnswer(Body):
    """`POST /runs/{id}/plan`."""

    queries: list[Asked] = Field(default_factory=list, max_length=MOST_QUERIES)
    take: Switch = Field(default=True, description="False leaves the plan: the run stops.")


class KeptPage(BaseModel):
    """A page as it was when it was read."""

    title: str
    url: str
    read: str
    text: str


@router.get("/runs/{run_id}/view", include_in_schema=False)
async def view(run_id: RunId, desk: AtDesk, caller: By) -> View:
    """A run with its limits, and its report as a part of a page."""
    info = await desk.info(caller, run_id)
    settings = Settings.restore(info.settings, desk.settings)
    return View(
        run=RunItem.of(info),
        now=datetime.now(UTC),
        reasoner=reasoner_name(settings),
        limits={tier.value: dumped(limits(settings, tier)) for tier in Tier},
        reviewed=settings.review_plan,
        waiting=settings.review_plan and await desk.reviews.waiting(run_id) is not None,
        follows=settings.follows,
        report=await _report(desk, run_id) if info.status == "finished" else None,
    )


async def _report(desk: AtDesk, run_id: str) -> Report:
    from leadline.render.html.page import fragment

    response = await desk.session.response(run_id)

    def kept(quote: Quote) -> str:
        if not quote.page:
            return ""
        return f"/runs/{run_id}/kept/{quote.page}?at={quote.start}-{quote.end}"

    made = await asyncio.to_thread(fragment, response, kept)
    return Report(
        title=made.title,
        html=made.html,
        facts=outline.facts(response),
        found=response.found,
        stop_reason=response.stop_reason.value,
        follows=response.follows,
        sources=len(response.sources),
        claims=len(response.claims),
    )


@router.get("/runs/{run_id}/kept/{page}", include_in_schema=False)
async def kept_page(
    run_id: RunId, page: Annotated[str, Path(pattern=PAGE_HASH)], desk: AtDesk, caller: By
) -> KeptPage:
    """The stored snapshot of a page that the report was checked against; no other is shown."""
    response = await desk.finished(caller, run_id)
    if page not in quoted_pages(response):
        raise Refused(404, "this run was not checked against such a page")
    settings = desk.settings
    found = await asyncio.to_thread(lambda: open_snapshots(settings).get(page))
    if found is None:
        raise Refused(404, "that page is no longer kept")
    own = found.page
    url = own.url if own.kind == "web" else ""
    return KeptPage(title=own.title, url=url, read=own.fetched_at, text=own.text)


@router.get(
    "/runs/{run_id}/plan",
    tags=["runs"],
    summary="The plan that a run waits with",
    responses=errors(401, 403, 404, 409, 422, 500, 503),
)
async def plan(run_id: RunId, desk: AtDesk, caller: By) -> PlanForm:
    """Of a run that was begun with `review_plan`; nothing has been searched yet."""
    info = await desk.info(caller, run_id)
    waiting = await desk.reviews.waiting(run_id)
    if waiting is None:
        raise Refused(409, f"run {run_id} is {info.status} and waits for no review")
    own = waiting.plan
    return PlanForm(
        task=waiting.task,
        queries=[{"text": one.text, "intent": one.intent} for one in own.search_queries],
        subtasks=list(own.subtasks),
        tier=own.tier.value,
    )


@router.post(
    "/runs/{run_id}/plan",
    tags=["runs"],
    summary="Take the plan of a run, as it is or edited, or leave it",
    status_code=202,
    responses=errors(400, 401, 403, 404, 409, 413, 422, 500, 503),
)
async def answer_plan(run_id: RunId, asked: PlanAnswer, desk: AtDesk, caller: By) -> RunItem:
    """Without queries the plan is taken as it is."""
    await desk.info(caller, run_id)
    waiting = await desk.reviews.waiting(run_id)
    if waiting is None:
        raise Refused(409, f"run {run_id} waits for no review")
    if asked.take:
        await desk.reviews.take(run_id, waiting, _edited(waiting.plan, asked))
    else:
        await desk.reviews.leave(run_id, waiting)
    return RunItem.of(await desk.info(caller, run_id))


def _edited(plan: Plan, asked: PlanAnswer) -> Plan:
    """A query whose words stay keeps where it came from."""
    known: dict[str, Query] = {one.text: one for one in plan.search_queries}
    queries = tuple(
        known.get(one.text.strip()) or Query(one.text.strip(), one.intent) for one in asked.queries
    )
    return replace(plan, search_queries=queries) if queries else plan
