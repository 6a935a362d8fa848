"""Says in words what a field of a pydantic model accepts, for messages and for the docs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

_WORDS: dict[Any, str] = {
    Path: "the path of a folder",
    SecretStr: "a key",
    bool: "true or false",
    str: "text",
}


def allowed(field: FieldInfo) -> str:
    """What a value of this field must be: `a whole number, at least 1 and at most 100`."""
    kind = kind_of(field)
    if options := choices(field):
        return "one of " + ", ".join(options)
    if kind in _WORDS:
        return _WORDS[kind] + _shape(field)
    if get_origin(kind) is tuple:
        return "paths of folders" if Path in get_args(kind) else "a list of words"
    return ("a whole number" if kind is int else "a number") + _range(field)


def wanted(field: FieldInfo, error: Mapping[str, Any]) -> str:
    """What a refused value should have been, in the words of the check that refused it."""
    if error.get("type") == "value_error":
        return str(error["ctx"]["error"])
    return f"must be {allowed(field)}"


def choices(field: FieldInfo) -> tuple[str, ...]:
    """The words a field accepts, where it accepts only some."""
    kind = kind_of(field)
    if get_origin(kind) is Literal:
        return get_args(kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(member.value for member in kind)
    return ()


def kind_of(field: FieldInfo) -> Any:
    """The type of a field without its `| None` and its bounds."""
    kind: Any = field.annotation
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _shape(field: FieldInfo) -> str:
    patterns = (getattr(bound, "pattern", None) for bound in _bounds(field))
    return next((f" like {one}" for one in patterns if one), "")


def _range(field: FieldInfo) -> str:
    low = high = ""
    for bound in _bounds(field):
        if isinstance(bound, Ge):
            low = f"at least {bound.ge}"
        elif isinstance(bound, Gt):
            low = f"above {bound.gt}"
        elif isinstance(bound, Le):
            high = f"at most {bound.le}"
    said = " and ".join(part for part in (low, high) if part)
    return f", {said}" if said else ""


def _bounds(field: FieldInfo) -> Iterator[object]:
    inner = (getattr(part, "__metadata__", ()) for part in get_args(field.annotation))
    for metadata in (field.metadata, *inner):
        for bound in metadata:
            yield from bound.metadata if isinstance(bound, FieldInfo) else (bound,)
