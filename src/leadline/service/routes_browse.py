"""Routes for whoever looks around: all runs with what they cost, memory, quarantine, cache, doctor.

Memory and cache are the machine's own: only its local user sees them.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from leadline.errors import LeadlineError
from leadline.observe.estimate import past_records
from leadline.service.desk import Caller
from leadline.service.refusals import Refused
from leadline.service.routes_about import ready_checks
from leadline.service.routes_runs import AtDesk, By
from leadline.service.wire import Check, RunItem
from leadline.settings import Settings

router = APIRouter(include_in_schema=False)
LISTED = 500
SHOWN_CHARS = 400
Kept = Annotated[str, Path(pattern=r"^[0-9A-Za-z_-]{8,128}$")]


@router.get("/browse/runs")
async def runs(
    desk: AtDesk,
    caller: By,
    search: Annotated[str, Query(max_length=200)] = "",
    state: Annotated[str, Query(pattern=r"^[a-z]{0,20}$")] = "",
) -> dict[str, Any]:
    """The newest runs, with what each found and cost where it has ended."""
    found = await desk.list(caller, LISTED)
    wanted = search.casefold().split()
    chosen = [
        info
        for info in found
        if (not state or info.status == state)
        and all(word in f"{info.task} {info.id}".casefold() for word in wanted)
    ]
    records = await asyncio.to_thread(past_records, desk.settings.data_dir)
    by_id = {record.get("run_id"): record for record in records}
    told = [_told(RunItem.of(info), by_id.get(info.id) or {}) for info in chosen]
    return {"runs": told, "all": len(found)}


def _told(item: RunItem, record: dict[str, Any]) -> dict[str, Any]:
    usage = record.get("usage") or {}
    tokens = usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
    return item.model_dump(mode="json") | {
        "seconds": record.get("active_seconds"),
        "searches": usage.get("searches"),
        "pages": usage.get("pages"),
        "tokens": tokens if usage else None,
        "cost": usage.get("cost"),
        "sources": len(record["sources"]) if "sources" in record else None,
        "claims": len(record["claims"]) - record.get("dropped", 0) if "claims" in record else None,
    }


@router.get("/browse/memory")
async def memory(
    desk: AtDesk, caller: By, search: Annotated[str, Query(max_length=400)] = ""
) -> dict[str, Any]:
    """What earlier runs left behind, the newest first, or the nearest to some words."""
    _only_local(caller)

    def look() -> dict[str, Any]:
        with _memory(desk.settings) as store:
            if search.strip():
                found = [note.observation for note in store.get_context(search, 20)]
            else:
                found = list(store.listed(LISTED))
            return {"rows": [_observation(one) for one in found], "all": store.count()}

    return await asyncio.to_thread(look)


@router.get("/browse/quarantine")
async def quarantine(desk: AtDesk, caller: By) -> dict[str, Any]:
    """What was refused entry into memory, and why."""
    _only_local(caller)

    def look() -> dict[str, Any]:
        with _memory(desk.settings) as store:
            rows = [
                {"id": one.id, "why": one.why, "at": one.at, "task": one.observation.task[:400]}
                for one in store.quarantine()
            ]
        return {"rows": rows, "all": len(rows)}

    return await asyncio.to_thread(look)


@router.delete("/browse/memory/{kept}")
async def forget(kept: Kept, desk: AtDesk, caller: By) -> dict[str, Any]:
    """Delete what one run left behind, for good."""
    return {"gone": await _with_memory(desk, caller, lambda store: store.forget([kept]))}


@router.post("/browse/quarantine/{kept}/release")
async def release(kept: Kept, desk: AtDesk, caller: By) -> dict[str, Any]:
    """Let into memory what was refused; a person has read it."""
    await _with_memory(desk, caller, lambda store: store.release(kept))
    return {"released": 1}


@router.delete("/browse/quarantine/{kept}")
async def drop(kept: Kept, desk: AtDesk, caller: By) -> dict[str, Any]:
    """Delete what was refused."""
    await _with_memory(desk, caller, lambda store: store.drop(kept))
    return {"gone": 1}


async def _with_memory(desk: AtDesk, caller: Caller, do: Callable[[Any], Any]) -> Any:
    _only_local(caller)

    def change() -> Any:
        with _memory(desk.settings) as store:
            return do(store)

    return await asyncio.to_thread(change)


@router.get("/browse/cache")
async def cache(desk: AtDesk, caller: By) -> dict[str, Any]:
    """How many searches and pages are kept."""
    from leadline.kit.stores import open_snapshots
    from leadline.kit.web import open_cache

    _only_local(caller)
    kept = open_cache(desk.settings)
    try:
        stats = await kept.stats()
    finally:
        await kept.close()
    pages = await asyncio.to_thread(lambda: open_snapshots(desk.settings).stats())
    times = {name: _time(getattr(stats, name)) for name in ("oldest", "newest")}
    return {"searches": asdict(stats) | times, "pages": asdict(pages)}


@router.get("/browse/doctor")
async def doctor(desk: AtDesk, caller: By) -> dict[str, Any]:
    """Is everything here that a question needs. Nobody outside is asked."""
    from leadline.search.registry import readiness

    settings = desk.settings
    checks = [Check(name="python", ok=True, detail=sys.version.split()[0])]
    checks += await ready_checks(desk)
    try:
        decided, why = await desk.session.settled()
        said = f"{decided.model or 'built in: every sentence is a quotation'} ({why})"
        checks.append(Check(name="reasoner", ok=True, detail=said))
    except LeadlineError as error:
        checks.append(Check(name="reasoner", ok=False, detail=str(error)))
    providers = readiness(settings.values())
    return {
        "checks": [one.model_dump() for one in checks],
        "providers": [{"name": one.name, "ok": one.ready, "detail": one.why} for one in providers],
    }


def _only_local(caller: Caller) -> None:
    if not caller.local:
        raise Refused(403, "only the local user of this machine sees its memory and cache")


def _memory(settings: Settings) -> Any:
    from contextlib import closing

    from leadline.kit.memory import open_store

    return closing(open_store(settings))


def _observation(one: Any) -> dict[str, Any]:
    return {
        "id": one.id,
        "task": one.task[:SHOWN_CHARS],
        "type": one.type.value,
        "findings": [finding.text[:SHOWN_CHARS] for finding in one.findings[:20]],
        "count": len(one.findings),
        "quality": one.quality,
        "updated": one.updated or one.created,
        "run_id": one.run_id,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else ""
