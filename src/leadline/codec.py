"""Values to JSON and back, by the annotations of their dataclasses: what the journal is made of.

Writing needs no types. Reading works out how a class is read when the first of it comes: a question
reads some thirty classes, and to build a schema of each would take longer than to read them all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

Read = Callable[[Any], Any]

_PLAIN = frozenset((str, int, float, bool, NoneType))
_NAMED: dict[str, type] = {kind.__name__: kind for kind in (str, int, float, bool)}
_FLOATS = (float, "float", "float | None")
_UTC = "+00:00"
_EXACT = 2.0**53  # beyond this a float has lost digits


class Misfit(ValueError):
    """A value that is not of the type it should be; says where it stands."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said, self.place = said, ""

    def within(self, part: str) -> None:
        """What holds the value, from the inside out: a name, or a number in brackets."""
        between = "." if self.place and not self.place.startswith("[") else ""
        self.place = f"{part}{between}{self.place}"

    def __str__(self) -> str:
        return f"{self.place}: {self.said}" if self.place else self.said


def _misfit(wanted: str, got: object) -> Misfit:
    shown = repr(got)
    return Misfit(f"{wanted} was wanted, got {shown if len(shown) <= 60 else shown[:57] + '...'}")


# ── writing ─────────────────────────────────────────────────────────────────────────────────

_WRITERS: dict[type, Read] = {}


def dumped(value: Any) -> Any:
    """`value` as JSON can hold it: dataclasses as objects, tuples and sets as lists."""
    kind = value.__class__
    if kind in _PLAIN:
        return value
    write = _WRITERS.get(kind)
    if write is None:
        write = _WRITERS[kind] = _writer(kind)
    return write(value)


def _writer(kind: type) -> Read:
    if is_dataclass(kind):
        return _record_writer(kind)
    if issubclass(kind, Enum):
        return lambda value: dumped(value.value)
    if issubclass(kind, datetime):
        return _moment
    if issubclass(kind, tuple | list | set | frozenset):
        return lambda value: [one if one.__class__ in _PLAIN else dumped(one) for one in value]
    if issubclass(kind, Mapping):
        return lambda value: {_key(name): dumped(one) for name, one in value.items()}
    for plain in (str, int, float):  # their kin, numpy's float64 among them
        if issubclass(kind, plain):
            return plain
    raise TypeError(f"{kind.__module__}.{kind.__qualname__} cannot be written down as JSON")


def _record_writer(kind: type) -> Read:
    names = tuple(field.name for field in fields(kind))
    floats = tuple(field.name for field in fields(kind) if field.type in _FLOATS)

    def write(value: Any) -> dict[str, Any]:
        written = {}
        for name in names:
            held = getattr(value, name)
            written[name] = held if held.__class__ in _PLAIN else dumped(held)
        for name in floats:  # a whole number there comes back as 3.0, so it is written so
            if written[name].__class__ is int:
                written[name] = float(written[name])
        return written

    return write


def _moment(value: datetime) -> str:
    text = value.isoformat()
    return text.removesuffix(_UTC) + "Z" if text.endswith(_UTC) else text


def _key(name: Any) -> str:
    plain = dumped(name)
    return str(plain).lower() if isinstance(plain, bool) else str(plain)


# ── reading ─────────────────────────────────────────────────────────────────────────────────

_RECORDS: dict[type, Read] = {}


def loaded(kind: Any, value: Any) -> Any:
    """The value of that type that `dumped` made this of. `Misfit`, a `ValueError`, if none.

    A field that is missing has its default, one that nobody knows is passed over.
    """
    return reader(kind)(value)


