"""Runs in memory for the command line, and the surroundings of the real program."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.codec import dumped
from leadline.documents import IndexReport
from leadline.documents.files import Kind
from leadline.documents.store import LeftOut
from leadline.errors import BadInput, StoreBroken
from leadline.fakes.run import MemoryEngine, MemoryStore
from leadline.ports import Row, Run
from leadline.session import Session
from leadline.settings import Settings
from leadline.types import (
    AgentResponse,
    Batch,
    Citation,
    GateVerdict,
    Hit,
    Plan,
    Query,
    Stop,
    Usage,
)
from leadline.values import replace

ANSWER = "The head of finance approves refunds. [1]"


@dataclass(frozen=True)
class Told:
    """How one call ended."""

    code: int
    out: str
    err: str


class BreakingEngine(MemoryEngine):
    """Its disk is full once a search has been kept."""

    async def follow(self, run_id: str, after: int = 0) -> AsyncIterator[Row]:
        async for row in super().follow(run_id, after):
            yield row
            if row.name == "search":
                raise StoreBroken("cannot use runs.db (database or disk is full); free the disk")


class FakeRuns:
    """Doors over runs in memory; what a run answers can be chosen."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.found = True
        self.reached = True
        self.stop = Stop.SUFFICIENT
        self.failure: Exception | None = None
        self.broken = False
        self.report = IndexReport(files=3, chunks=5, added=3)
        self.asked = 0

    async def body(self, run: Run, request: dict[str, Any]) -> Any:
        self.asked += 1
        query = Query("refund approve", "who")

        async def plan() -> Plan:
            return Plan((query,))

        async def search() -> Batch:
            return Batch(query, (Hit("a.md", "Handbook", ANSWER),), "documents")

        async def gate() -> tuple[GateVerdict, ...]:
            return (GateVerdict(query.text, 10, 3, True, "first", hits=1),)

        await run.step("plan", plan)
        await run.step("search", search)
        if self.failure is not None:
            raise self.failure
        verdicts = await run.step("gate", gate)
        response = AgentResponse(
            run_id=run.id,
            task=request["task"],
            summary=ANSWER,
            final_answer=ANSWER if self.found else "Not found in the sources.",
            sources=(Citation(1, "Handbook", "document", "a.md"),) if self.found else (),
            claims=(),
            confidence=1.0,
            gaps=(),
            stop_reason=self.stop,
            degraded=False,
            usage=Usage(searches=1),
            found=self.found,
            reached=self.reached,
            verdicts=verdicts,
        )
        return dumped(response)

    @asynccontextmanager
    async def open_session(self, settings: Settings) -> AsyncIterator[Session]:
        kind = BreakingEngine if self.broken else MemoryEngine
        engine = kind(self.body, store=self.store)
        try:
            yield Session(settings, engine)
        finally:
            await engine.close()

    def prepare(self, settings: Settings, progress: Any) -> tuple[IndexReport, ...]:
        for docs in settings.docs:
            if not docs.exists():
                raise BadInput(f"{docs} does not exist")
        return tuple(self.report for _ in settings.docs)

    def skip(self, what: str, kind: Kind, why: str) -> None:
        """From now on a file is left out of the index."""
        self.report = replace(self.report, skipped=(*self.report.skipped, LeftOut(what, kind, why)))

    def ids(self) -> list[str]:
        return list(self.store.runs)


def clean_environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RESEARCH_")}
    return {**kept, "RESEARCH_DATA_DIR": str(folder / "data"), "TERM": "xterm-256color"}
