"""What a dialect of the model wire is: it builds one request and reads one reply, nothing else."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from leadline.text.shape import json_schema, required_names, shape_of
from leadline.types import Ask, Tool, ToolCall, Turn
from leadline.values import replace

Feature = Literal["schema", "temperature", "max_tokens", "think", "usage", "tools"]
"""What an endpoint may refuse; it is then asked again without."""


class Secret(str):
    """A key. It shows as nothing, so that it cannot end up in a log."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Secret(…)" if self else "Secret('')"


NO_KEY = Secret()


@dataclass(frozen=True)
class Request:
    """A POST to `path` under the endpoint's address."""

    path: str
    json: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Reply:
    """A whole reply, or one piece of a streamed one. Counts are 0 where the piece has none."""

    text: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    cut: bool = False
    refusal: str = ""
    calls: tuple[ToolCall, ...] = ()


class Dialect(Protocol):
    """One way of talking to a model over HTTP."""

    def request(self, ask: Ask, without: frozenset[Feature], *, stream: bool) -> Request: ...

    def reply(self, body: Any) -> Reply:
        """Reads a whole answer. LookupError, TypeError or ValueError when it is no answer."""

    def piece(self, body: Any) -> Reply:
        """Reads one event of a stream; counts of later events replace those of earlier ones."""


def told_in_words(ask: Ask) -> str:
    """The system text for an endpoint that takes no schema."""
    if ask.schema is None:
        return ask.system
    form = shape_of(ask.schema)
    return f"{ask.system}\n\nAnswer with JSON of exactly this form and nothing else: {form}"


# ── tools ───────────────────────────────────────────────────────────────────────────────────


def settled(ask: Ask, without: frozenset[Feature]) -> Ask:
    """The request with its tools and turns told in words, unless the endpoint takes them."""
    if not ask.turns and not ask.tools:
        return ask
    if ask.tools and ask.native and "tools" not in without:
        return ask
    system = f"{ask.system}\n\n{_tools_in_words(ask.tools)}" if ask.tools else ask.system
    prompt = f"{_turns_in_words(ask.turns)}\n\n{ask.prompt}" if ask.turns else ask.prompt
    return replace(ask, system=system, prompt=prompt, tools=(), turns=())


def _tools_in_words(tools: tuple[Tool, ...]) -> str:
    lines = [f"- {tool.name} {shape_of(tool.takes)}: {tool.about}" for tool in tools]
    return "\n".join(
        [
            "You can call these tools:",
            *lines,
            "To call one, answer with JSON of this form and nothing else: "
            '{"tool": "its name", "arguments": {…}}. For several at once, a list of them.',
            "When you know enough, write the answer itself instead, not as JSON.",
        ]
    )


def _turns_in_words(turns: tuple[Turn, ...]) -> str:
    lines = [
        f"{call.name} {call.arguments} -> {result}"
        for turn in turns
        for call, result in zip(turn.calls, turn.results, strict=True)
    ]
    return "\n".join(["Your calls so far, and what came of them:", *lines])


def parameters(tool: Tool) -> dict[str, Any]:
    """The JSON schema of a tool's arguments; those with a default may be left out."""
    return json_schema(tool.takes) | {"required": required_names(tool.takes)}


def call_id(turn: int, place: int) -> str:
    """Nine letters and digits, which is what the strictest endpoint wants."""
    return f"call{turn:03d}{place:02d}"


def arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments as an object; nothing where they are none."""
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def made(name: Any, given: Any) -> ToolCall:
    """A call as an endpoint tells it; arguments are JSON text or an object."""
    text = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
    return ToolCall(str(name), text)


def image_type(data: bytes) -> str:
    """The media type of an image by its first bytes."""
    if data.startswith(b"\xff\xd8"):
        return "image/jpeg"
    if data.startswith(b"GIF8"):
        return "image/gif"
    if data[8:12] == b"WEBP":
        return "image/webp"
    return "image/bmp" if data.startswith(b"BM") else "image/png"


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
