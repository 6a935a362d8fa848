"""Sends a trace of each run to an OpenTelemetry collector, where the settings name one.

It follows the run's journal like any other reader: a run is neither held up nor failed by it.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from leadline.errors import BadInput, LeadlineError, with_extra
from leadline.hidden import Hidden
from leadline.observe.spans import Span, run_spans, span_id, step_spans, told, trace_id
from leadline.ports import Engine, Row
from leadline.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

SEND_S = 5.0  # how long one parcel of spans may take; then it is lost
LINGER_S = 1.0  # how long a trace is waited for when its run has ended and all is closed
_log = logging.getLogger("leadline.otel")


def open_tracing(settings: Settings, exporter: SpanExporter | None = None) -> Tracing | None:
    """What traces runs with these settings; None where no collector is named."""
    if not settings.otel_endpoint and exporter is None:
        return None
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        raise BadInput(
            "otel_endpoint is set and the packages of OpenTelemetry are not installed; "
            f"install them {with_extra('otel')}"
        )
    return Tracing(settings, exporter or _exporter(settings))


class Tracing:
    """One for a process; `watch` each run, `close` it at the end."""

    def __init__(self, settings: Settings, exporter: SpanExporter) -> None:
        self._content, self._hidden = settings.otel_content, Hidden(settings)
        self._ids = _Ids()
        self._provider = _provider(self._ids, exporter)
        self._tracer = self._provider.get_tracer("leadline")
        self._watched: dict[str, asyncio.Task[None]] = {}

    def watch(self, engine: Engine, run_id: str) -> None:
        """Tell of a run from now on, to its end; twice is once."""
        if run_id not in self._watched:
            task = asyncio.ensure_future(self._follow(engine, run_id))
            self._watched[run_id] = task
            task.add_done_callback(lambda _: self._watched.pop(run_id, None))

    async def close(self) -> None:
        """Send what is there. A run that goes on elsewhere is told of there."""
        tasks = set(self._watched.values())
        if tasks:
            await asyncio.wait(tasks, timeout=LINGER_S)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await asyncio.to_thread(self._provider.shutdown)

    async def _follow(self, engine: Engine, run_id: str) -> None:
        times: dict[str, tuple[datetime, datetime]] = {}
        try:
            async for row in engine.follow(run_id):
                _widen(times, row)
                for span in step_spans(row, self._content):
                    self._send(run_id, span)
            info = await engine.info(run_id)
            answer = await engine.result(run_id) if info.status == "finished" else {}
        except LeadlineError as error:
            _log.warning("no whole trace of %s: %s", run_id, error)
            return
        if info.status not in ("finished", "failed", "cancelled"):
            return  # it goes on another time, and is told of then
        for span in run_spans(info, times):
            more = _summed(answer, info.task, self._content) if not span.parent else {}
            self._send(run_id, span, more)

    def _send(self, run_id: str, span: Span, more: dict[str, Any] | None = None) -> None:
        from opentelemetry import trace

        self._ids.trace, self._ids.span = trace_id(run_id), span_id(run_id, span.key)
        parent = None
        if span.parent:
            above = trace.SpanContext(
                self._ids.trace,
                span_id(run_id, span.parent),
                is_remote=False,
                trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED),
            )
            parent = trace.set_span_in_context(trace.NonRecordingSpan(above))
        attributes = {**span.attributes, **(more or {})}
        made = self._tracer.start_span(
            self._hidden.text(span.name),
            context=parent or trace.set_span_in_context(trace.INVALID_SPAN),
            kind=trace.SpanKind.CLIENT if span.client else trace.SpanKind.INTERNAL,
            attributes={name: self._clean(value) for name, value in attributes.items()},
            start_time=_ns(span.start),
        )
        if span.error:
            made.set_attribute("error.type", span.error)
            made.set_status(trace.StatusCode.ERROR)
        made.end(_ns(span.end))

    def _clean(self, value: Any) -> Any:
        return self._hidden.text(value) if isinstance(value, str) else value


def _summed(answer: Any, task: str, content: bool) -> dict[str, Any]:
    """What a run used, and with `content` what was asked and answered."""
    usage = answer.get("usage", {}) if isinstance(answer, dict) else {}
    said: dict[str, Any] = {
        "gen_ai.usage.input_tokens": int(usage.get("prompt_tokens", 0)),
        "gen_ai.usage.output_tokens": int(usage.get("completion_tokens", 0)),
    }
    if content:
        said["gen_ai.input.messages"] = told("user", task)
        if answer:
            said["gen_ai.output.messages"] = told("assistant", str(answer.get("final_answer", "")))
    return said


def _widen(times: dict[str, tuple[datetime, datetime]], row: Row) -> None:
    start, end = times.get(row.child, (row.started_at, row.finished_at))
    times[row.child] = min(start, row.started_at), max(end, row.finished_at)


def _ns(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1000


class _Ids:
    """Gives the ids that were set; the SDK asks for them when a span is begun."""

    trace = span = 1

    def generate_trace_id(self) -> int:
        return self.trace

    def generate_span_id(self) -> int:
        return self.span

    def is_trace_id_random(self) -> bool:
        return False


def _provider(ids: _Ids, exporter: SpanExporter) -> TracerProvider:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ALWAYS_ON

    from leadline import __version__

    about = Resource({"service.name": "leadline", "service.version": __version__})
    provider = TracerProvider(
        sampler=ALWAYS_ON,
        resource=about,
        shutdown_on_exit=False,
        id_generator=ids,  # type: ignore[arg-type]  # by shape: theirs is imported late
    )
    provider.add_span_processor(BatchSpanProcessor(exporter, export_timeout_millis=SEND_S * 1000))
    return provider


def _exporter(settings: Settings) -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    address = settings.otel_endpoint.rstrip("/")
    given = settings.otel_headers.get_secret_value()
    pairs = [one.partition("=") for one in given.split(",") if "=" in one]
    return OTLPSpanExporter(
        endpoint=address if address.endswith("/v1/traces") else f"{address}/v1/traces",
        headers={name.strip(): value.strip() for name, _, value in pairs},
        timeout=SEND_S,
    )