def reader(kind: Any) -> Read:
    """How a value of this type is read. `TypeError` for one that cannot be."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if isinstance(kind, TypeVar):
        return _anything
    if get_origin(kind) is not None:
        return _compound(get_origin(kind), get_args(kind))
    if isinstance(kind, type):
        if is_dataclass(kind):
            return _record(kind)
        if issubclass(kind, Enum):
            return _member(kind)
    raise TypeError(f"{kind!r} cannot be read back from JSON")


def _compound(origin: Any, args: tuple[Any, ...]) -> Read:
    if origin in (Union, UnionType):
        return _either(args)
    if origin is Literal:
        return _one_of(args)
    if origin is tuple and args[-1:] != (...,):
        return _row(args)
    if origin in (tuple, list, set, frozenset):
        return _many(origin, args[0])
    if issubclass(origin, Mapping):
        return _mapping(*args)
    raise TypeError(f"{origin!r} of {args!r} cannot be read back from JSON")


def _record(kind: type) -> Read:
    """The same for each class, which is looked into when the first of it comes."""
    if kind not in _RECORDS:
        _RECORDS[kind] = _record_reader(kind)
    return _RECORDS[kind]


def _record_reader(kind: type) -> Read:
    plan: tuple[tuple[str, type | None, Read, bool], ...] | None = None
    own = (name in vars(one) for one in kind.__mro__ for name in ("__slots__", "__post_init__"))
    straight = not any(own)

    def read(value: Any) -> Any:
        nonlocal plan
        if plan is None:
            plan = _plan(kind)
        if value.__class__ is not dict:
            raise _misfit(f"an object ({kind.__name__})", value)
        held = {}
        for name, sure, fit, needed in plan:
            got = value.get(name, MISSING)
            if got.__class__ is sure:
                held[name] = got
            elif got is not MISSING:
                try:
                    held[name] = fit(got)
                except Misfit as error:
                    error.within(name)
                    raise
            elif needed:
                raise Misfit(f"{name} of {kind.__name__} is missing")
        if len(held) < len(plan) or not straight:
            return kind(**held)
        made: Any = object.__new__(kind)
        vars(made).update(held)  # which is all that `__init__` would do, and half the time
        return made

    return read


def _plan(kind: type) -> tuple[tuple[str, type | None, Read, bool], ...]:
    """Each field: the class whose values need no second look, how others are read, must it be."""
    plan = []
    for field in fields(kind):
        of = resolved(field.type, _names_around(kind, field.name))
        needed = field.default is MISSING and field.default_factory is MISSING
        plan.append((field.name, _sure(of), reader(of), needed))
    return tuple(plan)


def resolved(annotation: Any, names: dict[str, Any]) -> Any:
    """The type that an annotation stands for where it was written."""
    if not isinstance(annotation, str):
        return annotation
    if annotation in names:
        return names[annotation]
    if annotation in _NAMED:
        return _NAMED[annotation]
    # Nothing in this text comes from outside: it is the source of an annotation.
    return eval(annotation, names)  # noqa: S307


def _names_around(kind: type, field: str) -> dict[str, Any]:
    owners = (one for one in kind.__mro__ if field in vars(one).get("__annotations__", ()))
    return vars(sys.modules[next(owners, kind).__module__])


def _sure(kind: Any) -> type | None:
    return kind if kind in (str, int, float, bool) else None


def _anything(value: Any) -> Any:
    return value


def _nothing(value: Any) -> None:
    if value is not None:
        raise _misfit("null", value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    raise _misfit("text", value)


def _whole(value: Any) -> int:
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and abs(value) <= _EXACT and value.is_integer():
        return int(value)
    raise _misfit("a whole number", value)


def _number(value: Any) -> float:
    try:
        if isinstance(value, int | float):
            return float(value)
    except OverflowError:
        pass
    raise _misfit("a number", value)


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise _misfit("true or false", value)


def _time(value: Any) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _misfit("a date and time", value) from None


_SIMPLE: dict[Any, Read] = {
    str: _text,
    int: _whole,
    float: _number,
    bool: _truth,
    datetime: _time,
    None: _nothing,
    NoneType: _nothing,
    Any: _anything,
    object: _anything,
}


def _member(kind: type[Enum]) -> Read:
    def read(value: Any) -> Enum:
        try:
            return kind(value)
        except ValueError:
            wanted = ", ".join(str(one.value) for one in kind)
            raise _misfit(f"one of {wanted}", value) from None

    return read


def _one_of(values: tuple[Any, ...]) -> Read:
    def read(value: Any) -> Any:
        for one in values:
            if one == value and one.__class__ is value.__class__:
                return one
        raise _misfit(f"one of {', '.join(map(str, values))}", value)

    return read


def _many(made_of: Callable[[list[Any]], Any], kind: Any) -> Read:
    sure, fit = _sure(kind), reader(kind)

    def read(value: Any) -> Any:
        if not isinstance(value, list | tuple | set | frozenset):
            raise _misfit("a list", value)
        made: list[Any] = []
        try:
            for one in value:
                made.append(one if one.__class__ is sure else fit(one))  # noqa: PERF401
        except Misfit as error:
            error.within(f"[{len(made)}]")
            raise
        return made_of(made)

    return read


def _row(kinds: tuple[Any, ...]) -> Read:
    fits = tuple(reader(kind) for kind in kinds)

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) != len(fits):
            raise _misfit(f"a list of {len(fits)}", value)
        return tuple(_at(f"[{place}]", fit, value[place]) for place, fit in enumerate(fits))

    return read


def _mapping(key: Any, kind: Any) -> Read:
    name_of, fit = _key_reader(key), reader(kind)

    def read(value: Any) -> dict[Any, Any]:
        if not isinstance(value, Mapping):
            raise _misfit("an object", value)
        return {
            _at(f"[{name!r}]", name_of, name): _at(f"[{name!r}]", fit, one)
            for name, one in value.items()
        }

    return read


def _key_reader(kind: Any) -> Read:
    """JSON has only texts for keys."""
    if kind not in (int, float):
        return reader(kind)

    def read(value: Any) -> Any:
        try:
            return kind(value)
        except (TypeError, ValueError):
            raise _misfit("a number", value) from None

    return read


def _at(place: str, fit: Read, value: Any) -> Any:
    try:
        return fit(value)
    except Misfit as error:
        error.within(place)
        raise


def _either(kinds: tuple[Any, ...]) -> Read:
    """Of several that fit, the one that knows most of the fields; of equal ones the first."""
    others = [kind for kind in kinds if kind is not NoneType]
    fits = [(kind, reader(kind)) for kind in others]
    sure = {kind for kind in others if _sure(kind)}
    empty = len(others) < len(kinds)

    def read(value: Any) -> Any:
        if (value is None and empty) or value.__class__ in sure:
            return value
        if len(fits) == 1:
            return fits[0][1](value)
        read_as: list[tuple[int, Any]] = []
        for kind, fit in fits:
            try:
                read_as.append((_known(kind, value), fit(value)))
            except Misfit:
                continue
        if not read_as:
            raise _misfit(" or ".join(getattr(one, "__name__", str(one)) for one in others), value)
        return max(read_as, key=lambda one: one[0])[1]

    return read


def _known(kind: Any, value: Any) -> int:
    if not isinstance(value, dict) or not is_dataclass(kind):
        return 0
    return sum(field.name in value for field in fields(kind))
