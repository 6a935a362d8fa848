"""The one entry point: every face asks through here.

`run_research` answers one question. `Session` is what a face with more to do works with: it
prepares the documents, starts and resumes runs, and follows their journals.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from leadline.codec import dumped, loaded
from leadline.errors import BadInput
from leadline.hidden import Hidden
from leadline.kit import (
    billed,
    check_agent,
    decide,
    keep_cited,
    open_engine,
    open_kit,
    prepare,
    reasoner_name,
    refuse_empty,
    uses_web,
    what_is_asked,
)
from leadline.kit.stores import prune_calls
from leadline.observe.estimate import estimate_from, note_estimate, past_records
from leadline.observe.otel import open_tracing
from leadline.research.compact import resolve
from leadline.research.loop import Kit, research
from leadline.research.review import Review
from leadline.run import ended, new_run_id
from leadline.settings import Settings, changed, check_task, load
from leadline.store.reviews import Reviews
from leadline.types import AgentResponse, Earlier, Estimate, Plan
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.bundle.export import Exported
    from leadline.documents import IndexReport, Progress
    from leadline.ports import Run, RunInfo
    from leadline.queueing import Queue


_BEFORE_SEARCH = frozenset({"start", "see", "recall", "plan", "review", "decide"})


_RECENT = 200  # runs among which a finished one is looked for


async def run_research(
    task: str, *, settings: Settings | None = None, review: Review | None = None, **options: Any
) -> AgentResponse:
    """Research `task` and return the verified report.

    `options` are settings by name (`docs`, `max_iters`, `max_queries`, `max_sources`,
    `max_execution_time_s`, `policy`, `tier`, `seed` …) on top of `leadline.toml` and the
    environment; or give a whole `Settings`. `review` is shown the plan before anything is
    searched and returns it as it is to be, or None: then `RunStopped` is raised.
    """
    if settings is not None and options:
        raise BadInput("give either settings= or single options, not both")
    chosen = settings or load(overrides=options)
    if review is not None:
        chosen = chosen.but(review_plan=True)
    asked = check_task(task)
    async with open_session(chosen, review) as session:
        session.prepare()
        run_id = await session.start(asked)
        return await session.response(run_id)


def run_research_sync(
    task: str, *, settings: Settings | None = None, review: Review | None = None, **options: Any
) -> AgentResponse:
    """`run_research` for code that has no event loop."""
    return asyncio.run(run_research(task, settings=settings, review=review, **options))


def estimate(task: str, *, settings: Settings | None = None, **options: Any) -> Estimate:
    """What a run of `task` would take, from past runs like it or its limits. Spends nothing."""
    if settings is not None and options:
        raise BadInput("give either settings= or single options, not both")
    chosen = settings or load(overrides=options)
    asked = what_is_asked(check_task(task), chosen)
    return estimate_from(asked, past_records(chosen.data_dir))


@dataclass(frozen=True)
class Session:
    """Settings and an open engine: everything a face needs."""

    settings: Settings
    engine: Queue
    decided: list[tuple[Settings, str]] = field(default_factory=list, repr=False)

    async def settled(self) -> tuple[Settings, str]:
        """The settings with the model decided, and why that one. Looked for once."""
        if not self.decided:
            settings, choice = await decide(self.settings, uses_web(self.settings))
            self.decided.append((settings, choice.why))
        return self.decided[0]

    async def reasoner(self, run_id: str) -> str:
        """What answers in a run, by name, and why where it was chosen in this session."""
        info = await self.engine.info(run_id)
        name = reasoner_name(Settings.restore(info.settings, self.settings))
        return f"{name} ({self.decided[0][1]})" if self.decided else name

    def prepare(
        self, progress: Callable[[Progress], None] | None = None
    ) -> tuple[IndexReport, ...]:
        """Bring the indexes of the chosen documents up to date; empty ones are `BadInput`."""
        reports = prepare(self.settings, progress)
        refuse_empty(self.settings, reports)
        return reports

    async def start(self, task: str) -> str:
        """Begin a run and return its id."""
        asked = self._asked(task)
        run_id = new_run_id(asked, datetime.now(UTC))
        settings, _ = await self.settled()
        check_agent(settings)
        note_estimate(settings.data_dir, run_id, estimate(asked, settings=settings))
        return await self.engine.start(asked, settings.public(), run_id)

    async def enqueue(self, task: str, *, owner: str = "", priority: int = 0, key: str = "") -> str:
        """Put a run into the queue for a worker to take, and return its id."""
        asked = self._asked(task)
        run_id = new_run_id(f"{owner} {asked}", datetime.now(UTC))
        settings, _ = await self.settled()
        check_agent(settings)
        note_estimate(settings.data_dir, run_id, estimate(asked, settings=settings))
        return await self.engine.enqueue(
            asked, settings.public(), run_id, owner=owner, priority=priority, key=key
        )

    async def work(
        self, concurrency: int, stop: asyncio.Event | None = None, grace_s: float = 0.0
    ) -> None:
        """Take runs from the queue until `stop`; what ends is noted in `runs.jsonl`."""
        await self.engine.work(concurrency, stop, grace_s, self._note)

    async def serve(self, stop: asyncio.Event) -> None:
        """What a service does beside answering, until `stop`."""
        await self.engine.serve(self.settings.serve_workers, stop, self._note)

    async def _note(self, run_id: str) -> None:
        info = await self.engine.info(run_id)
        if info.status == "finished":
            await self.response(run_id)
        elif info.status not in ("running", "queued"):  # else it goes on, and was not over
            raise ended(info)

    async def finish(self, run_id: str) -> bool:
        """Have a run write its report from what it has; whether it must be resumed to do so.

        `BadInput` where it has its report already, or has found nothing to write from.
        """
        rows = await self.engine.rows(run_id)
        if all(row.error or row.name in _BEFORE_SEARCH for row in rows):
            raise BadInput(f"run {run_id} has found nothing yet that a report could be made of")
        await self.engine.finish(run_id)
        return (await self.engine.info(run_id)).unfinished

    async def unfinished(self, task: str) -> str:
        """The id of the unfinished run of this task and these settings, or ""."""
        settings, _ = await self.settled()
        found = await self.engine.find_unfinished(self._asked(task), settings.public())
        return found.id if found else ""

    async def resumable(self, task: str) -> str:
        """The id of the newest run of this task and these settings that has ended or can go on,
        or "". One that is finished keeps its report: a crash may have come before it was written.
        """
        settings, _ = await self.settled()
        wanted = (self._asked(task), settings.public())
        for info in await self.engine.list(_RECENT):
            ended = info.status == "finished" or info.unfinished
            if ended and (info.task, info.settings) == wanted:
                return info.id
        return await self.unfinished(task)

    async def fork(
        self,
        run_id: str,
        step: str,
        changes: Mapping[str, object] | None = None,
        *,
        flags: bool = False,
        queued: bool = False,
    ) -> str:
        """Begin a run that goes on from the first step of that name with some settings changed,
        and return its id; all other settings are those of the run it comes from. With `queued`
        a worker takes it up."""
        info = await self.engine.info(run_id)
        chosen = self._settings_after(info, changes, flags)
        new_id = new_run_id(info.task, datetime.now(UTC))
        return await self.engine.fork(run_id, step, chosen.public(), new_id, queued)

    async def ask(
        self,
        run_id: str,
        question: str,
        changes: Mapping[str, object] | None = None,
        *,
        update: bool = False,
        flags: bool = False,
        owner: str | None = None,
    ) -> str:
        """Begin a run that answers a question on a finished one, and return its id; for an
        `owner` (the local user is "") it is put into the queue.

        What that one read answers first; only what it lacks is searched for. With `update` the
        answer is its report with the new findings in it; the old one stays as it is. Settings are
        those of the old run but for `changes`.
        """
        from leadline.bundle.earlier import finished_run

        asked = self._asked(question)
        followed = await finished_run(self.engine, run_id)
        chosen = self._settings_after(await self.engine.info(followed), changes, flags)
        chosen = chosen.but(follows=followed, update=update, review_plan=False)
        new_id = new_run_id(asked, datetime.now(UTC))
        if owner is not None:
            return await self.engine.enqueue(asked, chosen.public(), new_id, owner=owner)
        return await self.engine.start(asked, chosen.public(), new_id)

    def _settings_after(
        self, info: RunInfo, changes: Mapping[str, object] | None, flags: bool
    ) -> Settings:
        """The settings of a run with some changed, for one that builds on it."""
        given = dict(changes or {})
        if any(name.endswith("model") for name in given):
            given.setdefault("no_model", False)  # who names one wants it used
        chosen = changed(Settings.restore(info.settings, self.settings), given, flags)
        if "docs" in given:
            refuse_empty(chosen, prepare(chosen))
        return chosen

    def _asked(self, task: str) -> str:
        """A question as it is kept and asked: a key of ours pasted into it is taken out."""
        return Hidden(self.settings).text(check_task(task))

    async def export(self, run_id: str) -> Exported:
        """A finished run as one file that proves it; `BadInput` when it is not finished."""
        from leadline.bundle.export import export

        return await export(self.engine, run_id, self.settings)

    async def whole_text(self, run_id: str, handle: str) -> str:
        """The text behind a handle (`hit:…`, `page:…`), as the run found or read it."""
        text = resolve(handle, await self.engine.rows(run_id))
        if text is None:
            raise BadInput(f"run {run_id} has nothing under {handle!r}; see the step compact")
        return text

    async def response(self, run_id: str) -> AgentResponse:
        """Wait for a run, see that it stands in `runs.jsonl`, and return what it found."""
        from leadline.observe.finish import keep_record

        stored = await self.engine.result(run_id)
        response: AgentResponse = loaded(AgentResponse, stored)
        if await keep_record(self.engine, response, self.settings.data_dir):
            await prune_calls(self.settings, self.engine, run_id)
        return response


async def _answered(
    task: str, kit: Kit, run: Run, settings: Settings, recall: Callable[[str], Awaitable[Earlier]]
) -> AgentResponse:
    """The loop, or one of its two variants, which are loaded by those who ask for them."""
    if settings.follows:
        from leadline.research.follow_up import follow

        return await follow(task, kit, run, recall)
    if kit.helm is not None:
        from leadline.research.agent.loop import research as steered

        return await steered(task, kit, run)
    return await research(task, kit, run)


async def _nobody(task: str, plan: Plan) -> Plan | None:
    raise BadInput(
        "the plan of this run is to be reviewed and nobody is here to do it; "
        "resume it in a terminal, or ask again without review_plan"
    )


@asynccontextmanager
async def open_session(
    settings: Settings,
    review: Review | None = None,
    *,
    worker: bool = False,
    waits: bool = False,
) -> AsyncIterator[Session]:
    """A session over the runs in the data folder; closing it leaves its runs resumable.

    `review` is shown the plan of each run whose settings say so; where it `waits`, the plan
    does so in the store for whoever takes it. A `worker` sees to the indexes of
    the documents itself: whoever asked may have done so on another machine.
    """

    def recalling(of_run: Settings) -> Callable[[str], Awaitable[Earlier]]:
        async def recall(question: str) -> Earlier:
            from leadline.bundle.earlier import earlier

            return await earlier(engine, of_run, question)

        return recall

    async def body(run: Run, request: dict[str, Any]) -> Any:
        of_run = Settings.restore(request["settings"], settings)
        if tracing is not None:
            tracing.watch(engine, run.id)
        if worker and of_run.docs:
            refuse_empty(of_run, await asyncio.to_thread(prepare, of_run))
        async with open_kit(of_run, run) as tools:
            asked = Reviews(engine).of(run.id) if waits else review or _nobody
            kit = replace(tools, review=asked if of_run.review_plan else None)
            response = await _answered(request["task"], kit, run, of_run, recalling(of_run))
            response = billed(response, kit.bill())
            await keep_cited(of_run, response)
        return dumped(response)

    if review is not None and settings.engine_url:
        raise BadInput(
            "with engine_url a worker carries the run out, and its plan is reviewed on the page of "
            "leadline serve; leave out the review here"
        )
    tracing = open_tracing(settings)
    engine = open_engine(settings, body)
    try:
        yield Session(settings, engine)
    finally:
        if tracing is not None:
            await tracing.close()
        await engine.close()
