"""What every value of ours is: a frozen msgspec Struct, compared and hashed by its fields."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, dataclass_transform

import msgspec
from msgspec import field

__all__ = ["Value", "field", "field_names", "replace"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _Frozen(msgspec.StructMeta):
    """Tells type checkers that what derives from `Value` is frozen too."""


class Value(msgspec.Struct, metaclass=_Frozen, frozen=True):
    """A value; with `dict=True` beside it where a class has cached properties."""


def replace(value: T, /, **changes: Any) -> T:
    """The same value with some fields changed; also of a dataclass."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **changes)
    return dataclasses.replace(value, **changes)  # type: ignore[type-var]


def field_names(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a class of values, or of a dataclass."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return tuple(one.name for one in dataclasses.fields(kind))
