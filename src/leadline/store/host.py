"""The one DBOS of this process: launched for the first engine that needs it, gone with the last.

Everything that leans on DBOS's own modules is in this file. What it relies on, as of 3.3: a step's
number is taken when its coroutine first runs; a row belongs to whoever's token stands in
`owner_xid`; an error that is no `Exception` leaves a step unrecorded.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos import error as dbos_error
from dbos._core import execute_dequeued_workflow
from dbos._dbos import _get_dbos_instance
from dbos._schemas.system_database import SystemSchema
from dbos._serialization import Serializer
from dbos._sys_db import SystemDatabase

from leadline.errors import BadInput, LeadlineError, StoreBroken
from leadline.run import Failure, Record, error_of, failure
from leadline.store.liveness import Liveness
from leadline.store.logbook import WORKFLOW, Entry, store_broken
from leadline.store.schema import ready, url_of

VERSION = "1"  # of the loop's order of steps: a run recorded under another cannot be resumed
Play = Callable[[dict[str, Any]], Awaitable[Any]]

_current: Host | None = None
_door = threading.RLock()


class Unrecorded(BaseException):
    """Carries an error out of a step without DBOS taking it for the step's result."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class JsonText(Serializer):
    """Plain JSON in the database: readable by others, and nothing in it can run."""

    def serialize(self, data: Any) -> str:
        return json.dumps({"$error": written(data)} if isinstance(data, BaseException) else data)

    def deserialize(self, serialized_data: str) -> Any:
        data = json.loads(serialized_data)
        return error_of(data["$error"]) if isinstance(data, dict) and "$error" in data else data

    def name(self) -> str:
        return "leadline_json"


def written(error: BaseException) -> Failure:
    """Why a run failed; an error that is not ours says its type too."""
    said = failure(error)
    if not isinstance(error, LeadlineError):
        said["message"] = f"{said['kind']}: {said['message']}"
    return said


@DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)
async def _run(request: dict[str, Any]) -> Any:
    if _current is None or DBOS.workflow_id is None:
        raise LeadlineError("the engine of this run is closed")
    return await _current.play(DBOS.workflow_id, request)


