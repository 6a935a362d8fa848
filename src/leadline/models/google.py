"""Google's generateContent."""

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
    image_type,
    made,
    parameters,
    settled,
    told_in_words,
)
from leadline.text.shape import json_schema
from leadline.types import Ask, Tool


@dataclass(frozen=True)
class GoogleDialect:
    model: str
    key: Secret = NO_KEY

    def request(self, ask: Ask, without: frozenset[Feature], *, stream: bool) -> Request:
        ask = settled(ask, without)
        native = ask.schema is not None and "schema" not in without
        system = ask.system if native else told_in_words(ask)
        config: dict[str, Any] = {"maxOutputTokens": ask.max_tokens}
        if "temperature" not in without:
            config["temperature"] = ask.temperature
        if "think" not in without:
            config["thinkingConfig"] = {"thinkingBudget": 0}  # they would eat the answer's tokens
        if native and ask.schema is not None:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = json_schema(ask.schema)
        body: dict[str, Any] = {
            "systemInstruction": {"parts": [{"text": system}]},
            "contents": [*_turns(ask), {"role": "user", "parts": _parts(ask)}],
            "generationConfig": config,
        }
        if ask.tools:
            body["tools"] = [{"functionDeclarations": [_declared(tool) for tool in ask.tools]}]
        verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return Request(f"/v1beta/models/{self.model}:{verb}", body, {"x-goog-api-key": self.key})

    def reply(self, body: Any) -> Reply:
        usage = body.get("usageMetadata") or {}
        counts: dict[str, Any] = {
            "prompt_tokens": usage.get("promptTokenCount") or 0,
            "completion_tokens": (usage.get("candidatesTokenCount") or 0)
            + (usage.get("thoughtsTokenCount") or 0),
        }
        if blocked := (body.get("promptFeedback") or {}).get("blockReason"):
            return Reply(refusal=f"the prompt was blocked ({blocked})", **counts)
        answer = body["candidates"][0]
        parts = (answer.get("content") or {}).get("parts") or []
        return Reply(
            text="".join(part.get("text") or "" for part in parts if not part.get("thought")),
            cut=answer.get("finishReason") == "MAX_TOKENS",
            calls=tuple(
                made(part["functionCall"]["name"], part["functionCall"].get("args"))
                for part in parts
                if part.get("functionCall")
            ),
            **counts,
        )

    def piece(self, body: Any) -> Reply:
        return self.reply(body) if body.get("candidates") else Reply()


def _declared(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.about,
        "parametersJsonSchema": parameters(tool),
    }


def _turns(ask: Ask) -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = []
    for turn in ask.turns:
        if turn.asked:
            contents.append({"role": "user", "parts": [{"text": turn.asked}]})
        called = [
            {"functionCall": {"name": call.name, "args": arguments(call)}} for call in turn.calls
        ]
        answers = [
            {"functionResponse": {"name": call.name, "response": {"result": result}}}
            for call, result in zip(turn.calls, turn.results, strict=True)
        ]
        contents += [{"role": "model", "parts": called}, {"role": "user", "parts": answers}]
    return contents


def _parts(ask: Ask) -> list[dict[str, Any]]:
    images = [
        {"inlineData": {"mimeType": image_type(image), "data": base64_of(image)}}
        for image in ask.images
    ]
    return [*images, {"text": ask.prompt}]
