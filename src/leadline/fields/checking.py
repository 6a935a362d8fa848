"""Whether a value fits a setting, and what it is then: text from a variable becomes a number.

In a file a value has a type of its own, so there nothing is taken for another (`strict`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

from leadline.bounds import allowed
from leadline.fields.secret import SecretText
from leadline.fields.setting import Bounds, Setting

T = TypeVar("T")

_YES = frozenset({1.0, "1", "on", "t", "true", "y", "yes"})
_NO = frozenset({0.0, "0", "off", "f", "false", "n", "no"})
_WIDEST = 2.0**63  # beyond it a float has no digit of its own left
_JSON = (str, int, float, list, tuple, dict, type(None))


class _Unfit(Exception):
    """The value is none of the setting's type."""


def fitting(
    declared: Mapping[str, Setting], given: Mapping[str, object], strict: bool = False
) -> tuple[dict[str, Any], dict[str, str]]:
    """The values as the settings keep them; and for those that do not fit, what they must be, in
    the order of the settings."""
    values: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name in given:
        try:
            values[name] = _fitted(declared[name], given[name], strict)
        except _Unfit:
            wrong[name] = f"must be {allowed(declared[name])}"
        except ValueError as error:
            wrong[name] = str(error)
    return values, {name: wrong[name] for name in declared if name in wrong} if wrong else {}


def _fitted(setting: Setting, value: object, strict: bool) -> Any:
    if value is None and setting.optional:
        return None
    found = _read(setting.kind, value, strict)
    if not all(_within(bounds, found) for bounds in setting.bounds):
        raise _Unfit
    for bounds in setting.bounds:
        if bounds.check is not None:
            found = bounds.check(found)
    return found


def _within(bounds: Bounds, value: Any) -> bool:
    if bounds.pattern:
        import re

        if not re.fullmatch(bounds.pattern, value):
            return False
    if isinstance(value, str) and (bounds.min_length or bounds.max_length):
        try:
            value.encode()
        except UnicodeError:  # bytes of a variable that are no text have no length as such
            return False
    return (
        (bounds.ge is None or value >= bounds.ge)
        and (bounds.gt is None or value > bounds.gt)
        and (bounds.le is None or value <= bounds.le)
        and (bounds.min_length is None or len(value) >= bounds.min_length)
        and (bounds.max_length is None or len(value) <= bounds.max_length)
    )


def _read(kind: Any, value: object, strict: bool) -> Any:
    if strict and not isinstance(value, _JSON):
        value = str(value)  # a date of TOML
    if kind in _READERS:
        return _READERS[kind](value, strict)
    origin = get_origin(kind)
    if origin is tuple:
        return tuple(_read(get_args(kind)[0], one, strict) for one in _many(value, strict))
    if origin is Literal:
        return _one_of(get_args(kind), value)
    return _member(kind, value)


def _bool(value: object, strict: bool) -> bool:
    if isinstance(value, bool):
        return value
    if strict:
        raise _Unfit
    word = _word(value).lower() if isinstance(value, str | bytes) else _float(value, strict)
    if word in _YES or word in _NO:
        return word in _YES
    raise _Unfit


def _int(value: object, strict: bool) -> int:
    if isinstance(value, int) and not (strict and isinstance(value, bool)):
        return int(value)
    if strict:
        raise _Unfit
    if isinstance(value, str | bytes):
        whole, point, rest = _digits(value).partition(".")
        if point and rest.strip("0") + rest[:1] != "0":
            raise _Unfit
        return _number(int, whole)
    number = _float(value, strict)
    if not number.is_integer() or abs(number) >= _WIDEST:
        raise _Unfit
    return int(number)


def _float(value: object, strict: bool) -> float:
    if isinstance(value, str | bytes) and not strict:
        text = _digits(value)
        if "_" in text and ("__" in text or "_" in (text[0], text[-1]) or len(text) < len(value)):
            raise _Unfit
        number = _number(float, text.replace("_", ""))
    elif hasattr(value, "__float__") and not (strict and isinstance(value, bool)):
        number = _number(float, value)
    else:
        raise _Unfit
    if not math.isfinite(number):
        raise _Unfit
    return number


def _digits(value: str | bytes) -> str:
    """Text that may be a number; Python would read the digits of any script."""
    text = _word(value)
    if any(separator in text for separator in "\x1c\x1d\x1e\x1f"):  # Python takes them for spaces
        raise _Unfit
    text = text.strip()
    if not text.isascii():
        raise _Unfit
    return text


def _number(kind: Callable[[Any], T], value: object) -> T:
    try:
        return kind(value)
    except (ValueError, OverflowError):
        raise _Unfit from None


def _word(value: str | bytes) -> str:
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeError:
        raise _Unfit from None


def _text(value: object, strict: bool) -> str:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray) and not strict:
        return _word(bytes(value))
    raise _Unfit


def _path(value: object, strict: bool) -> Path:
    return value if isinstance(value, Path) else Path(_text(value, True))


def _secret(value: object, strict: bool) -> SecretText:
    if isinstance(value, SecretText):
        return value
    return SecretText(_text(value, strict))


def _many(value: object, strict: bool) -> Iterable[object]:
    if strict and not isinstance(value, list | tuple):
        raise _Unfit
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        raise _Unfit
    return value


def _one_of(words: tuple[str, ...], value: object) -> str:
    if isinstance(value, str) and value in words:
        return words[words.index(value)]
    raise _Unfit


def _member(kind: type[StrEnum], value: object) -> StrEnum:
    if not isinstance(value, str | bytes):
        raise _Unfit
    return _number(kind, _word(value))


_READERS: dict[Any, Callable[[object, bool], Any]] = {
    bool: _bool,
    int: _int,
    float: _float,
    str: _text,
    Path: _path,
    SecretText: _secret,
}
