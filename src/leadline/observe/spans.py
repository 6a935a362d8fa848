"""What a trace of a run consists of: spans made from the rows of its journal, sent by `otel.py`.

Names follow OpenTelemetry's conventions for generative AI. What was asked, found and answered is
left out unless `content` is wanted. Ids come from the run's, so a trace told twice is one trace.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from leadline.observe.rows import calls_of, results_of
from leadline.ports import Row, RunInfo

Attributes = Mapping[str, str | int | float | bool]
AGENT = "leadline"
# What the conventions call the providers that we name otherwise.
_PROVIDERS = {"google": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai"}
_ROOT = "run"


@dataclass(frozen=True)
class Span:
    """One span. `key` and `parent` tell spans of a run apart; a root's parent is empty."""

    name: str
    key: str
    parent: str
    start: datetime
    end: datetime
    attributes: Attributes = field(default_factory=dict)
    client: bool = False  # somebody else was asked
    error: str = ""  # what kind of failure it ended with


def trace_id(run_id: str) -> int:
    """The id of a run's trace, in hexadecimal the first 32 digits of the SHA-256 of its id."""
    return int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:16]) or 1


def span_id(run_id: str, key: str) -> int:
    """The id of one span of that trace."""
    return int.from_bytes(hashlib.sha256(f"{run_id} {key}".encode()).digest()[:8]) or 1


def step_spans(row: Row, content: bool) -> list[Span]:
    """A finished step, and under it the calls of models that it made."""
    key = f"step {row.seq}"
    start, end = row.started_at, max(row.started_at, row.finished_at)
    name, client, more = _kind(row, content)
    attributes = {
        "leadline.step": row.name,
        "leadline.seq": row.seq,
        "leadline.results": results_of(row),
        **({"leadline.child": row.child} if row.child else {}),
        **more,
    }
    parent = f"child {row.child}" if row.child else _ROOT
    failed = (row.error.partition(":")[0] or "error") if row.error else ""
    spans = [Span(name, key, parent, start, end, attributes, client, _word(failed))]
    at = start
    for number, call in enumerate(calls_of(row), 1):
        until = min(end, at + timedelta(seconds=float(call["seconds"])))
        spans.append(_chat(call, f"{key} call {number}", key, at, until))
        at = until
    return spans


def run_spans(info: RunInfo, times: Mapping[str, tuple[datetime, datetime]]) -> list[Span]:
    """The spans over the steps: one for the run, one for each child that `times` names.

    `times` has the first start and the last end of the steps of each; "" is the run itself.
    """
    start = min((begun for begun, _ in times.values()), default=info.created_at)
    end = max((ended for _, ended in times.values()), default=info.updated_at)
    said: dict[str, Any] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.provider.name": AGENT,
        "gen_ai.conversation.id": info.id,
        "leadline.run_id": info.id,
        "leadline.status": info.status,
    }
    if info.stop_reason:
        said["leadline.stop_reason"] = info.stop_reason
    failed = "" if info.status == "finished" else str(info.status)
    whole = Span(f"invoke_agent {AGENT}", _ROOT, "", start, end, said, error=failed)
    parts = [
        Span(f"part {name}", f"child {name}", _ROOT, *times[name], {"leadline.child": name})
        for name in sorted(times)
        if name
    ]
    return [whole, *parts]


def told(role: str, text: str) -> str:
    """A message as the conventions write it."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def provider_of(model: str) -> str:
    """Who is asked for a model that we call `PROVIDER:NAME`, as the conventions name them."""
    name = model.partition(":")[0]
    return _PROVIDERS.get(name, name)


def _kind(row: Row, content: bool) -> tuple[str, bool, dict[str, Any]]:
    """A step's name, whether somebody else was asked, and what is said of its kind."""
    value = row.value if isinstance(row.value, dict) else {}
    if row.name == "search":
        source = str(value.get("provider") or "search")
        said: dict[str, Any] = {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.data_source.id": source,
            "leadline.cached": bool(value.get("cached")),
        }
        if content and value:
            said["gen_ai.retrieval.query.text"] = value["query"]["text"]
        return f"retrieval {source}", source != "documents" and not value.get("cached"), said
    if row.name == "read":
        said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "fetch_page"}
        url = str(value.get("url", ""))
        if host := _host(url):
            said["server.address"] = host
        if content and url:
            said["url.full"] = url
        return "execute_tool fetch_page", bool(_host(url)), said
    return row.name, False, {}


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _chat(call: Mapping[str, Any], key: str, parent: str, start: datetime, end: datetime) -> Span:
    model = str(call["model"])
    name = model.partition(":")[2] or model
    said: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider_of(model),
        "gen_ai.request.model": name,
        "gen_ai.usage.input_tokens": int(call["prompt_tokens"]),
        "gen_ai.usage.output_tokens": int(call["completion_tokens"]),
        "leadline.role": str(call["role"]),
        "leadline.cost_dollars": float(call["cost"]),
    }
    failed = "model_call_failed" if call.get("error") else ""
    return Span(f"chat {name}", key, parent, start, end, said, client=True, error=failed)


def _word(error: str) -> str:
    """A failure's first word only: the rest of a message may quote anything."""
    return error if error.isidentifier() else "step_failed" if error else ""
