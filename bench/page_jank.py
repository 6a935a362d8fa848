"""Does the page stay smooth: 500 events and a report of 20,000 words, measured by the browser.

    .venv/bin/python bench/page_jank.py

Prints the longest task of the browser's main thread while a run of 500 events is replayed, and
while a report of 20,000 words is opened and scrolled from top to bottom.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from leadline.values import replace

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "page"), str(ROOT / "tests" / "service")]

from browser import browsing  # noqa: E402
from playwright.sync_api import Browser, Page  # noqa: E402
from service_rig import FakeService, Running, running  # noqa: E402

from leadline.ports import Run  # noqa: E402
from leadline.types import (  # noqa: E402
    AgentResponse,
    Batch,
    Citation,
    Claim,
    GateVerdict,
    Hit,
    Knowledge,
    Plan,
    Query,
    Quote,
    Verdict,
)

CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
TASKS = frozenset({"RunTask", "ThreadControllerImpl::RunTask"})
ROUNDS, SENTENCES, SOURCES = 100, 1120, 40
TEXT = "Sentence {n} says that the tide at port {n} rises by {n} centimetres above the old mark"


class LongRun(FakeService):
    """A run of 500 steps, and a report of 20,000 words with a citation on every sentence."""

    async def body(self, run: Run, request: dict[str, Any]) -> Any:
        async def plan() -> Plan:
            return Plan(tuple(Query(f"query {n}") for n in range(6)), knowledge_gaps=("a", "b"))

        await run.step("plan", plan)
        for number in range(ROUNDS):
            await self._round(run, number)
        return _as_json(self.response(run.id, request["task"]))

    async def _round(self, run: Run, number: int) -> None:
        query = Query(f"how high is the tide at port {number}")

        async def search() -> Batch:
            hits = tuple(Hit(f"https://example.org/{n}", f"Port {n}", "") for n in range(10))
            return Batch(query, hits, "scripted")

        async def gate() -> tuple[GateVerdict, ...]:
            score = 10 * (1 - number / ROUNDS)
            return (GateVerdict(query.text, score, 3, score > 3, "novel", 10, number / ROUNDS),)

        async def compress() -> Knowledge:
            return Knowledge("\n".join(f"- Port {number + n} has a tide." for n in range(8)))

        async def read() -> dict[str, Any]:
            return {"url": f"https://example.org/{number}", "title": f"Port {number}", "text": ""}

        await run.step("search", search)
        await run.step("gate", gate)
        await run.step("compress", compress)
        await run.step("read", read)

    def response(
        self, run_id: str, task: str, verdicts: tuple[GateVerdict, ...] = ()
    ) -> AgentResponse:
        parts, claims = [], []
        for n in range(SENTENCES):
            said, source = TEXT.format(n=n) + ".", n % SOURCES + 1
            if n % 60 == 0:
                parts.append(f"## Part {n // 60 + 1}")
            if n % 6 == 0:
                parts.append("")
            parts[-1] += f" {said} [{source}]"
            quote = Quote(source, said, before="Before it. " * 8, after="After it. " * 8)
            claims.append(Claim(said, (source,), Verdict.QUOTED, 1.0, quote))
        answer = "\n\n".join(part.strip() for part in parts)
        sources = tuple(
            Citation(n + 1, f"Port {n + 1}", "web", f"https://example.org/{n}")
            for n in range(SOURCES)
        )
        plain = super().response(run_id, task, verdicts)
        return replace(
            plain, final_answer=answer, summary=answer, claims=tuple(claims), sources=sources
        )


def _as_json(response: AgentResponse) -> Any:
    from leadline.render.json import as_json

    return json.loads(as_json(response))


def longest(browser: Browser, page: Page, doing: Any) -> tuple[float, float]:
    """The longest task of the main thread in milliseconds, by the clock and by its own CPU time."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    doing()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    names = {
        (one["pid"], one["tid"])
        for one in events
        if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        (one["dur"] / 1000, one.get("tdur", 0) / 1000)
        for one in events
        if one["name"] in TASKS and (one["pid"], one["tid"]) in names and "dur" in one
    ]
    return max(wall for wall, _ in tasks), max(cpu for _, cpu in tasks)


def measure(browser: Browser, served: Running) -> None:
    """Print both figures."""
    run_id = served.job("How high are the tides?")
    count = len(served.events(run_id))
    context = browser.new_context(base_url=served.url, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto("/")
    page.wait_for_selector("#question")

    def replay() -> None:
        page.goto(f"/?run={run_id}&show=watch")
        page.wait_for_selector(f".searches > li:nth-child({ROUNDS}) .novelty[role=img]")
        page.wait_for_timeout(500)

    def read() -> None:
        page.goto(f"/?run={run_id}")
        page.wait_for_selector(".paper article")
        page.wait_for_timeout(500)

    def scroll() -> None:
        for _ in range(120):
            page.mouse.wheel(0, 900)
            page.wait_for_timeout(25)

    response = served.client.get(f"/runs/{run_id}").json()["response"]
    words = len(response["final_answer"].split())
    for told, doing in (
        (f"replay of {count} events", replay),
        (f"opening a report of {words:,} words", read),
        ("scrolling through it", scroll),
    ):
        wall, cpu = longest(browser, page, doing)
        sys.stdout.write(f"{told}: longest task {wall:.0f} ms, {cpu:.0f} ms of CPU\n")
    context.close()


def main() -> None:
    """Serve the long run and look at it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), LongRun()) as served,
        browsing() as browser,
    ):
        measure(browser, served)


if __name__ == "__main__":
    main()
