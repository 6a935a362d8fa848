"""The one entry point: every face asks through here.

`run_research` answers one question. `Session` is what a face with more to do works with: it
prepares the documents, starts and resumes runs, and follows their journals.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from leadline.errors import BadInput
from leadline.kit import keep_cited, open_kit, prepare, refuse_empty, what_is_asked
from leadline.loop import research
from leadline.observe.estimate import estimate_from, note_estimate, past_records
from leadline.run import new_run_id
from leadline.settings import Settings, check_task, load
from leadline.types import AgentResponse, Estimate

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from leadline.ports import Engine, Run
    from leadline.store.index import IndexReport, Progress


async def run_research(
    task: str, *, settings: Settings | None = None, **options: Any
) -> AgentResponse:
    """Research `task` and return the verified report.

    `options` are settings by name (`docs`, `max_iters`, `max_queries`, `max_sources`,
    `max_execution_time_s`, `policy`, `tier`, `seed` …) on top of `leadline.toml` and the
    environment; or give a whole `Settings`.
    """
    if settings is not None and options:
        raise BadInput("give either settings= or single options, not both")
    chosen = settings or load(overrides=options)
    asked = check_task(task)
    async with open_session(chosen) as session:
        session.prepare()
        run_id = await session.start(asked)
        return await session.response(run_id)


def run_research_sync(
    task: str, *, settings: Settings | None = None, **options: Any
) -> AgentResponse:
    """`run_research` for code that has no event loop."""
    return asyncio.run(run_research(task, settings=settings, **options))


def estimate(task: str, *, settings: Settings | None = None, **options: Any) -> Estimate:
    """What a run of `task` would take, from past runs like it or its limits. Spends nothing."""
    if settings is not None and options:
        raise BadInput("give either settings= or single options, not both")
    chosen = settings or load(overrides=options)
    asked = what_is_asked(check_task(task), chosen)
    return estimate_from(asked, past_records(chosen.data_dir))


@dataclass(frozen=True, slots=True)
class Session:
    """Settings and an open engine: everything a face needs."""

    settings: Settings
    engine: Engine

    def prepare(
        self, progress: Callable[[Progress], None] | None = None
    ) -> tuple[IndexReport, ...]:
        """Bring the indexes of the chosen documents up to date; empty ones are `BadInput`."""
        reports = prepare(self.settings, progress)
        refuse_empty(self.settings, reports)
        return reports

    async def start(self, task: str) -> str:
        """Begin a run and return its id."""
        asked = check_task(task)
        run_id = new_run_id(asked, datetime.now(UTC))
        note_estimate(self.settings.data_dir, run_id, estimate(asked, settings=self.settings))
        return await self.engine.start(asked, self.settings.public(), run_id)

    async def unfinished(self, task: str) -> str:
        """The id of the unfinished run of this task and these settings, or ""."""
        found = await self.engine.find_unfinished(check_task(task), self.settings.public())
        return found.id if found else ""

    async def response(self, run_id: str) -> AgentResponse:
        """Wait for a run, see that it stands in `runs.jsonl`, and return what it found."""
        from leadline.observe.finish import keep_record

        response = _adapter().validate_python(await self.engine.result(run_id))
        await keep_record(self.engine, response, self.settings.data_dir)
        return response


@asynccontextmanager
async def open_session(settings: Settings) -> AsyncIterator[Session]:
    """A session over the runs in the data folder; closing it leaves its runs resumable."""
    from leadline.store.engine import DurableEngine

    async def body(run: Run, request: dict[str, Any]) -> Any:
        of_run = Settings.restore(request["settings"], settings)
        async with open_kit(of_run) as kit:
            response = await research(request["task"], kit, run)
        keep_cited(of_run, response)
        return _adapter().dump_python(response, mode="json")

    engine = DurableEngine(settings.data_dir, body)
    try:
        yield Session(settings, engine)
    finally:
        await engine.close()


@cache
def _adapter() -> TypeAdapter[AgentResponse]:
    from pydantic import TypeAdapter

    return TypeAdapter(AgentResponse)
