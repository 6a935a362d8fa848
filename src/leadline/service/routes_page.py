"""The page itself, what it may offer, and the files that are dropped on it."""

from __future__ import annotations

import asyncio
import hashlib
import re
from functools import cache
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from leadline.codec import dumped
from leadline.kit import uses_web
from leadline.page import FOLDER
from leadline.render.formats import FORMATS, lacks
from leadline.service.docs import errors
from leadline.service.refusals import Refused
from leadline.service.routes_runs import AtDesk, By
from leadline.service.uploads import Upload, keep
from leadline.settings import limits
from leadline.types import Tier

router = APIRouter()
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types leadline"
)
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@router.get("/", include_in_schema=False)
async def page(request: Request) -> Response:
    """The page. What it shows is in its query: `?run=ID`."""
    return _sent(request, "index.html")


@router.get("/page/{name}", include_in_schema=False)
async def part(
    request: Request, name: Annotated[str, Path(pattern=r"^[a-z]+\.(css|js|svg)$")]
) -> Response:
    """A module, a style or a picture of the page."""
    return _sent(request, name)


@router.get("/page-options", include_in_schema=False)
async def options(desk: AtDesk, caller: By) -> dict[str, Any]:
    """What may be chosen before a question is asked."""
    settings, why = await desk.session.settled()
    return {
        "tiers": {tier.value: dumped(limits(settings, tier)) for tier in Tier},
        "tier": settings.tier.value if settings.tier else "",
        "model": settings.model,
        "model_why": why,
        "web": uses_web(settings),
        "web_allowed": desk.settings.web is not False,
        "docs": [folder.name for folder in desk.settings.docs],
        "memory": settings.memory,
        "max_cost": desk.settings.max_cost,
        "review_plan": settings.review_plan,
        "local": caller.local,
        "upload_mb": desk.settings.serve_max_upload_mb,
        "formats": [
            {"suffix": one.suffix.removeprefix("."), "name": one.name}
            for one in FORMATS
            if not lacks(one)
        ],
    }


@router.post(
    "/uploads",
    tags=["runs"],
    summary="Give the service a document or an image to work with",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "minLength": 1}}},
        }
    },
    responses=errors(400, 401, 403, 413, 415, 422, 500, 503),
)
async def upload(
    request: Request,
    desk: AtDesk,
    caller: By,
    name: Annotated[str, Query(min_length=1, max_length=255, description="The file's name.")],
    folder: Annotated[
        str, Query(pattern=r"^[0-9a-f]{32}$|^$", description="Where an earlier one was put.")
    ] = "",
) -> Upload:
    """The body is the file. Name the answer's `docs` in a run to have its documents searched, or
    the answer's `image` in a question to have the image described."""
    data = await request.body()
    if not data:
        raise Refused(400, "the file is empty")
    return await asyncio.to_thread(keep, desk.settings, name, data, folder)


# ── files ───────────────────────────────────────────────────────────────────────────────────


def _sent(request: Request, name: str) -> Response:
    found = _file(name)
    if found is None:
        raise Refused(404, "the page has no such part")
    data, mark = found
    headers = {
        "content-security-policy": POLICY,
        "cache-control": "no-cache",  # asked for each time, sent when it has changed
        "etag": mark,
    }
    if mark in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=_KINDS[FilePath(name).suffix], headers=headers)


@cache
def _file(name: str) -> tuple[bytes, str] | None:
    if name == "report.css":
        data = _scoped_report_style()
    else:
        path = FOLDER / name
        if not re.fullmatch(r"[a-z]+\.(html|css|js|svg)", name) or not path.is_file():
            return None
        data = path.read_bytes()
    return data, f'"{hashlib.sha256(data).hexdigest()[:20]}"'


def _scoped_report_style() -> bytes:
    """The style of reports, held to the part of the page that shows one."""
    from leadline.render.html.page import stylesheet

    own = stylesheet().replace("body:has(", ":scope:has(")
    own = re.sub(r"(?m)^(\s*)main\b", r"\1.main-part", own)
    return f"@scope (.paper) {{\n{own}\n}}\n".encode()
