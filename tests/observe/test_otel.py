"""Traces of runs, as a collector gets them from the real SDK and its exporter."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from leadline import run_research
from leadline.errors import BadInput
from leadline.observe.otel import open_tracing
from leadline.observe.spans import step_spans
from leadline.ports import Row
from leadline.settings import Settings, load
from leaky_world import FACTS, QUESTION, leaky_world, settings

KEY = "sk-planted-0123456789abcdef"


def _spans(parcels: list[bytes]) -> dict[str, list[dict[str, Any]]]:
    """The spans that came, by name, each with its attributes as plain values."""
    found: dict[str, list[dict[str, Any]]] = {}
    for parcel in parcels:
        request = ExportTraceServiceRequest.FromString(parcel)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    said = {
                        one.key: getattr(one.value, str(one.value.WhichOneof("value")))
                        for one in span.attributes
                    }
                    found.setdefault(span.name, []).append({"span": span, "said": said})
    return found


def _traced(folder: Path, **more: str) -> tuple[dict[str, list[dict[str, Any]]], bytes, str]:
    with leaky_world() as (world, base):
        env = settings(base) | {
            "RESEARCH_DATA_DIR": str(folder),
            "RESEARCH_OPENAI_API_KEY": KEY,
            "RESEARCH_MEMORY": "0",
            "RESEARCH_OTEL_ENDPOINT": base,
            "RESEARCH_OTEL_HEADERS": "x-team=planted-header-value",
            **more,
        }
        response = asyncio.run(run_research(QUESTION, settings=load(env=env)))
        assert response.found
        sent = [head for head in world.heads if "x-team" in head]
        assert [head["x-team"] for head in sent] == ["planted-header-value"] * len(world.traces)
        return _spans(world.traces), b"".join(world.traces), response.run_id


@pytest.mark.contract("O1")
def test_a_collector_gets_the_run_its_steps_and_its_model_calls(tmp_path: Path) -> None:
    spans, _, run_id = _traced(tmp_path)
    (root,) = spans["invoke_agent leadline"]
    trace = hashlib.sha256(run_id.encode()).digest()[:16]
    assert {one["span"].trace_id for many in spans.values() for one in many} == {trace}
    assert root["span"].parent_span_id == b""
    assert root["said"]["gen_ai.operation.name"] == "invoke_agent"
    assert root["said"]["gen_ai.conversation.id"] == run_id
    assert root["said"]["leadline.status"] == "finished"
    (plan,) = spans["plan"]
    assert plan["span"].parent_span_id == root["span"].span_id
    calls = spans["chat sim"]
    assert len(calls) >= 3
    steps = {one["span"].span_id for many in spans.values() for one in many if one not in calls}
    for call in calls:
        assert call["span"].parent_span_id in steps
        assert call["said"]["gen_ai.operation.name"] == "chat"
        assert call["said"]["gen_ai.provider.name"] == "openai"
        assert call["said"]["gen_ai.request.model"] == "sim"
        assert call["said"]["gen_ai.usage.input_tokens"] == 120
        assert call["said"]["gen_ai.usage.output_tokens"] == 30
    assert root["said"]["gen_ai.usage.input_tokens"] == 120 * len(calls)
    assert spans["retrieval searxng"][0]["said"]["gen_ai.data_source.id"] == "searxng"
    assert spans["execute_tool fetch_page"][0]["said"]["server.address"] == "127.0.0.1"
    inside = [one["span"] for many in spans.values() for one in many]
    assert all(
        root["span"].start_time_unix_nano
        <= span.start_time_unix_nano
        <= span.end_time_unix_nano
        <= root["span"].end_time_unix_nano
        for span in inside
    )


@pytest.mark.contract("O1", "X2")
def test_nothing_that_was_asked_or_found_is_sent_unless_it_is_wanted(tmp_path: Path) -> None:
    _, raw, _ = _traced(tmp_path / "off")
    for text in (QUESTION, "Port7", FACTS[0], "/page/", KEY, "planted-header-value"):
        assert text.encode() not in raw
    spans, raw, _ = _traced(tmp_path / "on", RESEARCH_OTEL_CONTENT="1")
    (root,) = spans["invoke_agent leadline"]
    assert QUESTION in root["said"]["gen_ai.input.messages"]
    assert "17 metres deep" in root["said"]["gen_ai.output.messages"]
    queries = {one["said"]["gen_ai.retrieval.query.text"] for one in spans["retrieval searxng"]}
    assert "Port7 harbour depth" in queries
    assert KEY.encode() not in raw


@pytest.mark.contract("O1", "D7")
def test_without_an_address_nothing_is_traced_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    assert open_tracing(Settings(data_dir=tmp_path)) is None
    with pytest.raises(BadInput, match="otel_endpoint"):
        load(env={"RESEARCH_DATA_DIR": str(tmp_path), "RESEARCH_OTEL_ENDPOINT": "collector:4318"})


@pytest.mark.contract("O1")
def test_a_collector_that_is_not_there_does_not_fail_the_run(tmp_path: Path) -> None:
    with leaky_world() as (_, base):
        env = settings(base) | {
            "RESEARCH_DATA_DIR": str(tmp_path),
            "RESEARCH_OPENAI_API_KEY": KEY,
            "RESEARCH_MEMORY": "0",
            "RESEARCH_OTEL_ENDPOINT": "http://127.0.0.1:9",
        }
        assert asyncio.run(run_research(QUESTION, settings=load(env=env))).found


def test_every_attribute_of_ours_that_the_conventions_own_is_one_of_theirs() -> None:
    theirs = {v for k, v in vars(gen_ai_attributes).items() if k.startswith("GEN_AI_")}
    theirs = {one for one in theirs if isinstance(one, str)}
    start = datetime(2026, 1, 1, tzinfo=UTC)
    call = {
        "role": "producer",
        "model": "google:gemini-x",
        "prompt_tokens": 1,
        "completion_tokens": 2,
        "cost": 0.1,
        "seconds": 90.0,
        "error": "boom: sk-secret",
    }
    rows = [
        Row(1, "write", start, start + timedelta(seconds=2), 2, {"made": {"calls": [call, call]}}),
        Row(2, "search", start, start, 2, {"provider": "brave", "query": {"text": "q"}}),
        Row(3, "read", start, start, 2, None, "SourceLost: https://x/?token=1", child="2"),
    ]
    spans = [span for row in rows for span in step_spans(row, content=True)]
    names = {name for span in spans for name in span.attributes if name.startswith("gen_ai.")}
    assert names <= theirs
    assert all(span.start <= span.end <= start + timedelta(seconds=2) for span in spans)
    chats = [span for span in spans if span.name == "chat gemini-x"]
    assert [span.error for span in chats] == ["model_call_failed"] * 2
    assert {span.attributes["gen_ai.provider.name"] for span in chats} == {"gcp.gemini"}
    assert spans[-1].error == "SourceLost"
    assert spans[-1].parent == "child 2"
