"""A service over runs in memory, on a real socket: what the tests of the service ask."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from leadline.codec import dumped
from leadline.errors import BadInput
from leadline.fakes.run import MemoryEngine, MemoryStore
from leadline.ports import Find, Run
from leadline.service.app import Doors, Service
from leadline.service.server import config_of
from leadline.session import Session
from leadline.settings import Settings
from leadline.types import (
    AgentResponse,
    Batch,
    Citation,
    Claim,
    GateVerdict,
    Hit,
    Plan,
    Query,
    Quote,
    Stop,
    Usage,
    Verdict,
)

SENTENCE = "The head of finance approves every refund above 500 euros."
ANSWER = f"{SENTENCE} [1]\n\n" + "\n\n".join(f"Paragraph {n}. [2]" for n in range(80))
WEB = "https://example.org/refunds"


@dataclass
class FakeService:
    """Doors over runs in memory; a run may be held, and may fail."""

    store: MemoryStore = field(default_factory=MemoryStore)
    failure: Exception | None = None
    reached: bool = True
    holds: bool = False
    going: list[asyncio.Event] = field(default_factory=list)
    gone: int = 0
    held: threading.Condition = field(default_factory=threading.Condition)
    begun: list[str] = field(default_factory=list)

    async def body(self, run: Run, request: dict[str, Any]) -> Any:
        self.begun.append(run.id)
        query = Query("refund approve", "who")

        async def plan() -> Plan:
            return Plan((query,))

        async def search() -> Batch:
            return Batch(query, (Hit(WEB, "Handbook", SENTENCE),), "scripted", cached=True)

        async def gate() -> tuple[GateVerdict, ...]:
            return (GateVerdict(query.text, 10, 3, True, "first", hits=1),)

        await run.step("plan", plan)
        await run.step("search", search)
        if self.holds:
            go = asyncio.Event()
            with self.held:
                self.going.append(go)
                self.held.notify_all()
            await go.wait()
        if self.failure is not None:
            raise self.failure
        verdicts = await run.step("gate", gate)
        return dumped(self.response(run.id, request["task"], verdicts))

    def response(
        self, run_id: str, task: str, verdicts: tuple[GateVerdict, ...] = ()
    ) -> AgentResponse:
        return AgentResponse(
            run_id=run_id,
            task=task,
            summary=ANSWER,
            final_answer=ANSWER,
            sources=(
                Citation(1, "Handbook", "web", WEB),
                Citation(2, "Notes", "document", "notes.md"),
            ),
            claims=(Claim(SENTENCE, (1,), Verdict.QUOTED, 1.0, Quote(1, SENTENCE)),),
            confidence=1.0,
            gaps=(),
            stop_reason=Stop.SUFFICIENT,
            degraded=False,
            usage=Usage(searches=1, prompt_tokens=7, completion_tokens=5),
            reached=self.reached,
            verdicts=verdicts,
        )

    @asynccontextmanager
    async def open_session(self, settings: Settings) -> AsyncIterator[Session]:
        engine = MemoryEngine(self.body, store=self.store)
        try:
            yield Session(settings, engine)
        finally:
            await engine.close()

    def prepare(self, settings: Settings) -> None:
        for docs in settings.docs:
            if not docs.exists():
                raise BadInput(f"{docs} does not exist")

    @asynccontextmanager
    async def open_find(self, settings: Settings) -> AsyncIterator[Find]:
        async def find(query: Query, k: int) -> Batch:
            hits = tuple(Hit(WEB, f"Result {n}", SENTENCE) for n in range(k))
            return Batch(query, hits, "scripted", cached=True)

        yield find

    def doors(self) -> Doors:
        return Doors(self.open_session, self.prepare, self.open_find)


@dataclass
class Running:
    """A service on a port of loopback, and a client of it."""

    service: Service
    url: str
    client: httpx2.Client
    loop: asyncio.AbstractEventLoop

    def go(self, fake: FakeService, many: int = 1) -> None:
        """Let every held run go on, once so `many` have come since the last time."""
        with fake.held:
            assert fake.held.wait_for(lambda: len(fake.going) >= fake.gone + many, 60)
            fake.gone = len(fake.going)
        for event in fake.going:
            self.loop.call_soon_threadsafe(event.set)

    def post(self, path: str, body: Any = None, **given: Any) -> httpx2.Response:
        return self.client.post(path, json=body, **given)

    def job(self, task: str = "Who approves refunds?", **options: Any) -> str:
        """The id of a run that was begun."""
        answer = self.post("/run", {"task": task, "async": True, **options})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["run_id"])

    def events(self, run_id: str, last: str = "") -> list[Event]:
        """All events of a run to its end."""
        headers = {"Last-Event-ID": last} if last else {}
        with self.client.stream("GET", f"/runs/{run_id}/events", headers=headers) as answer:
            return list(events_in(answer.iter_lines()))


@dataclass(frozen=True)
class Event:
    name: str
    data: Any
    id: str = ""


def events_in(lines: Iterator[str]) -> Iterator[Event]:
    """Server-sent events out of their lines, as a browser reads them."""
    held: dict[str, str] = {}
    for line in lines:
        if not line:
            if "data" in held:
                yield Event(
                    held.get("event", "message"), json.loads(held["data"]), held.get("id", "")
                )
            held = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            held[name] = value


@contextmanager
def running(
    data_dir: Path, fake: FakeService | None = None, key: str = "", **settings: Any
) -> Iterator[Running]:
    """Serve from a thread until the block ends; without a fake, over the real doors."""
    data_dir.mkdir(parents=True, exist_ok=True)
    service = Service(
        Settings(data_dir=data_dir, no_model=True, serve_port=0, **settings),
        fake.doors() if fake else None,
    )
    server = uvicorn.Server(config_of(service, service.settings))
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    waited = threading.Event()
    while not server.started and thread.is_alive():
        waited.wait(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with httpx2.Client(base_url=url, headers=headers, timeout=120) as client:
            yield Running(service, url, client, loops[0])
    finally:
        loops[0].call_soon_threadsafe(service.stop)
        server.should_exit = True
        thread.join(120)
