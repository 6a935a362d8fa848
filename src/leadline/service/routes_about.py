"""Routes about the service itself, and those that look without a run."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from leadline.codec import dumped
from leadline.errors import LeadlineError
from leadline.kit import uses_web
from leadline.service.asked import settled
from leadline.service.desk import Desk
from leadline.service.docs import POLICY, errors, model_of, page
from leadline.service.refusals import Refused
from leadline.service.routes_runs import AtDesk, By
from leadline.service.wire import TASK_SHAPE, Check, EstimateRequest, Health, Ready, SearchAnswer
from leadline.session import estimate
from leadline.settings import Settings, check_task
from leadline.types import Estimate

router = APIRouter()
FREE_MB = 50
_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}}
}


@router.get(
    "/search",
    tags=["search"],
    summary="Search without a run",
    responses=errors(400, 401, 403, 422, 429, 500, 502, 503),
)
async def search(
    desk: AtDesk,
    caller: By,
    q: Annotated[
        str,
        Query(
            min_length=1,
            max_length=2000,
            description="What to look for.",
            json_schema_extra={"pattern": TASK_SHAPE},
        ),
    ],
    k: Annotated[int, Query(ge=1, le=50, description="How many results.")] = 10,
    refresh: Annotated[bool, Query(description="Search anew, not from the cache.")] = False,
) -> SearchAnswer:
    """What the providers and documents of the service find, through its cache."""
    settings = settled(desk.settings, {"refresh": True} if refresh else {})
    batch = await desk.find(settings, check_task(q), k)
    if batch.error:
        raise Refused(502, batch.error)
    return SearchAnswer(
        query=batch.query.text,
        provider=batch.provider,
        cached=batch.cached,
        hits=[dumped(hit) for hit in batch.hits],
        notes=[dumped(note) for note in batch.notes],
    )


@router.post(
    "/estimate",
    tags=["runs"],
    summary="What a run would take; nothing is asked or spent",
    response_model=model_of(Estimate),
    responses=errors(400, 401, 403, 413, 422, 500, 503),
)
async def foreseen(asked: EstimateRequest, desk: AtDesk, caller: By) -> Any:
    """From past runs like it where there are any, else from its limits."""
    settings = settled(desk.settings, asked.options())
    return dumped(await asyncio.to_thread(estimate, asked.task, settings=settings))


@router.head("/health", include_in_schema=False)  # how balancers ask
@router.get(
    "/health", tags=["service"], summary="The process answers", responses=errors(401, 403, 500)
)
async def health() -> Health:
    """Nothing is looked at; see `/ready`."""
    from leadline import __version__

    return Health(version=__version__)


@router.head("/ready", include_in_schema=False)
@router.get(
    "/ready",
    tags=["service"],
    summary="Whether runs can be begun",
    response_model=Ready,
    responses={503: {"model": Ready, "description": "Not ready."}, **errors(401, 403, 500)},
)
async def ready(desk: AtDesk) -> Response:
    """Looks at the store, the disk, and the providers and models that are set; asks none."""
    checks = await ready_checks(desk)
    told = Ready(ready=all(one.ok for one in checks), checks=checks, running=desk.running)
    status = 200 if told.ready else 503
    return Response(told.model_dump_json(), status, media_type="application/json")


@router.get(
    "/metrics",
    tags=["service"],
    summary="Metrics for Prometheus",
    response_class=Response,
    responses={**_TEXT, **errors(401, 403, 500)},
)
async def metrics(desk: AtDesk) -> Response:
    """By their names: `research_loop_duration_seconds`, `iterations_per_request` …"""
    return Response(desk.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> Response:
    """The reference, as a page."""
    return Response(
        page(request.app.openapi()),
        media_type="text/html; charset=utf-8",
        headers={"content-security-policy": POLICY},
    )


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """The reference, for programs."""
    return Response(json.dumps(request.app.openapi()), media_type="application/json")


async def ready_checks(desk: Desk) -> list[Check]:
    """What runs need, looked at."""
    checks = [await _store(desk.session.engine), _disk(desk.settings.data_dir)]
    if desk.settings.engine_url:
        fault = await desk.session.engine.fault()
        checks.append(Check(name="engine", ok=not fault, detail=fault or "runs are handed out"))
    checks += [_providers(desk.settings), _models(desk.settings)]
    if desk.closing.is_set():
        checks.append(Check(name="service", ok=False, detail="is being stopped"))
    return checks


async def _store(engine: Any) -> Check:
    try:
        await engine.list(1)
    except LeadlineError as error:
        return Check(name="store", ok=False, detail=str(error))
    return Check(name="store", ok=True, detail="runs can be read")


def _disk(folder: Path) -> Check:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
        free = shutil.disk_usage(folder).free // 1_000_000
    except OSError as error:
        return Check(name="disk", ok=False, detail=f"cannot be written: {error.strerror}")
    return Check(name="disk", ok=free >= FREE_MB, detail=f"{free} MB free")


def _providers(settings: Settings) -> Check:
    from leadline.search.registry import ready as state_of

    if not uses_web(settings):
        gone = [one.name for one in settings.docs if not one.exists()]
        said = f"gone: {', '.join(gone)}" if gone else f"{len(settings.docs)} folders"
        return Check(name="search", ok=not gone, detail=said)
    states = [state_of(name, settings.values()) for name in settings.search_providers]
    told = "; ".join(f"{one.name}: {one.why}" for one in states)
    return Check(name="search", ok=all(one.ready for one in states), detail=told)


def _models(settings: Settings) -> Check:
    from leadline.kit.minds import check_models

    try:
        check_models(settings)
    except LeadlineError as error:
        return Check(name="model", ok=False, detail=str(error))
    return Check(name="model", ok=True, detail=settings.model or "none set")
