"""What a dialect of the model wire is: it builds one request and reads one reply, nothing else."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from leadline.text.shape import shape_of
from leadline.types import Ask

Feature = Literal["schema", "temperature", "max_tokens", "think", "usage"]
"""What an endpoint may refuse; it is then asked again without."""


class Secret(str):
    """A key. It shows as nothing, so that it cannot end up in a log."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Secret(…)" if self else "Secret('')"


NO_KEY = Secret()


@dataclass(frozen=True, slots=True)
class Request:
    """A POST to `path` under the endpoint's address."""

    path: str
    json: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply, or one piece of a streamed one. Counts are 0 where the piece has none."""

    text: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    cut: bool = False
    refusal: str = ""


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
