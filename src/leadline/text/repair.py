"""Makes a value of what a model sent: thoughts and prose left out, JSON mended, the shape checked.

`parse` tries the answer as it is, then mends it once. What cannot be mended raises `Unreadable`
with the reason in words that a model understands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_origin, get_type_hints

from leadline.text.loose_json import Read, read_value

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

MAX_CANDIDATES = 40
_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_THOUGHT = re.compile(rf"<({_TAGS})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_UNOPENED = re.compile(rf"\A.*</(?:{_TAGS})>", re.DOTALL | re.IGNORECASE)
_UNCLOSED = re.compile(rf"<(?:{_TAGS})>", re.IGNORECASE)
_OPENING = re.compile(r"[{\[]")


class Unreadable(ValueError):
    """No value of the wanted shape is in the answer; says why."""


def without_thoughts(text: str) -> str:
    """The answer without what a reasoning model thought aloud.

    A block that was never closed is dropped to its end, since no answer followed it, unless
    nothing stands before it: then what it says is all there is.
    """
    text = _THOUGHT.sub("", text.replace("\ufeff", ""))
    text = _UNOPENED.sub("", text)
    if unclosed := _UNCLOSED.search(text):
        before = text[: unclosed.start()]
        text = before if before.strip() else text[unclosed.end() :]
    return text.strip()


def parse(text: str, schema: type[T]) -> T:
    """The value of type `schema`, a dataclass, that `text` holds. Raises `Unreadable`."""
    try:
        return cast(T, _adapter(schema).validate_python(json.loads(text)))
    except (ValueError, RecursionError):
        return _mended(without_thoughts(text), schema)


def _mended(text: str, schema: type[T]) -> T:
    found = list(_candidates(text))
    problem = "there is no JSON in the answer" if not found else ""
    # A later value is the answer, an earlier one a draft; a whole one is better than a cut one.
    found.reverse()
    for read in sorted(found, key=lambda one: not one.whole):
        for value in _forms(read.value, schema):
            try:
                return cast(T, _adapter(schema).validate_python(value))
            except ValueError as error:
                problem = problem or _said(error)
    raise Unreadable(problem)


def _candidates(text: str) -> Iterator[Read]:
    at = 0
    for _ in range(MAX_CANDIDATES):
        opening = _OPENING.search(text, at)
        if not opening:
            return
        read = read_value(text, opening.start())
        if read is None:
            at = opening.end()
            continue
        if read.value:
            yield read
        at = max(read.end, opening.end())


def _forms(value: Any, schema: type[Any]) -> Iterator[Any]:
    """The value as it came, and in the ways models wrap or name things differently."""
    yield value
    if not is_dataclass(schema):
        return
    yield _renamed(value, schema)
    if isinstance(value, dict) and len(value) == 1:
        inner = next(iter(value.values()))
        yield _renamed(inner, schema)
    if isinstance(value, dict) and isinstance(value.get("properties"), dict):
        yield _renamed(value["properties"], schema)
    if isinstance(value, list):
        lists = _list_fields(schema)
        if len(lists) == 1:
            yield _renamed({lists[0]: value}, schema)
        yield from (_renamed(one, schema) for one in value[:1])


def _renamed(value: Any, schema: Any) -> Any:
    """Names in another case, single items where a list is wanted, nulls where a default stands."""
    if not is_dataclass(schema) or not isinstance(value, dict):
        return value
    hints = get_type_hints(schema)
    ours = {_plain(one.name): one.name for one in fields(schema)}
    renamed: dict[str, Any] = {}
    for name, inner in value.items():
        own = ours.get(_plain(str(name)))
        if own is None or inner is None:
            continue
        renamed[own] = _fitted(inner, hints[own])
    return renamed


def _fitted(value: Any, kind: Any) -> Any:
    if get_origin(kind) in (tuple, list):
        item = kind.__args__[0]
        items = value if isinstance(value, list) else [value]
        fitted = [_fitted(one, item) for one in items if one not in (None, "")]
        return [one for one in fitted if _has_all(one, item)] or fitted
    if is_dataclass(kind):
        if isinstance(value, str | int | float):
            first = fields(kind)[0].name  # "a query" where {"query": …} was wanted
            return {first: value}
        return _renamed(value, kind)
    if kind is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _has_all(value: Any, kind: Any) -> bool:
    """Whether an item has every field it needs; one that lacks some is no use beside others."""
    if not is_dataclass(kind) or not isinstance(value, dict):
        return True
    needed = (one for one in fields(kind) if one.default is one.default_factory is MISSING)
    return all(one.name in value for one in needed)


def _list_fields(schema: type[Any]) -> list[str]:
    hints = get_type_hints(schema)
    return [one.name for one in fields(schema) if get_origin(hints[one.name]) in (tuple, list)]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def _adapter(schema: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    if schema not in _ADAPTERS:
        _ADAPTERS[schema] = TypeAdapter(schema)
    return _ADAPTERS[schema]


def _said(error: ValueError) -> str:
    """The first three faults, each with the place it is at."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:3]
    return "; ".join(
        f"{'.'.join(str(part) for part in fault['loc']) or 'the answer'}: {fault['msg']}"
        for fault in faults
    )
