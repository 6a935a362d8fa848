"""What a search provider is: it says what to send and reads what comes back, and nothing else.

A provider is a frozen dataclass whose fields are the settings it needs; a field with a default is
optional. `http.HttpSearcher` does the sending; wrappers retry, cache, limit and count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

from leadline.types import Hit


class Secret(str):
    """A key that no traceback, log or `repr` shows."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'…'"


@dataclass(frozen=True)
class Request:
    """One request. With `json` or `form` it is a POST, else a GET; keys belong in the headers."""

    url: str
    params: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Mapping[str, object] | None = field(default=None, repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)

    @property
    def method(self) -> str:
        return "GET" if self.json is None and self.form is None else "POST"


class Provider(Protocol):
    """Translates. `parse` raises `SourceLost` for a reply of a shape it does not know."""

    name: ClassVar[str]

    def request(self, query: str, k: int) -> Request: ...

    def parse(self, body: bytes) -> tuple[Hit, ...]: ...


@runtime_checkable
class TwoStep(Protocol):
    """A provider whose first reply only says what to ask for; `parse` reads the second one."""

    def follow(self, body: bytes) -> Request | None:
        """The second request, or None when the first reply says that there is nothing."""
