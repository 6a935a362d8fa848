"""Prometheus metrics of runs, by the names that dashboards know; nothing is sent anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from leadline.errors import ENOUGH
from leadline.observe.rows import calls_of
from leadline.ports import Row
from leadline.research.novelty_gate import FEW_HITS
from leadline.research.search import MEMORY
from leadline.types import AgentResponse

_SECONDS = (0.5, 1, 2, 5, 10, 20, 30, 60, 90, 120, 180, 300, 600)
_ANSWER = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
_ROUNDS = (1, 2, 3, 4, 5, 7, 10, 15, 20)


class Metrics:
    """Counts what steps and runs did. One for a process; `text` is what a scraper gets."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = registry = CollectorRegistry(auto_describe=True)

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(name, about, labels, registry=registry)

        self._duration = Histogram(
            "research_loop_duration_seconds",
            "Seconds from the start of a run to its report, by why it stopped",
            ("stop_reason",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._iterations = Histogram(
            "iterations_per_request",
            "Iterations of search and reflection in a run",
            buckets=_ROUNDS,
            registry=registry,
        )
        self._failures = counter(
            "search_failures_total",
            "Requests to a search provider that failed, also where another one helped",
            "provider",
        )
        self._requests_of = Histogram(
            "search_request_seconds",
            "Seconds of each request to a search provider",
            ("provider",),
            buckets=_ANSWER,
            registry=registry,
        )
        self._remedies = counter(
            "search_remedies_total",
            "What was done about searches that failed or found little",
            "remedy",
        )
        self._degraded = counter("runs_degraded_total", "Runs whose search was limited by failures")
        self._searches = counter("searches_total", "Searches made", "provider")
        self._hits = counter("cache_hits_total", "Searches answered from the cache")
        self._gate = counter("gate_verdicts_total", "Batches by the gate's verdict", "verdict")
        self._claims = counter("claim_verdicts_total", "Claims by their verdict", "verdict")
        self._injections = counter(
            "injections_total",
            "Texts from outside that gave orders to their reader, and what was done",
            "door",
            "done",
        )
        self._tokens = counter("model_tokens_total", "Tokens of language models", "kind", "role")
        self._cost = counter("model_cost_dollars_total", "Money paid for models", "role")
        self._runs = counter("runs_total", "Runs that ended, by how", "status")
        self.running = Gauge("runs_in_progress", "Runs that are carried out", registry=registry)
        self.readers = Gauge("event_readers", "Open event streams", registry=registry)
        self._requests = Histogram(
            "http_request_duration_seconds",
            "Seconds until the head of an answer was sent",
            ("method", "route", "status"),
            registry=registry,
        )

    def row(self, row: Row) -> None:
        """One finished step."""
        if row.name == "search":
            self._search(row)
        elif row.name == "gate":
            for verdict in row.value or ():
                self._gate.labels("accepted" if verdict["accepted"] else "discarded").inc()
        for call in calls_of(row):
            role = str(call.get("role", ""))
            self._tokens.labels("prompt", role).inc(call["prompt_tokens"])
            self._tokens.labels("completion", role).inc(call["completion_tokens"])
            self._cost.labels(role).inc(call["cost"])

    def _search(self, row: Row) -> None:
        batch: dict[str, Any] = row.value if isinstance(row.value, dict) else {}
        asked = batch.get("asked") or ()
        failed = bool(row.error or batch.get("error"))
        provider = batch.get("provider") or (asked[-1]["provider"] if asked else "none")
        self._searches.labels(provider).inc()
        for one in asked:
            self._requests_of.labels(one["provider"]).observe(one["seconds"])
            if one["error"]:
                self._failures.labels(one["provider"]).inc()
        if failed and not asked and row.error != ENOUGH:  # left alone, or not in a frozen cache
            self._failures.labels(provider).inc()
        for remedy in _remedies(batch, failed):
            self._remedies.labels(remedy).inc()
        if batch.get("cached") and not failed:
            self._hits.inc()

    def finished(self, response: AgentResponse, seconds: float, iterations: int) -> None:
        """A run that has its report."""
        self._duration.labels(response.stop_reason.value).observe(seconds)
        self._iterations.observe(iterations)
        self._runs.labels("finished").inc()
        self._degraded.inc(response.degraded)
        for claim in (*response.claims, *response.dropped):
            self._claims.labels(claim.verdict.value).inc()
        for one in response.injections:
            self._injections.labels(one.door, one.done).inc()

    def stopped(self, status: str) -> None:
        """A run that ended without one."""
        self._runs.labels(status).inc()

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """One answered request; `route` is the template, so that ids make no series."""
        self._requests.labels(method, route, str(status)).observe(seconds)

    def text(self) -> bytes:
        """All of it, as a scraper reads it."""
        from prometheus_client import generate_latest

        return generate_latest(self.registry)


def _remedies(batch: Mapping[str, Any], failed: bool) -> Iterator[str]:
    """What was done, in the words of the notes; a query that found little is asked otherwise."""
    for note in batch.get("notes") or ():
        if note["stage"] in {"retry", "fallback", "simpler"}:
            yield str(note["stage"])
    thin = len(batch.get("hits") or ()) < FEW_HITS and batch.get("provider") != MEMORY
    if batch and (failed or thin):
        yield "reformulate"
