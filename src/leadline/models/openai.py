"""The chat completions of OpenAI, which vLLM, llama.cpp, LM Studio, OpenRouter and others speak."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from leadline.models.wire import (
    NO_KEY,
    Feature,
    Reply,
    Request,
    Secret,
    base64_of,
    call_id,
    image_type,
    made,
    parameters,
    settled,
    told_in_words,
)
from leadline.text.shape import json_schema
from leadline.types import Ask, ToolCall

_THINKS = re.compile(r"(?:^|/)(?:gpt-5|gpt-oss|o\d)", re.IGNORECASE)


@dataclass(frozen=True)
class OpenAIDialect:
    """`limit_name` is what the endpoint calls the ceiling of an answer."""

    model: str
    key: Secret = NO_KEY
    limit_name: str = "max_tokens"

    def request(self, ask: Ask, without: frozenset[Feature], *, stream: bool) -> Request:
        ask = settled(ask, without)
        native = ask.schema is not None and "schema" not in without
        system = ask.system if native else told_in_words(ask)
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": system},
                *_turns(ask),
                {"role": "user", "content": _content(ask)},
            ],
            self._limit_name(without): ask.max_tokens,
        }
        if "temperature" not in without:
            body["temperature"] = ask.temperature
        if "think" not in without and _THINKS.search(self.model):
            body["reasoning_effort"] = "low"  # thoughts would eat the answer's tokens
        if native:
            body["response_format"] = _format(ask)
        if ask.tools:
            body["tools"] = functions(ask)
        if stream:
            body["stream"] = True
            if "usage" not in without:
                body["stream_options"] = {"include_usage": True}
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return Request("/chat/completions", body, headers)

    def _limit_name(self, without: frozenset[Feature]) -> str:
        names = ["max_tokens", "max_completion_tokens"]
        return self.limit_name if "max_tokens" not in without else _other(names, self.limit_name)

    def reply(self, body: Any) -> Reply:
        choice = body["choices"][0]
        message = choice["message"]
        return Reply(
            text=_text(message.get("content")),
            cut=choice.get("finish_reason") == "length",
            refusal=message.get("refusal") or "",
            calls=calls_of(message),
            **_usage(body.get("usage")),
        )

    def piece(self, body: Any) -> Reply:
        usage = _usage(body.get("usage"))
        if not body.get("choices"):
            return Reply(**usage)
        choice = body["choices"][0]
        delta = choice.get("delta") or {}
        cut = choice.get("finish_reason") == "length"
        return Reply(_text(delta.get("content")), cut=cut, **usage)


def _content(ask: Ask) -> Any:
    if not ask.images:
        return ask.prompt
    images = [
        {
            "type": "image_url",
            "image_url": {"url": f"data:{image_type(image)};base64,{base64_of(image)}"},
        }
        for image in ask.images
    ]
    return [{"type": "text", "text": ask.prompt}, *images]


def functions(ask: Ask) -> list[dict[str, Any]]:
    """The tools as this endpoint and Ollama's take them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.about,
                "parameters": parameters(tool),
            },
        }
        for tool in ask.tools
    ]


def calls_of(message: Any) -> tuple[ToolCall, ...]:
    """The calls in a message; a function without a name is none."""
    told = [call.get("function") or {} for call in message.get("tool_calls") or ()]
    return tuple(made(one["name"], one.get("arguments")) for one in told if one.get("name"))


def _turns(ask: Ask) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number, turn in enumerate(ask.turns):
        if turn.asked:
            messages.append({"role": "user", "content": turn.asked})
        ids = [call_id(number, place) for place in range(len(turn.calls))]
        calls = [
            {
                "id": id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for id, call in zip(ids, turn.calls, strict=True)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": id, "content": result}
            for id, result in zip(ids, turn.results, strict=True)
        ]
    return messages


def _format(ask: Ask) -> dict[str, Any]:
    assert ask.schema is not None
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "schema": json_schema(ask.schema),
            "strict": True,
        },
    }


def _text(content: Any) -> str:
    """Content is a string, or with some servers a list of parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
    return content or ""


def _usage(usage: Any) -> dict[str, Any]:
    if not usage:
        return {}
    return {
        "prompt_tokens": usage.get("prompt_tokens") or 0,
        "completion_tokens": usage.get("completion_tokens") or 0,
        "cost": float(usage.get("cost") or 0.0),  # OpenRouter says what it took
    }


def _other(names: list[str], one: str) -> str:
    return next(name for name in names if name != one)
