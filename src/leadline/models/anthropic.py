"""The messages of Anthropic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leadline.models.wire import (
    NO_KEY,
    Feature,
    Reply,
    Request,
    Secret,
    arguments,
    base64_of,
    call_id,
    image_type,
    made,
    parameters,
    settled,
    told_in_words,
)
from leadline.text.shape import json_schema
from leadline.types import Ask

VERSION = "2023-06-01"
_BOUNDS = frozenset({"minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength"})


@dataclass(frozen=True)
class AnthropicDialect:
    model: str
    key: Secret = NO_KEY

    def request(self, ask: Ask, without: frozenset[Feature], *, stream: bool) -> Request:
        ask = settled(ask, without)
        native = ask.schema is not None and "schema" not in without
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": ask.max_tokens,
            "system": ask.system if native else told_in_words(ask),
            "messages": _messages(ask),
        }
        if "temperature" not in without:
            body["temperature"] = ask.temperature
        if native and ask.schema is not None:
            schema = _unbounded(json_schema(ask.schema))
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        if ask.tools:
            body["tools"] = [
                {
                    "name": tool.name,
                    "description": tool.about,
                    "input_schema": _unbounded(parameters(tool)),
                }
                for tool in ask.tools
            ]
        if stream:
            body["stream"] = True
        headers = {"x-api-key": str(self.key), "anthropic-version": VERSION}
        return Request("/v1/messages", body, headers)

    def reply(self, body: Any) -> Reply:
        text = "".join(part["text"] for part in body["content"] if part["type"] == "text")
        calls = tuple(
            made(part["name"], part.get("input"))
            for part in body["content"]
            if part["type"] == "tool_use"
        )
        return Reply(text, calls=calls, **_usage(body), **_end(body))

    def piece(self, body: Any) -> Reply:
        kind = body.get("type")
        if kind == "error":
            raise ValueError(str(body["error"].get("message", "an error")))
        if kind == "message_start":
            return Reply(**_usage(body["message"]))
        if kind == "content_block_delta":
            return Reply(body["delta"].get("text") or "")
        if kind == "message_delta":
            return Reply(**_usage(body), **_end(body["delta"]))
        return Reply()


def _messages(ask: Ask) -> list[dict[str, Any]]:
    """Results stand in the message of the user, before what is asked next."""
    messages: list[dict[str, Any]] = []
    waiting: list[dict[str, Any]] = []
    for number, turn in enumerate(ask.turns):
        asked = [{"type": "text", "text": turn.asked}] if turn.asked else []
        messages.append({"role": "user", "content": waiting + asked})
        ids = [call_id(number, place) for place in range(len(turn.calls))]
        used = [
            {"type": "tool_use", "id": id, "name": call.name, "input": arguments(call)}
            for id, call in zip(ids, turn.calls, strict=True)
        ]
        messages.append({"role": "assistant", "content": used})
        waiting = [
            {"type": "tool_result", "tool_use_id": id, "content": result}
            for id, result in zip(ids, turn.results, strict=True)
        ]
    return [*messages, {"role": "user", "content": waiting + _content(ask)}]


def _content(ask: Ask) -> list[dict[str, Any]]:
    images = [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": image_type(image),
                "data": base64_of(image),
            },
        }
        for image in ask.images
    ]
    return [*images, {"type": "text", "text": ask.prompt}]


def _usage(body: Any) -> dict[str, Any]:
    usage = body.get("usage") or {}
    cached = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return {
        "prompt_tokens": sum(usage.get(name) or 0 for name in cached),
        "completion_tokens": usage.get("output_tokens") or 0,
    }


def _end(body: Any) -> dict[str, Any]:
    reason = body.get("stop_reason")
    return {
        "cut": reason == "max_tokens",
        "refusal": "it declined to answer" if reason == "refusal" else "",
    }


def _unbounded(schema: Any) -> Any:
    """Without bounds, which this endpoint refuses; the parser checks them."""
    if isinstance(schema, dict):
        return {name: _unbounded(part) for name, part in schema.items() if name not in _BOUNDS}
    return [_unbounded(part) for part in schema] if isinstance(schema, list) else schema
