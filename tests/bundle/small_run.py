"""A small real run over documents, exported once and shared by the tests of the run file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from leadline.bundle.contents import RunFile, written
from leadline.session import open_session
from leadline.settings import Settings
from leadline.types import Claim
from leadline.values import replace

QUESTION = "Who approves a refund above 500 euros?"
REFUNDS = (
    "# Refunds\n\nThe head of finance approves every refund above 500 euros.\n\n"
    "A refund is paid within fourteen days of its approval.\n"
)
HOLIDAYS = "# Holidays\n\nEvery employee has thirty days of paid holiday a year.\n"


@dataclass(frozen=True)
class Made:
    """What a run left: its file, its report, its id, and where it lies."""

    data: bytes
    content: RunFile
    settings: Settings
    run_id: str


def settings_for(folder: Path, **changes: Any) -> Settings:
    docs = folder / "handbook"
    docs.mkdir(exist_ok=True)
    (docs / "refunds.md").write_text(REFUNDS)
    (docs / "holidays.md").write_text(HOLIDAYS)
    return Settings(docs=(docs,), data_dir=folder / "data", **changes)


async def run_in(settings: Settings) -> Made:
    async with open_session(settings) as session:
        session.prepare()
        run_id = await session.start(QUESTION)
        await session.response(run_id)
        exported = await session.export(run_id)
    assert not exported.missing
    return Made(written(exported.content), exported.content, settings, run_id)


@cache
def made() -> Made:
    """One run for all tests that only look."""
    return asyncio.run(run_in(settings_for(Path(mkdtemp(prefix="leadline-runfile-")))))


def with_claim(content: RunFile, **changes: Any) -> RunFile:
    """The same file with its first claim changed, and all that goes with it made anew."""
    response = content.response
    claim: Claim = replace(response.claims[0], **changes)
    return told_anew(
        replace(content, response=replace(response, claims=(claim, *response.claims[1:])))
    )


def told_anew(content: RunFile) -> RunFile:
    """The reports as the response now has them: a forger who knows the format."""
    from leadline.render.json import as_json
    from leadline.render.markdown import markdown

    response = content.response
    return replace(content, report_md=markdown(response), report_json=as_json(response))
