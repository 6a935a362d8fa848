"""Makes a value of what a model sent: thoughts left out, JSON mended by json-repair, its shape
checked by msgspec. What cannot be mended raises `Unreadable`, with the reason for the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

T = TypeVar("T")

MOST_BRACKETS = 1_000  # opened in one answer: json-repair takes a minute over 20,000
_OPENING = re.compile(r"[{\[]")
_CURLY = re.compile(r"[{,]\s*[“„]|”\s*:")  # quotes of prose round names
_CURLY_QUOTE = re.compile(r"(?<=[{\[,:])\s*[“„”]|[“”](?=\s*[:,}\]])")
_PAIR = re.compile(  # json-repair reads escapes one by one
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_HALF_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?\\(?:u[0-9a-fA-F]{0,3})?$")
_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_TAG = re.compile(rf"<(/?)(?:{_TAGS})>|\[(/?)THINK\]|◁(/?)think▷", re.IGNORECASE)


class Unreadable(ValueError):
    """No value of the wanted shape is in the answer; says why."""


def without_thoughts(text: str) -> str:
    """The answer without what a reasoning model thought aloud.

    A block that was never closed is dropped to its end, since no answer followed it, unless
    nothing stands before it: then what it says is all there is.
    """
    text = text.replace("\ufeff", "")
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


def json_values(text: str) -> list[Any]:
    """Every object and list in `text`, mended, the last one first: it is the answer, others are
    drafts."""
    opening = _OPENING.search(text)
    if opening is None or len(_OPENING.findall(text)) > MOST_BRACKETS:
        return []
    import json_repair

    text = _HALF_ESCAPE.sub("", text[opening.start() :])
    if _CURLY.search(text):
        text = _CURLY_QUOTE.sub('"', text)
    text = _PAIR.sub(lambda pair: str(json.loads(f'"{pair[0]}"')), text)
    try:
        return _each(json_repair.loads(text, skip_json_loads=True))
    except (ValueError, RecursionError):
        return []


def _each(value: Any) -> list[Any]:
    """The value itself, after the objects of a list: several values come as one."""
    objects = value[::-1] if isinstance(value, list) else []
    found = [*(one for one in objects if isinstance(one, dict)), value]
    return [one for one in found if one and isinstance(one, dict | list)]


# ── the wanted shape ────────────────────────────────────────────────────────────────────────


def parse(text: str, schema: type[T]) -> T:
    """The value of type `schema`, a class of values, that `text` holds. Raises `Unreadable`."""
    problem = "there is no JSON in the answer"
    plain = without_thoughts(text)
    try:
        values = _each(json.loads(plain))
    except (ValueError, RecursionError):
        values = json_values(plain)
    for value in values:
        for form in _forms(value, inspect.type_info(schema)):
            try:
                return msgspec.convert(form, schema, strict=False)
            except msgspec.ValidationError as error:
                problem = str(error)
    raise Unreadable(problem)


def _forms(value: Any, shape: Any) -> Iterator[Any]:
    """The value fitted to the shape: as it is, as what one name wraps, as the items of a list."""
    if isinstance(value, dict):
        known = {_plain(one.name) for one in shape.fields}
        # Where nothing is required, anything would do: not what has none of the names.
        if known & set(map(_plain, value)) or any(one.required for one in shape.fields):
            yield _fitted(value, shape)
        for inner in value.values():
            if isinstance(inner, dict) and known & set(map(_plain, inner)):
                yield _fitted(inner, shape)
    lists = [one.name for one in shape.fields if _is_list(one.type)]
    if isinstance(value, list) and len(lists) == 1:
        yield _fitted({lists[0]: value}, shape)


def _fitted(value: Any, kind: Any) -> Any:
    """Names in another case, single items where a list is wanted, numbers out of their bounds, a
    word that is nearly one of those allowed: as it was meant. None where nothing was."""
    kind = _bare(kind)
    match kind:
        case inspect.VarTupleType():
            value = _items(value, kind)
        case inspect.DataclassType():
            value = _with_our_names(value, kind)
        case inspect.LiteralType():
            value = _option(value, kind.values)
        case inspect.EnumType():
            value = _option(value, [str(one.value) for one in kind.cls])
        case inspect.BoolType():
            value = {"yes": True, "no": False}.get(str(value).lower(), value)
        case inspect.IntType() | inspect.FloatType():
            value = _bounded(value, kind)
        case inspect.StrType() if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
    return value


def _bare(kind: Any) -> Any:
    """The type without its description, and without the None that it may be."""
    if isinstance(kind, inspect.Metadata):
        return _bare(kind.type)
    if isinstance(kind, inspect.UnionType):
        return _bare(next(one for one in kind.types if not isinstance(one, inspect.NoneType)))
    return kind


def _is_list(kind: Any) -> bool:
    return isinstance(_bare(kind), inspect.VarTupleType)


def _items(value: Any, kind: inspect.VarTupleType) -> list[Any]:
    """The items; one that lacks a field it needs is no use beside others."""
    given = value if isinstance(value, list) else [value]
    items = [_fitted(one, kind.item_type) for one in given if one not in (None, "")]
    fields = getattr(_bare(kind.item_type), "fields", ())
    needed = {one.name for one in fields if one.required}
    complete = [one for one in items if not fields or needed <= getattr(one, "keys", set)()]
    return (complete or items)[: kind.max_length]


def _with_our_names(value: Any, kind: Any) -> Any:
    if isinstance(value, str | int | float):
        return {kind.fields[0].name: value}  # "a query" where {"query": …} was wanted
    if not isinstance(value, dict):
        return value
    ours = {_plain(one.name): one for one in kind.fields}
    renamed = {}
    for name, inner in value.items():
        own = ours.get(_plain(str(name)))
        if own is None or (inner is None and not _is_list(own.type)):
            continue
        if (fitted := _fitted(inner, own.type)) is not None:
            renamed[own.name] = fitted
    return renamed


def _option(value: Any, options: Any) -> Any:
    """The word that is meant: in another case, with other signs between, or cut off."""
    given = _plain(str(value))
    return next((one for one in options if given and _plain(str(one)).startswith(given)), None)


def _bounded(value: Any, kind: Any) -> Any:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if kind.ge is not None and number < kind.ge:
        return kind.ge
    return kind.le if kind.le is not None and number > kind.le else value


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
