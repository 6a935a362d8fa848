"""Runs and their reports as resources."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import Resource

from leadline.errors import BadInput, LeadlineError, RunNotFound
from leadline.mcpserver.desk import Desk
from leadline.mcpserver.shaping import report_uri
from leadline.ports import RunInfo
from leadline.render.formats import FORMATS, Format, lacks, render
from leadline.render.safe import one_line

if TYPE_CHECKING:
    from mcp.server import MCPServer

T = TypeVar("T")

LISTED = 20  # reports that a client is shown; any other is read by its address
MOST = 500
_STATUSES = ("running", "interrupted", "queued", "finished", "failed", "cancelled")
_TEXT = ("text/", "json", "bibtex", "research-info")


def add_reports(server: MCPServer[Any], desk: Desk) -> None:
    """The list of runs, one run, and its report in every format that can be written here."""

    async def runs(status: str = "", limit: str = "50") -> str:
        return await _told(desk, _runs(desk, status, limit))

    async def all_runs() -> str:
        return await runs()

    async def run(run_id: str) -> str:
        return await _told(desk, _run(desk, run_id))

    about = "Runs, the newest first, as JSON"
    json_type = "application/json"
    server.resource("leadline://runs", name="runs", description=about, mime_type=json_type)(
        all_runs
    )
    server.resource(
        "leadline://runs{?status,limit}",
        name="runs_filtered",
        description=f"{about}; status is one of {', '.join(_STATUSES)}",
        mime_type=json_type,
    )(runs)
    server.resource(
        "leadline://runs/{run_id}",
        name="run",
        description="How far a run is, as JSON",
        mime_type=json_type,
    )(run)
    for one in FORMATS:
        if not lacks(one):
            server.resource(
                f"leadline://runs/{{run_id}}/report{one.suffix}",
                name=f"report_{one.name}",
                description=f"The report of a finished run as {one.name}",
                mime_type=one.media_type.partition(";")[0],
            )(_reader(desk, one))


def _reader(desk: Desk, one: Format) -> Callable[[str], Awaitable[str | bytes]]:
    async def report(run_id: str) -> str | bytes:
        async def made() -> bytes:
            response = await desk.finished(run_id)
            return await asyncio.to_thread(render, response, one.name)

        data = desk.hidden(await _told(desk, made()))
        return data.decode("utf-8") if any(t in one.media_type for t in _TEXT) else data

    return report


async def _told(desk: Desk, work: Awaitable[T]) -> T:
    try:
        return await work
    except RunNotFound as error:
        raise ResourceNotFoundError(desk.hidden.text(str(error))) from error
    except LeadlineError as error:
        raise ResourceError(desk.hidden.text(str(error))) from error


async def _runs(desk: Desk, status: str, limit: str) -> str:
    if status and status not in _STATUSES:
        raise BadInput(f"status is one of {', '.join(_STATUSES)}; got {status[:40]!r}")
    if not limit.isascii() or not limit.isdigit() or not 1 <= int(limit[:9]) <= MOST:
        raise BadInput(f"limit is a number from 1 to {MOST}; got {limit[:40]!r}")
    found = await desk.access.list(MOST if status else int(limit))
    kept = [info for info in found if not status or info.status == status][: int(limit)]
    return _json([_shown(info) for info in kept])


async def _run(desk: Desk, run_id: str) -> str:
    return _json(_shown(await desk.access.info(run_id)))


def _shown(info: RunInfo) -> dict[str, Any]:
    finished = info.status == "finished"
    return {
        "run_id": info.id,
        "question": info.task,
        "status": info.status,
        "stop_reason": info.stop_reason,
        "reason": info.reason,
        "steps": info.steps,
        "created_at": info.created_at.isoformat(),
        "updated_at": info.updated_at.isoformat(),
        "resumable": info.unfinished,
        "report": report_uri(info.id) if finished else "",
    }


def _json(found: object) -> str:
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


async def reports_of(desk: Desk) -> list[Resource]:
    """The reports of the caller's newest finished runs."""
    found = await desk.access.list(2 * LISTED)
    return [
        Resource(
            uri=report_uri(info.id),
            name=f"report {info.id}",
            title=one_line(info.task, 80),
            description="The report of a finished run",
            mime_type="text/markdown",
        )
        for info in found
        if info.status == "finished"
    ][:LISTED]
