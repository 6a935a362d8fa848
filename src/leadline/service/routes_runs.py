"""Routes that begin runs, look at them, follow them and end them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from starlette.responses import StreamingResponse

from leadline.render.formats import FORMATS, lacks, named, rendered
from leadline.render.words import unreached
from leadline.service.desk import Caller, Desk
from leadline.service.docs import EVENTS, STREAM, errors, model_of
from leadline.service.refusals import Refused
from leadline.service.told import START, as_data, frame, position
from leadline.service.wire import (
    RUN_ID,
    AskRequest,
    ForkRequest,
    Job,
    RunDetail,
    RunItem,
    RunList,
    RunRequest,
    SimpleRequest,
    job_of,
)
from leadline.types import AgentResponse

if TYPE_CHECKING:
    from leadline.ports import RunInfo

router = APIRouter()
# A report may style itself; it loads nothing, runs nothing and is no part of this origin.
_REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
_EVENTS = {"content": EVENTS, "description": "Events."}
_SUFFIXES = tuple(one.suffix.removeprefix(".") for one in FORMATS)


def desk_of(request: Request) -> Desk:
    """The service's desk."""
    found: Desk = request.app.state.desk
    return found


def caller_of(request: Request) -> Caller:
    """Who asks, as the guard found out."""
    found: Caller = request.state.caller
    return found


AtDesk = Annotated[Desk, Depends(desk_of)]
By = Annotated[Caller, Depends(caller_of)]
RunId = Annotated[str, Path(pattern=RUN_ID, description="The id of a run.")]
Once = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=128,
        pattern=r"^[\x21-\x7e]*$",
        description="The same key of the same caller begins one run, however often it is sent.",
    ),
]
BEGIN = errors(400, 401, 403, 409, 413, 422, 429, 500, 502, 503, 504)
LOOK = errors(401, 403, 404, 422, 500, 503)


@router.post(
    "/run",
    tags=["runs"],
    summary="Research a question",
    response_model=model_of(AgentResponse),
    responses={
        200: {"content": EVENTS},
        202: {"model": Job, "description": "With async: the run was begun."},
        **BEGIN,
    },
)
async def run(asked: RunRequest, desk: AtDesk, caller: By, once: Once = "") -> Response:
    """Answers with the verified report when the run ends; with `stream` by events, with `async` at
    once. The run goes on when the caller hangs up: see `/runs`."""
    if asked.stream and asked.async_:
        raise Refused(400, "either stream or async, not both")
    run_id = await desk.start(caller, asked.task, asked.options(), once)
    if asked.async_:
        return _begun(await desk.info(caller, run_id))
    if asked.stream:
        return _streamed(_whole(desk, run_id), run_id)
    return await _answered(desk, run_id)


@router.post(
    "/run-simple",
    tags=["runs"],
    summary="Research a question with the service's settings",
    response_model=model_of(AgentResponse),
    responses=BEGIN,
)
async def run_simple(asked: SimpleRequest, desk: AtDesk, caller: By) -> Response:
    """A question in, the verified report out."""
    return await _answered(desk, await desk.start(caller, asked.task, {}))


@router.get("/runs", tags=["runs"], summary="List your runs, the newest first", responses=LOOK)
async def runs(
    desk: AtDesk, caller: By, limit: Annotated[int, Query(ge=1, le=1000)] = 50
) -> RunList:
    """Only the caller's own; the local user of a service on loopback sees all."""
    return RunList(runs=[RunItem.of(info) for info in await desk.list(caller, limit)])


@router.get("/runs/{run_id}", tags=["runs"], summary="Show a run", responses=LOOK)
async def show(run_id: RunId, desk: AtDesk, caller: By) -> RunDetail:
    """The run with its settings, searches and steps, and its response once it is finished."""
    from leadline.observe.record import searches

    info = await desk.info(caller, run_id)
    rows = await desk.session.engine.rows(run_id)
    finished = info.status == "finished"
    response = as_data(await desk.session.response(run_id)) if finished else None
    return RunDetail(
        run=RunItem.of(info),
        settings=info.settings,
        searches=searches(rows),
        steps=[
            {"seq": row.seq, "name": row.name, "child": row.child, "elapsed": row.elapsed}
            for row in rows
        ],
        response=response,
    )


@router.get(
    "/runs/{run_id}/events",
    tags=["runs"],
    summary="Follow a run",
    response_class=StreamingResponse,
    responses={200: _EVENTS, 204: {"description": "There is nothing after that event."}, **LOOK},
)
async def events(
    run_id: RunId,
    desk: AtDesk,
    caller: By,
    last: Annotated[
        str, Header(alias="Last-Event-ID", max_length=40, description="Go on after this event.")
    ] = "",
) -> Response:
    """Server-sent events out of the journal: `step` for each finished step, `report` for each piece
    of the report, then `done` with the whole response, or `stopped`. Goes on after
    `Last-Event-ID`."""
    info = await desk.info(caller, run_id)
    after = position(last)
    if info.status == "finished" and after > START and await _seen(desk, run_id, after):
        return Response(status_code=204)
    return _streamed(_read(desk, run_id, after), run_id)


