"""Values to plain JSON types and back, by msgspec: what journal and run files are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Misfit(ValueError):
    """A value that is not of the type it should be; says where it stands."""


def dumped(value: Any) -> Any:
    """`value` as JSON can hold it: tuples and sets as lists, times as text."""
    return _with_lists(msgspec.to_builtins(value, str_keys=True, enc_hook=_plain))


def loaded(kind: Any, value: Any) -> Any:
    """The value of that type that `dumped` made this of; `Misfit` where it is none.

    A field that is missing has its default, one that nobody knows is passed over.
    """
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise Misfit(str(error)) from error


def _plain(value: Any) -> Any:
    """Kin of what JSON knows, numpy's float64 among them."""
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__module__}.{type(value).__qualname__} cannot be kept as JSON")


def _with_lists(value: Any) -> Any:
    """The same with lists for tuples, as it comes back from a file."""
    if isinstance(value, dict):
        return {name: _with_lists(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(inner) for inner in value]
    return value
