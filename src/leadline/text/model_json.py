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
_END = "q7tornq7"  # put after the text: what holds it was cut off there; where the first letter
_TORN = "7tornq7"  # of it is taken for a sign, this is left
_OPENING = re.compile(r"[{\[]")
_CURLY = re.compile(r"[{,]\s*[“„]|”\s*:")  # quotes of prose round names
_CURLY_QUOTE = re.compile(r"(?<=[{\[,:])\s*[“„”]|[“”](?=\s*[:,}\]])")
_NOTHING: tuple[Any, ...] = ("", {}, [])
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")
_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_TAG = re.compile(rf"<(/?)(?:{_TAGS})>|\[(/?)THINK\]|◁(/?)think▷", re.IGNORECASE)
# Channels as gpt-oss writes them where the server does not take them apart.
_FINAL = re.compile(r"<\|channel\|>\s*final(?:\s*<\|constrain\|>\s*\w{1,20})?\s*<\|message\|>")
_CHANNEL = re.compile(r"<\|channel\|>\s*(?:analysis|commentary)")
_CONTROL = re.compile(r"<\|(?:start|end|return|message|channel|im_end|eot_id)\|>")


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


# ── JSON as models write it ─────────────────────────────────────────────────────────────────


def json_values(text: str) -> list[Any]:
    """Every object and list in `text`, mended, the last one first: it is the answer, others are
    drafts. Of a list that was cut off, a torn item is left out where whole ones stand before it."""
    opening = _OPENING.search(text)
    if opening is None or len(_OPENING.findall(text)) > MOST_BRACKETS:
        return []
    import json_repair

    text = text[opening.start() :]
    if _CURLY.search(text):
        text = _CURLY_QUOTE.sub('"', text)
    try:
        read = json_repair.loads(_HALF_ESCAPE.sub("", text) + _END, skip_json_loads=True)
    except (ValueError, RecursionError):
        return []
    return _each(_untorn(read))


def _each(value: Any) -> list[Any]:
    """The value itself, after the objects of a list: several values come as one."""
    objects = value[::-1] if isinstance(value, list) else []
    found = [*(one for one in objects if isinstance(one, dict)), value]
    return [one for one in found if one and isinstance(one, dict | list)]


def _untorn(value: Any) -> Any:
    """Without what was cut off in the middle, where something whole stands before it."""
    if isinstance(value, list):
        whole = [_untorn(one) for one in value if not _is_torn(one)]
        return whole or [one for one in map(_untorn, value) if one not in _NOTHING]
    if isinstance(value, dict):
        inner = {name: _untorn(one) for name, one in value.items() if _TORN not in name}
        return {
            name: one
            for name, one in inner.items()
            if one not in _NOTHING or not _is_torn(value[name])
        }
    if isinstance(value, str):
        begun, torn, _ = value.partition(_TORN)
        return _literal(begun.removesuffix("q")) if torn else _joined(value)
    return value


def _literal(text: str) -> Any:
    """The number or word that a cut-off text may be; else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return _joined(text)


def _joined(text: str) -> str:
    """With the halves of a character as one: json-repair reads escapes one by one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_torn(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_TORN in name or _is_torn(one) for name, one in value.items())
    if isinstance(value, list):
        return any(map(_is_torn, value))
    return isinstance(value, str) and _TORN in value


# ── the wanted shape ────────────────────────────────────────────────────────────────────────


def parse(text: str, schema: type[T]) -> T:
    """The value of type `schema`, a class of values, that `text` holds. Raises `Unreadable`."""
    problem = "there is no JSON in the answer"
    for value in _candidates(without_thoughts(text)):
        for form in _forms(value, inspect.type_info(schema)):
            try:
                return msgspec.convert(form, schema, strict=False)
            except msgspec.ValidationError as error:
                problem = str(error)
    raise Unreadable(problem)


def _candidates(text: str) -> list[Any]:
    try:
        return _each(json.loads(text))
    except (ValueError, RecursionError):
        return json_values(text)


def _forms(value: Any, shape: Any) -> Iterator[Any]:
    """The value fitted to the shape: as it is, as what one name wraps, as the items of a list."""
    if isinstance(value, dict):
        wrapped = [one for one in value.values() if isinstance(one, dict)]
        known = {_plain(one.name) for one in shape.fields}
        inner = [one for one in wrapped if known & set(map(_plain, one))]
        # Where nothing is required, anything would do: not what has none of the names.
        if known & set(map(_plain, value)) or any(one.required for one in shape.fields):
            yield _fitted(value, shape)
        yield from (_fitted(one, shape) for one in inner)
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
        case inspect.StructType() | inspect.DataclassType():
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
    given = value if isinstance(value, list) else [value]
    items = [_fitted(one, kind.item_type) for one in given if one not in (None, "")]
    complete = [one for one in items if _complete(one, _bare(kind.item_type))]
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


def _complete(value: Any, kind: Any) -> bool:
    """Whether an item has every field it needs; one that lacks some is no use beside others."""
    fields = getattr(kind, "fields", ())
    return not isinstance(value, dict) or all(one.name in value for one in fields if one.required)


def _option(value: Any, options: Any) -> Any:
    """The word that is meant: in another case, with other signs between, or cut off."""
    said = _plain(str(value))
    same = [one for one in options if _plain(str(one)) == said]
    begun = [one for one in options if said and _plain(str(one)).startswith(said)]
    return next(iter(same or begun), None)


def _bounded(value: Any, kind: Any) -> Any:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return value
    if kind.ge is not None and number < kind.ge:
        return kind.ge
    return kind.le if kind.le is not None and number > kind.le else value


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
