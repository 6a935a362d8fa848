"""Makes a value of what a model sent: thoughts and prose left out, JSON mended, the shape checked.

`parse` tries the answer as it is, then mends it once. What cannot be mended raises `Unreadable`
with the reason in words that a model understands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_origin, get_type_hints

from leadline.text.loose_json import Read, read_value
from leadline.text.shape import options_of

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

MAX_CANDIDATES = 40
_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_TAG = re.compile(rf"<(/?)(?:{_TAGS})>|\[(/?)THINK\]|◁(/?)think▷", re.IGNORECASE)
# Channels as gpt-oss writes them where the server does not take them apart.
_FINAL = re.compile(r"<\|channel\|>\s*final(?:\s*<\|constrain\|>\s*\w{1,20})?\s*<\|message\|>")
_CHANNEL = re.compile(r"<\|channel\|>\s*(?:analysis|commentary)")
_CONTROL = re.compile(r"<\|(?:start|end|return|message|channel|im_end|eot_id)\|>")
_OPENING = re.compile(r"[{\[]")


class Unreadable(ValueError):
    """No value of the wanted shape is in the answer; says why."""


def without_thoughts(text: str) -> str:
    """The answer without what a reasoning model thought aloud.

    A block that was never closed is dropped to its end, since no answer followed it, unless
    nothing stands before it: then what it says is all there is.
    """
    text = _last_channel(text.replace("\ufeff", ""))
    kept: list[str] = []
    start, opened = 0, -1
    for tag in _TAG.finditer(text):
        if not any(tag.groups()):
            if opened < 0:
                kept.append(text[start : tag.start()])
                opened = tag.end()
            continue
        if opened < 0:
            kept.clear()  # a template swallowed the opening: all so far was thought
        start, opened = tag.end(), -1
    if opened < 0:
        kept.append(text[start:])
    return "".join(kept).strip() or (text[opened:].strip() if opened >= 0 else "")


def _last_channel(text: str) -> str:
    """The final channel of an answer that still has its channels; else the text as it is."""
    finals = list(_FINAL.finditer(text))
    if finals:
        return _CONTROL.split(text[finals[-1].end() :], maxsplit=1)[0]
    return "" if _CHANNEL.search(text) else text


def parse(text: str, schema: type[T]) -> T:
    """The value of type `schema`, a dataclass, that `text` holds. Raises `Unreadable`."""
    try:
        return _checked(json.loads(text), schema)
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
                return _checked(value, schema)
            except ValueError as error:
                problem = problem or _said(error)
    raise Unreadable(problem)


def _checked(value: Any, schema: type[T]) -> T:
    return cast(T, _bounded(_adapter(schema).validate_python(value)))


def _bounded(value: Any) -> Any:
    """Within the bounds its fields name: cut down to the most, refused below the least items."""
    if isinstance(value, tuple):
        return tuple(_bounded(one) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    for one in fields(value):
        held = _bounded(getattr(value, one.name))
        least, most = one.metadata.get("least"), one.metadata.get("most")
        if isinstance(held, tuple):
            if len(held) < (least or 0):
                raise Unreadable(f"{one.name}: at least {least} wanted, got {len(held)}")
            held = held[:most]
        elif isinstance(held, int | float) and not isinstance(held, bool):
            held = max(held, least) if least is not None else held
            held = min(held, most) if most is not None else held
        changed[one.name] = held
    return replace(value, **changed)


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
        if own is None or (inner is None and not _is_list(hints[own])):
            continue
        fitted = _fitted(inner, hints[own])
        if fitted is not None:
            renamed[own] = fitted
    return renamed


def _fitted(value: Any, kind: Any) -> Any:
    if _is_list(kind):
        item = kind.__args__[0]
        items = value if isinstance(value, list) else [value]
        fitted = [_fitted(one, item) for one in items if one not in (None, "")]
        return [one for one in fitted if _has_all(one, item)] or fitted
    if is_dataclass(kind):
        if isinstance(value, str | int | float):
            first = fields(kind)[0].name  # "a query" where {"query": …} was wanted
            return {first: value}
        return _renamed(value, kind)
    if (options := options_of(kind)) and isinstance(value, str):
        return _option(value, options)
    if kind is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _option(value: str, options: tuple[str, ...]) -> str | None:
    """The word that is meant: in another case, with other signs between, or cut off."""
    said = _plain(value)
    same = [one for one in options if _plain(one) == said]
    begun = [one for one in options if said and _plain(one).startswith(said)]
    return next(iter(same or begun), None)


def _has_all(value: Any, kind: Any) -> bool:
    """Whether an item has every field it needs; one that lacks some is no use beside others."""
    if not is_dataclass(kind) or not isinstance(value, dict):
        return True
    needed = (one for one in fields(kind) if one.default is one.default_factory is MISSING)
    return all(one.name in value for one in needed)


def _list_fields(schema: type[Any]) -> list[str]:
    hints = get_type_hints(schema)
    return [one.name for one in fields(schema) if _is_list(hints[one.name])]


def _is_list(kind: Any) -> bool:
    return get_origin(kind) in (tuple, list)


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
