"""Says in words what a setting accepts, for messages and for the docs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from leadline.fields.secret import SecretText

if TYPE_CHECKING:
    from leadline.fields.setting import Setting

_WORDS: dict[Any, str] = {
    Path: "the path of a folder",
    SecretText: "a key",
    bool: "true or false",
    str: "text",
}


def allowed(setting: Setting) -> str:
    """What a value of this setting must be: `a whole number, at least 1 and at most 100`."""
    kind = setting.kind
    if options := choices(setting):
        return "one of " + ", ".join(options)
    if kind in _WORDS:
        return _WORDS[kind] + _shape(setting)
    if get_origin(kind) is tuple:
        return "paths of folders" if Path in get_args(kind) else "a list of words"
    return ("a whole number" if kind is int else "a number") + _range(setting)


def choices(setting: Setting) -> tuple[str, ...]:
    """The words a setting accepts, where it accepts only some."""
    kind = setting.kind
    if get_origin(kind) is Literal:
        return get_args(kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(member.value for member in kind)
    return ()


def _shape(setting: Setting) -> str:
    return next((f" like {one.pattern}" for one in setting.bounds if one.pattern), "")


def _range(setting: Setting) -> str:
    low = high = ""
    for bound in setting.bounds:
        if bound.ge is not None:
            low = f"at least {bound.ge}"
        elif bound.gt is not None:
            low = f"above {bound.gt}"
        if bound.le is not None:
            high = f"at most {bound.le}"
    said = " and ".join(part for part in (low, high) if part)
    return f", {said}" if said else ""