@router.get(
    "/runs/{run_id}/report.{suffix}",
    tags=["reports"],
    summary="The report in a format",
    response_class=Response,
    responses={
        200: {
            "content": {one.media_type.partition(";")[0]: {} for one in FORMATS},
            "description": "The report.",
        },
        **errors(401, 403, 404, 409, 422, 500, 501, 503),
    },
)
async def report(
    run_id: RunId,
    desk: AtDesk,
    caller: By,
    suffix: Annotated[str, Path(json_schema_extra={"enum": list(_SUFFIXES)})],
) -> Response:
    """One of md, html, pdf, docx, json, bib, ris, csl.json."""
    found = named(suffix)
    if found is None or suffix not in _SUFFIXES:
        raise Refused(404, f"no report is called so; there are {', '.join(_SUFFIXES)}")
    response = await desk.finished(caller, run_id)
    if missing := lacks(found):
        raise Refused(501, missing)
    made = await asyncio.to_thread(rendered, response, found.name)
    headers = {"content-disposition": f'inline; filename="{run_id}.{suffix}"'}
    if found.name == "html":
        headers["content-security-policy"] = _REPORT_POLICY
    return Response(made.data, media_type=found.media_type, headers=headers)


@router.get(
    "/runs/{run_id}/file.leadline",
    tags=["reports"],
    summary="The run as one file that proves it",
    response_class=Response,
    responses={
        200: {"content": {"application/zip": {}}, "description": "See docs/runfile.md."},
        **errors(401, 403, 404, 409, 422, 500, 503),
    },
)
async def run_file(run_id: RunId, desk: AtDesk, caller: By) -> Response:
    """Check it anywhere, offline: `leadline verify FILE`."""
    from leadline.bundle.contents import written

    await desk.finished(caller, run_id)
    exported = await desk.session.export(run_id)
    data = await asyncio.to_thread(written, exported.content)
    headers = {"content-disposition": f'attachment; filename="{run_id}.leadline"'}
    return Response(data, media_type="application/zip", headers=headers)


@router.delete(
    "/runs/{run_id}",
    tags=["runs"],
    summary="Cancel a run",
    responses=errors(401, 403, 404, 409, 422, 500, 503),
)
async def cancel(run_id: RunId, desk: AtDesk, caller: By) -> RunItem:
    """It stops where it is; what it has stays, and it can be resumed."""
    return RunItem.of(await desk.cancel(caller, run_id))


@router.post(
    "/runs/{run_id}/resume",
    tags=["runs"],
    summary="Go on with an unfinished run",
    status_code=202,
    responses=errors(401, 403, 404, 409, 413, 422, 429, 500, 503),
)
async def resume(run_id: RunId, desk: AtDesk, caller: By) -> Job:
    """What it did before is not done again. A finished or running one is left as it is."""
    return job_of(await desk.resume(caller, run_id))


@router.post(
    "/runs/{run_id}/finish",
    tags=["runs"],
    summary="Have the report written now, from what was found",
    status_code=202,
    responses=errors(401, 403, 404, 409, 413, 422, 429, 500, 503),
)
async def finish(run_id: RunId, desk: AtDesk, caller: By) -> Job:
    """Nothing more is searched or read; the report says so (`stop_reason` is `cancelled`). A run
    that was stopped goes on to its report."""
    return job_of(await desk.finish(caller, run_id))


@router.post(
    "/runs/{run_id}/fork",
    tags=["runs"],
    summary="Go on from a step with other settings, as a new run",
    status_code=202,
    responses=errors(400, 401, 403, 404, 409, 413, 422, 429, 500, 503),
)
async def fork(run_id: RunId, asked: ForkRequest, desk: AtDesk, caller: By) -> Job:
    """The old run stays as it is."""
    new_id = await desk.fork(caller, run_id, asked.step, asked.options())
    return job_of(await desk.info(caller, new_id))


@router.post(
    "/runs/{run_id}/ask",
    tags=["runs"],
    summary="Ask a question on a finished run",
    status_code=202,
    responses=errors(400, 401, 403, 404, 409, 413, 422, 429, 500, 503),
)
async def ask(run_id: RunId, asked: AskRequest, desk: AtDesk, caller: By) -> Job:
    """What that run read answers first; only what it lacks is searched for."""
    new_id = await desk.ask(caller, run_id, asked.question, asked.update)
    return job_of(await desk.info(caller, new_id))


# ── answers ─────────────────────────────────────────────────────────────────────────────────


def _begun(info: RunInfo) -> Response:
    job = job_of(info)
    return Response(
        job.model_dump_json(),
        202,
        media_type="application/json",
        headers={"location": job.links["run"]},
    )


async def _answered(desk: Desk, run_id: str) -> Response:
    """The report when the run has it; a run that reached no source at all has failed."""
    from leadline.render.json import as_json

    response = await desk.response(run_id)
    if not response.reached:
        raise Refused(502, unreached(response), 30.0, run_id=run_id)
    return Response(as_json(response), media_type="application/json", headers={"x-run-id": run_id})


def _streamed(chunks: AsyncIterator[bytes], run_id: str) -> Response:
    headers = {"cache-control": "no-store", "x-accel-buffering": "no", "x-run-id": run_id}
    return StreamingResponse(chunks, media_type=STREAM, headers=headers)


async def _whole(desk: Desk, run_id: str) -> AsyncIterator[bytes]:
    yield frame("run", {"run_id": run_id, "events": f"/runs/{run_id}/events"})
    async for chunk in _read(desk, run_id, START):
        yield chunk


async def _read(desk: Desk, run_id: str, after: tuple[int, int]) -> AsyncIterator[bytes]:
    desk.metrics.readers.inc()
    try:
        yield b"retry: 2000\n\n"
        async for chunk in desk.feeds.read(run_id, after, desk.settings.serve_heartbeat_s):
            yield chunk
    finally:
        desk.metrics.readers.dec()


async def _seen(desk: Desk, run_id: str, after: tuple[int, int]) -> bool:
    feed = desk.feeds.open(run_id)
    try:
        await desk.feeds.filled(run_id)
        return feed.nothing_after(after)
    finally:
        desk.feeds.leave(run_id)
