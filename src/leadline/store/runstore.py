"""Where runs are kept, as the engine sees it: one port, SQLite and PostgreSQL behind it.

A run's row says whose it is (`token`): a step or an outcome is written only while the row still has
the writer's token, so of two processes that believe a run to be theirs one writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from leadline.errors import BadInput, LeadlineError, PlanDeclined
from leadline.ports import Row, RunInfo, RunStatus
from leadline.queueing import QueueState
from leadline.results import Failure, Place, Record

MAX_LIVES = 20  # a run that so many workers died over is not given to another


class NotOurs(LeadlineError):
    """The run was cancelled or taken over while we were at it."""


@dataclass(frozen=True)
class Turn:
    """Who runs a run from now on: a process, its token for this life of the run, its version."""

    executor: str
    token: str
    version: str


@dataclass(frozen=True)
class Origin:
    """What a fork takes over: the other run's id, its seconds and its first records."""

    run_id: str = ""
    seconds: float = 0.0
    records: Mapping[Place, Record] = field(default_factory=dict)


@dataclass(frozen=True)
class Ticket:
    """How a run stands in the queue: whose it is, how urgent, and the key that makes it one."""

    owner: str = ""
    priority: int = 0  # higher first
    key: str = ""
    queued: bool = True  # false: begun where it was asked for; no worker takes it up


OWN = Ticket(queued=False)


@dataclass(frozen=True)
class Caps:
    """How many runs of the queue may go on at once, over all workers; 0 sets no ceiling."""

    total: int = 0
    per_owner: int = 0


@dataclass(frozen=True)
class Entry:
    """One run with what taking it over needs to know."""

    info: RunInfo
    state: str  # as it is stored: a run of a dead process is stored as running
    token: str
    version: str
    origin_s: float = 0.0  # seconds of the run that it was forked from
    queued: bool = False  # it came through the queue: workers take it over


class RunStore(Protocol):
    """Keeps runs, their steps and the queue. What cannot be reached is `StoreBroken`."""

    wait_s: float  # how often to look at a run that nothing was heard of

    async def open(self) -> str:
        """Announce this process, which from now until `close` counts as alive; its name."""

    async def close(self) -> None: ...

    def hear(self, tell: Callable[[str], None]) -> None:
        """From now on `tell` the loop that called this of runs that others have changed."""

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    async def entry(self, run_id: str) -> Entry:
        """One run. Raises `RunNotFound`."""

    async def status(self, run_id: str) -> RunStatus:
        """How a run stands, asked often. Raises `RunNotFound`."""

    async def entries(self, limit: int, owner: str | None = None) -> list[Entry]:
        """The newest runs first."""

    async def unfinished(self) -> list[Entry]:
        """The runs that could be resumed, the newest first."""

    async def result(self, run_id: str) -> Any:
        """What a finished run returned."""

    async def rows(self, run_id: str, beyond: int = 0) -> tuple[list[Row], int]:
        """Rows written beyond a position, in the order of writing, and the position reached."""

    async def records(self, run_id: str) -> dict[Place, Record]:
        """What earlier lives of a run and its children wrote down, by the place of the step."""

    async def queue(self) -> QueueState:
        """How full the queue is."""

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    async def begin(
        self,
        run_id: str,
        request: dict[str, Any],
        turn: Turn,
        at: datetime,
        origin: Origin = Origin(),
        ticket: Ticket = OWN,
    ) -> str:
        """A new run with what it takes over, all or nothing, and its id.

        `BadInput` when the id is taken. Where the owner has used the ticket's key before, nothing
        is begun and the id is that run's.
        """

    async def claim(self, entry: Entry, turn: Turn, at: datetime) -> bool:
        """Make a run ours if its row still stands as it was seen: one statement, one winner."""

    async def take(
        self, turn: Turn, caps: Caps, at: datetime, orphans: bool = False
    ) -> Entry | None:
        """The next run of the queue, made ours, those first whose worker died. None: there is none.

        With `orphans` only such a one.
        """

    async def sure(self, run_id: str, token: str) -> None:
        """Before a step: `NotOurs` where others may by now have taken the run for dead."""

    async def write(self, run_id: str, token: str, place: Place, record: Record) -> None:
        """One finished step; `NotOurs` where the run is not."""

    async def finish(self, run_id: str, token: str, result: Any, at: datetime) -> None:
        """The run's outcome, where it is still ours."""

    async def fail(self, run_id: str, token: str, failure: Failure, at: datetime) -> None:
        """Why the run failed, where it is still ours."""

    async def release(self, run_id: str, token: str, at: datetime) -> None:
        """Give a run of the queue back to it, where it is still ours."""

    async def requeue(self, entry: Entry, at: datetime) -> bool:
        """Put an unfinished run into the queue, if its row still stands as it was seen."""

    async def cancel(self, run_id: str, at: datetime) -> bool:
        """Mark a run cancelled unless it is finished; whoever runs it will see."""

    async def say(self, run_id: str, name: str, value: Any) -> None:
        """Keep a word for whoever is at a run; None takes it back."""

    async def said(self, run_ids: Sequence[str], name: str) -> dict[str, Any]:
        """The words of that name, by the run that they are for."""

    async def lost(self, tokens: dict[str, str]) -> set[str]:
        """Which of these runs, each with our token for it, are no longer ours."""


# ── what both stores share ──────────────────────────────────────────────────────────────────


def shown(stored: str, alive: bool, queued: bool) -> RunStatus:
    """The status of a run as it is told, from what is stored and whether its process lives."""
    status: RunStatus = stored  # type: ignore[assignment]
    if status == "running" and not alive:
        return "queued" if queued else "interrupted"
    return status


def info_of(row: Mapping[str, Any], status: RunStatus, settings: Any, failed: Any) -> RunInfo:
    """A run as a list shows it, from its row; the JSON in it is read already."""
    said = (failed or {}) if status == "failed" else {}
    return RunInfo(
        id=row["id"],
        task=row["task"],
        status=status,
        created_at=_time(row["created_ms"]),
        updated_at=_time(row["updated_ms"]),
        stop_reason=_stop_reason(status, row["stop_reason"]),
        settings=settings,
        steps=row["steps"],
        reason=said.get("message", ""),
        mendable=said.get("kind", "") in {BadInput.__name__, PlanDeclined.__name__},
        forked_from=row["origin"],
        owner=row["owner"],
    )


def refuse_slash(run_id: str) -> None:
    if "/" in run_id:
        raise BadInput(f"the id of a run has no slash, which names its children: {run_id!r}")


def taken_id(run_id: str) -> BadInput:
    return BadInput(f"a run with the id {run_id} exists already")


def other_request(key: str, run_id: str) -> BadInput:
    return BadInput(
        f"the idempotency key {key!r} was used for another question (run {run_id}); "
        "use a new key for a new question"
    )


def worn_out(lives: int) -> Failure:
    """Why a run that workers keep dying over is given to no other."""
    return Failure(
        kind="RunStopped",
        message=f"{lives} workers died while they had this run; resume it to try once more",
        stop="",
    )


def ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _stop_reason(status: RunStatus, said: str | None) -> str:
    if status == "finished":
        return said or ""
    return {"failed": "error", "cancelled": "cancelled"}.get(status, "")