class Host:
    """DBOS, launched over one store."""

    def __init__(self, path: Path, liveness: Liveness) -> None:
        self.path, self._liveness = path, liveness
        self.executor = f"{os.getpid()}-{secrets.token_hex(6)}"
        self.loops: list[asyncio.AbstractEventLoop] = []  # one for each engine that uses it
        self._plays: dict[str, Play] = {}
        self._tasks: dict[str, asyncio.Task[Any]] = {}

    @classmethod
    def join(cls, path: Path, liveness: Liveness) -> Host:
        """The host of this process, launched if need be. Call it inside the running loop."""
        global _current  # noqa: PLW0603 - DBOS itself is one per process
        with _door:
            if _current is not None and all(loop.is_closed() for loop in _current.loops):
                _current.shut()  # its engines were never closed
            if _current is None:
                host = cls(path, liveness)
                host._launch()
                _current = host
            elif _current.path != path:
                raise BadInput(f"this process keeps its runs in {_current.path}, not in {path}")
            _current.loops.append(asyncio.get_running_loop())
            return _current

    async def leave(self) -> None:
        """One user less; the last one shuts the door."""
        with _door:
            loop = asyncio.get_running_loop()
            self.loops.remove(loop)
            if not self.loops:
                self.shut()
        # DBOS made its pool that of the loop, which may outlive it.
        loop.set_default_executor(ThreadPoolExecutor())

    def shut(self) -> None:
        """Destroy DBOS and let others see that this process no longer runs anything."""
        global _current  # noqa: PLW0603
        DBOS.destroy()
        self._liveness.retire(self.executor)
        _current = None

    def _launch(self) -> None:
        logger = logging.getLogger("dbos")
        if not logger.handlers:  # or DBOS writes to the user's terminal
            logger.addHandler(logging.NullHandler())
            logger.propagate = False
        with ready(self.path):
            self._liveness.sweep()
            self._liveness.announce(self.executor)
            try:
                DBOS(config=self._config())
                DBOS.launch()
            except sa.exc.DBAPIError as error:
                DBOS.destroy()
                self._liveness.retire(self.executor)
                raise store_broken(self.path, str(error.orig)) from error

    def _config(self) -> DBOSConfig:
        return DBOSConfig(
            name="leadline",
            system_database_url=url_of(self.path),
            executor_id=self.executor,
            application_version=VERSION,
            serializer=JsonText(),
            log_level="ERROR",
            enable_otlp=False,
            run_migrations=False,  # `ready` has seen to that
            sys_db_pool_size=4,
            # Nothing of ours waits on it, but closing waits for its nap to end.
            notification_listener_polling_interval_sec=0.05,
        )

    # ── runs ────────────────────────────────────────────────────────────────────────────────

    async def start(self, run_id: str, request: dict[str, Any], play: Play) -> None:
        """Begin a run here. Raises `BadInput` when the id is taken."""
        self._plays[run_id] = play
        try:
            with SetWorkflowID(run_id, workflow_id_reuse_policy="reject"):
                await DBOS.start_workflow_async(_run, request)
        except dbos_error.DBOSWorkflowIDInUseError as error:
            raise BadInput(f"a run with the id {run_id} exists already") from error
        except sa.exc.DBAPIError as error:
            raise store_broken(self.path, str(error.orig)) from error

    async def take_over(self, entry: Entry, play: Play) -> bool:
        """Go on with a run here, unless someone else was quicker."""
        run_id = entry.info.id
        token = secrets.token_hex(16)
        if not await asyncio.to_thread(self._claim, entry, token):
            return False
        self._plays[run_id] = play
        status = await asyncio.to_thread(_database().get_workflow_status, run_id)
        assert status is not None  # claimed a moment ago, and nothing deletes runs
        dbos = _get_dbos_instance()
        dbos._background_event_loop.set_main_loop()  # the run shall be a task of this loop
        await asyncio.to_thread(execute_dequeued_workflow, dbos, status, token)
        return True

    def _claim(self, entry: Entry, token: str) -> bool:
        """Make the row ours if it still stands as it was seen: one statement, one winner."""
        row = SystemSchema.workflow_status
        database = _database()
        seen = (
            row.c.workflow_uuid == entry.info.id,
            row.c.status == entry.state,
            row.c.executor_id == entry.executor,
            row.c.owner_xid.is_not_distinct_from(entry.owner),
        )
        ours = {
            "status": "PENDING",
            "executor_id": self.executor,
            "owner_xid": token,
            "recovery_attempts": 1,
            "queue_name": None,
            "completed_at": None,
            "updated_at": database._now_ms_sql(),
        }
        try:
            with database.engine.begin() as connection:
                return bool(connection.execute(row.update().where(*seen).values(**ours)).rowcount)
        except sa.exc.DBAPIError as error:
            raise store_broken(self.path, str(error.orig)) from error

    async def play(self, run_id: str, request: dict[str, Any]) -> Any:
        """The body of a run, in the task that DBOS made for it."""
        play, task = self._plays.pop(run_id), asyncio.current_task()
        assert task is not None
        self._tasks[run_id] = task
        return await play(request)

    async def halt(self, run_ids: set[str]) -> None:
        """Stop runs where they are, without an outcome."""
        tasks = {task for run_id, task in self._tasks.items() if run_id in run_ids}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def broke(self, run_id: str) -> StoreBroken | None:
        """Why a run of this process ended without leaving an outcome, where it did."""
        task = self._tasks.get(run_id)
        if task is None or not task.done() or task.cancelled():
            return None
        error = task.exception()
        if isinstance(error, sa.exc.DBAPIError):
            return store_broken(self.path, str(error.orig))
        return None

    async def cancel(self, run_id: str) -> None:
        """Mark a run cancelled; whoever runs it sees that within a second."""
        try:
            await DBOS.cancel_workflow_async(run_id)
        except sa.exc.DBAPIError as error:
            raise store_broken(self.path, str(error.orig)) from error

    async def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Record:
        """`run.Ledger` over DBOS's steps."""

        async def guarded() -> Record:
            try:
                return await do()
            except Exception as error:
                raise Unrecorded(error) from error

        try:
            return await DBOS.run_step_async({"name": name, "preemptible": True}, guarded)
        except Unrecorded as unrecorded:
            raise unrecorded.error from None
        except dbos_error.DBOSUnexpectedStepError as error:
            raise BadInput(f"this run was recorded by other code than runs now: {error}") from error
        except sa.exc.DBAPIError as error:
            raise store_broken(self.path, str(error.orig)) from error


def _database() -> SystemDatabase:
    return _get_dbos_instance()._sys_db
