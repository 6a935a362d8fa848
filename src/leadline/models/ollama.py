"""Ollama's own API: the only one through which the length of the context can be set.

Without `num_ctx` Ollama cuts a longer prompt in silence; it is therefore sent with every call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leadline.models.openai import calls_of, functions
from leadline.models.wire import (
    NO_KEY,
    Feature,
    Reply,
    Request,
    Secret,
    arguments,
    base64_of,
    settled,
    told_in_words,
)
from leadline.text.shape import json_schema
from leadline.types import Ask


@dataclass(frozen=True)
class OllamaDialect:
    """`keep_alive` is how long the model stays loaded after a call."""

    model: str
    window: int
    keep_alive: str = "5m"
    key: Secret = NO_KEY

    def request(self, ask: Ask, without: frozenset[Feature], *, stream: bool) -> Request:
        ask = settled(ask, without)
        native = ask.schema is not None and "schema" not in without
        user: dict[str, Any] = {"role": "user", "content": ask.prompt}
        if ask.images:
            user["images"] = [base64_of(image) for image in ask.images]
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "system", "content": told_in_words(ask)}, *_turns(ask), user],
            "stream": stream,
            "keep_alive": self.keep_alive,
            "options": {
                "num_ctx": self.window,
                "num_predict": ask.max_tokens,
                "temperature": ask.temperature,
            },
        }
        if "think" not in without:
            body["think"] = False  # thoughts would eat the answer's tokens
        if native and ask.schema is not None:
            body["format"] = json_schema(ask.schema)
        if ask.tools:
            body["tools"] = functions(ask)
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return Request("/api/chat", body, headers)

    def reply(self, body: Any) -> Reply:
        return self._read(body, body["message"])

    def piece(self, body: Any) -> Reply:
        if body.get("error"):
            raise ValueError(str(body["error"]))
        return self._read(body, body.get("message") or {})

    def _read(self, body: Any, message: Any) -> Reply:
        return Reply(
            text=message.get("content") or "",
            prompt_tokens=body.get("prompt_eval_count") or 0,
            completion_tokens=body.get("eval_count") or 0,
            cut=body.get("done_reason") == "length",
            calls=calls_of(message),
        )


def _turns(ask: Ask) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for turn in ask.turns:
        if turn.asked:
            messages.append({"role": "user", "content": turn.asked})
        calls = [
            {"function": {"name": call.name, "arguments": arguments(call)}} for call in turn.calls
        ]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_name": call.name, "content": result}
            for call, result in zip(turn.calls, turn.results, strict=True)
        ]
    return messages
