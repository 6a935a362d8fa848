"""Where runs are kept, as the engine sees it: one port, SQLite and PostgreSQL behind it.

A run's row has the number of its `turn`: whoever begins or takes it over writes a greater one, and
a step or an outcome is written only while the row still has the writer's. A turn is a thousand
times the generation, which each resume counts up, plus the attempt at it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from leadline.errors import BadInput, LeadlineError, PlanDeclined
from leadline.ports import Row, RunInfo, RunStatus
from leadline.results import Failure, Place, Record

GENERATION = 1000
MAX_ATTEMPTS = 20  # a run that so many processes died over is not given to another


class NotOurs(LeadlineError):
    """The run was cancelled or taken over while we were at it."""


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
class Entry:
    """One run with what taking it over needs to know."""

    info: RunInfo
    turn: int
    version: str  # of the loop that wrote its steps
    origin_s: float = 0.0  # seconds of the run that it was forked from
    priority: int = 0

    @property
    def begun(self) -> bool:
        """Whether somebody has been at it, so that its steps are of a version."""
        return self.turn != GENERATION


class RunStore(Protocol):
    """Keeps runs, their steps and the queue. What cannot be reached is `StoreBroken`."""

    wait_s: float  # how often to look at a run that nothing was heard of

    async def open(self) -> None:
        """Make the store ready for writing."""

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

    async def open_entries(self) -> list[Entry]:
        """The runs that wait, go on or were left by a process that died, the oldest first."""

    async def unfinished(self) -> list[Entry]:
        """The runs that could be resumed, the newest first."""

    async def waiting(self, full: Collection[str] = ()) -> list[str]:
        """The runs of the queue that nobody has or was told of, but for those of the owners in
        `full`: urgent ones first, then the oldest."""

    async def result(self, run_id: str) -> Any:
        """What a finished run returned."""

    async def rows(self, run_id: str, beyond: int = 0) -> tuple[list[Row], int]:
        """Rows written beyond a position, in the order of writing, and the position reached."""

    async def records(self, run_id: str) -> dict[Place, Record]:
        """What earlier lives of a run and its children wrote down, by the place of the step."""

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    async def hold(self, run_id: str, patience_s: float = 0.0) -> bool:
        """Have a run to ourselves on this machine until `let_go`; whether we do."""

    def let_go(self, run_id: str) -> None: ...

    async def begin(
        self,
        run_id: str,
        request: dict[str, Any],
        version: str,
        at: datetime,
        origin: Origin = Origin(),
        ticket: Ticket = OWN,
    ) -> str:
        """A new run with what it takes over, all or nothing, and its id.

        `BadInput` when the id is taken. Where the owner has used the ticket's key before, nothing
        is begun and the id is that run's.
        """

    async def claim(self, run_id: str, turn: int, version: str, at: datetime) -> bool:
        """Make a run ours that waits or goes on, if this turn of its generation is a new one."""

    async def reopen(self, entry: Entry, at: datetime, queued: bool) -> bool:
        """Begin the next generation of a run, if its row still stands as it was seen."""

    async def write(self, run_id: str, turn: int, place: Place, record: Record) -> None:
        """One finished step; `NotOurs` where the run is not."""

    async def finish(self, run_id: str, turn: int, result: Any, at: datetime) -> None:
        """The run's outcome, where it is still ours."""

    async def fail(self, run_id: str, turn: int, failure: Failure, at: datetime) -> None:
        """Why the run failed, where it is still ours."""

    async def release(self, run_id: str, turn: int, at: datetime) -> None:
        """Give a run of the queue back to it, where it is still ours."""

    async def cancel(self, run_id: str, at: datetime) -> bool:
        """Mark a run cancelled unless it is finished; whoever runs it will see."""

    async def say(self, run_id: str, name: str, value: Any) -> None:
        """Keep a word for whoever is at a run; None takes it back."""

    async def said(self, run_ids: Sequence[str], name: str) -> dict[str, Any]:
        """The words of that name, by the run that they are for."""

    async def lost(self, turns: dict[str, int]) -> set[str]:
        """Which of these runs, each with our turn at it, are no longer ours."""


# ── what both stores share ──────────────────────────────────────────────────────────────────


def next_generation(turn: int) -> int:
    return (turn // GENERATION + 1) * GENERATION


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


def worn_out(attempts: int) -> Failure:
    """Why a run that workers keep dying over is given to no other."""
    return Failure(
        kind="RunStopped",
        message=f"{attempts} workers died over this run, or an operator ended it; resume it to try "
        "once more",
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
