"""Many machines: Temporal decides which worker carries out which run, and when one has died.

It knows a run's id, its generation, whose it is and how urgent: no question, page or key enters its
history. What a run writes is in the journal, fenced by the attempt that its workflow counts.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import Priority, RetryPolicy
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    ApplicationErrorCategory,
    WorkflowAlreadyStartedError,
)
from temporalio.exceptions import TimeoutError as TimedOut
from temporalio.service import RPCError
from temporalio.worker import Worker

from leadline.errors import LeadlineError, StoreBroken
from leadline.queueing import Finished
from leadline.store.player import VERSION, Player
from leadline.store.postgres.store import PostgresStore
from leadline.store.runstore import GENERATION, MAX_ATTEMPTS, Entry

QUEUE = "leadline"
BEAT = timedelta(seconds=2)
DEAD = timedelta(seconds=10)  # a worker of which nothing was heard for so long has died
LONGEST = timedelta(hours=24)  # of one attempt: a plan may wait a day for a person
THOUGHT = timedelta(seconds=5)  # for what to do next, or another worker is asked
ANSWER = timedelta(seconds=5)  # how long Temporal itself is waited for
ONCE = RetryPolicy(maximum_attempts=1)  # the workflow tries again, at another queue
PAUSE_S = 30  # at most, after an attempt whose store was away
LEFT = 2  # times its slots a worker has for runs that others left: whoever asked waits already
log = logging.getLogger("leadline.worker")


@dataclass(frozen=True)
class Order:
    """One generation of a run, or one attempt at it, to be carried out."""

    run_id: str
    turn: int


# ── what Temporal runs ──────────────────────────────────────────────────────────────────────


@workflow.defn(name="carry-out", sandboxed=False)
class CarryOut:
    """One generation of a run: one activity, tried until it returns.

    Later attempts go to the queue of the version that the run's steps have. Each worker has slots
    of its own for them, so that they wait behind nothing that is new.
    """

    @workflow.run
    async def run(self, order: Order) -> None:
        queue, run_id = QUEUE, order.run_id
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                version = await _attempt(Order(run_id, order.turn + attempt), queue)
                if not version:
                    return
            except ActivityError as error:
                version = _version(error.cause)
                if isinstance(error.cause, ApplicationError):
                    await asyncio.sleep(min(PAUSE_S, 2**attempt - 2))
            queue = _queue_of(version) if version else queue
        last = Order(run_id, order.turn + MAX_ATTEMPTS + 1)
        await workflow.execute_activity("give-up", last, start_to_close_timeout=4 * DEAD)


async def _attempt(order: Order, queue: str) -> str:
    """The version of the loop that must do it, where that is not the one that was asked."""
    version: str = await workflow.execute_activity(
        "research",
        order,
        result_type=str,
        task_queue=queue,
        heartbeat_timeout=DEAD,
        start_to_close_timeout=LONGEST,
        retry_policy=ONCE,
    )
    return version


def _version(cause: BaseException | None) -> str:
    """The version of whoever failed, as its last beat or its error told."""
    told = {TimedOut: "last_heartbeat_details", ApplicationError: "details"}
    for kind, name in told.items():
        if isinstance(cause, kind) and getattr(cause, name):
            return str(getattr(cause, name)[0])
    return ""


def _queue_of(version: str) -> str:
    return f"{QUEUE}-v{version}"


class Activities:
    """What a worker does."""

    def __init__(self, player: Player, finished: Finished | None) -> None:
        self._player, self._finished = player, finished

    @activity.defn(name="research")
    async def research(self, order: Order) -> str:
        """Carry a run out. Ends well whatever came of it; what raises is tried again elsewhere."""
        run_id, turn, beating = order.run_id, order.turn, asyncio.ensure_future(_beat())
        try:
            version = await self._player.perform(run_id, turn)
        except asyncio.CancelledError:
            await self._player.give_back(run_id, turn)
            raise _failed("the worker stops") from None
        except LeadlineError as error:
            log.warning("lost hold of %s: %s", run_id, error)
            raise _failed(type(error).__name__) from None
        finally:
            beating.cancel()
        if self._finished and not version:
            try:
                await self._finished(run_id)
            except LeadlineError as error:
                log.info("%s: %s", run_id, error)
        return version

    @activity.defn(name="give-up")
    async def give_up(self, order: Order) -> None:
        """Nobody tries it any more."""
        await self._player.give_up(order.run_id, order.turn)


def _failed(why: str) -> ApplicationError:
    """Why an attempt ended; nothing of the run is told."""
    return ApplicationError(why, VERSION, category=ApplicationErrorCategory.BENIGN)


async def _beat() -> None:
    """Temporal hears of this attempt until it is over."""
    while True:
        activity.heartbeat(VERSION)
        await asyncio.sleep(BEAT.total_seconds())


# ── who asks it ─────────────────────────────────────────────────────────────────────────────


class Temporal:
    """`engine.Elsewhere` over a Temporal server: `temporal://host:7233/namespace`, `?tls` behind
    it for an encrypted connection; an API key, as of Temporal Cloud, has one anyway."""

    def __init__(self, url: str, api_key: str, store: PostgresStore) -> None:
        self._parts, self._api_key, self._store = urlsplit(url), api_key, store
        self._connected: Client | None = None
        self._connecting = asyncio.Lock()

    async def send(self, entry: Entry) -> None:
        run_id, turn = entry.info.id, entry.turn // GENERATION * GENERATION
        client = await self._client()
        try:
            with suppress(WorkflowAlreadyStartedError):
                await client.start_workflow(
                    CarryOut.run,
                    Order(run_id, turn),
                    id=_workflow_id(entry),
                    task_queue=QUEUE,
                    task_timeout=THOUGHT,
                    priority=_priority(entry),
                    rpc_timeout=ANSWER,
                )
        except RPCError as error:
            raise self._silent(error) from error
        await self._store.sent(run_id, turn)

    async def work(
        self,
        player: Player,
        slots: int,
        stop: asyncio.Event,
        grace_s: float,
        finished: Finished | None,
    ) -> None:
        does = Activities(player, finished)
        common: dict[str, Any] = {
            "max_heartbeat_throttle_interval": BEAT / 2,
            "max_concurrent_activity_task_polls": 1,  # a frozen worker may be handed one for each
            "graceful_shutdown_timeout": timedelta(seconds=grace_s),
        }
        client = await self._client()
        workers = [
            Worker(
                client,
                task_queue=QUEUE,
                workflows=[CarryOut],
                activities=[does.research, does.give_up],
                max_concurrent_activities=slots,
                max_cached_workflows=0,  # nothing waits for a worker that has died
                max_concurrent_workflow_task_polls=1,
                **common,
            ),
            Worker(
                client,
                task_queue=_queue_of(VERSION),
                activities=[does.research],
                max_concurrent_activities=LEFT * slots,
                **common,
            ),
        ]
        running = [asyncio.ensure_future(worker.run()) for worker in workers]
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({stopping, *running}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            await asyncio.gather(*(worker.shutdown() for worker in workers))
            await asyncio.gather(*running)

    async def fault(self) -> str:
        try:
            client = await self._client()
            await client.service_client.check_health(timeout=ANSWER)
        except (RPCError, StoreBroken) as error:
            return str(self._silent(error))
        return ""

    async def _client(self) -> Client:
        async with self._connecting:
            if self._connected is None:
                try:
                    self._connected = await asyncio.wait_for(
                        Client.connect(
                            self._parts.netloc,
                            namespace=self._parts.path.strip("/"),
                            api_key=self._api_key or None,
                            tls=bool(self._api_key) or self._parts.query == "tls",
                        ),
                        2 * ANSWER.total_seconds(),
                    )
                except (RuntimeError, TimeoutError, RPCError) as error:
                    raise self._silent(error) from error
        return self._connected

    def _silent(self, error: Exception) -> StoreBroken:
        if isinstance(error, StoreBroken):
            return error
        why = error.status.name.lower() if isinstance(error, RPCError) else str(error)
        return StoreBroken(
            f"Temporal at {self._parts.netloc} cannot be used ({why}); see that it runs and that "
            "RESEARCH_ENGINE_URL is right"
        )


def _workflow_id(entry: Entry) -> str:
    """The same for each generation of a run, so that what is sent twice is begun once."""
    return f"{entry.info.id}.{entry.turn // GENERATION}"


def _priority(entry: Entry) -> Priority:
    """Temporal's run from 1, the most urgent, to 5; ours are higher the more urgent, usually 0."""
    return Priority(
        priority_key=min(5, max(1, 3 - entry.priority)),
        fairness_key=entry.info.owner.encode()[:60].decode(errors="ignore") or None,
    )
