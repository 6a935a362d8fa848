"""`@frozen`: a frozen dataclass that is worked out when it is first made, not when it is defined.

The standard one writes and compiles five functions for each class: 0.8 ms, and a question loads
some 260 of them, of which it makes less than half. To everybody else these are dataclasses:
`fields`, `replace`, `asdict`, `match` and pydantic treat them so.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from threading import RLock
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")

_FIELDS = "__dataclass_fields__"
_LOCK = RLock()  # fields of a class ask for those of its bases


@dataclass_transform(frozen_default=True)
def frozen(cls: type[T]) -> type[T]:
    """Makes a frozen dataclass of `cls`; what it defines itself stays."""
    own = vars(cls)
    for name, shared in _SHARED.items():
        if name not in own:
            setattr(cls, name, shared)
    setattr(cls, _FIELDS, _Fields(cls))
    return cls


class _Fields:
    """Stands for the fields of a class until somebody asks for them."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, instance: object, owner: type) -> Any:
        from dataclasses import dataclass

        with _LOCK:
            if vars(self._cls)[_FIELDS] is self:  # else another thread was faster
                dataclass(init=False, repr=False, eq=False)(self._cls)
        return vars(self._cls)[_FIELDS]


_MADE: dict[type, int] = {}  # how many of each class
_WRITTEN: dict[type, Callable[..., None]] = {}
_SELDOM = 8  # as many are made one by one: to compile takes as long as fifty of them


def _init(self: object, *args: object, **named: object) -> None:
    """The first `__init__` of every class. The real one takes its place when more are made, or
    where something is wrong with what is given: it says what."""
    mro = type(self).__mro__
    cls = next((one for one in mro if vars(one).get("__init__") is _init), None)
    if cls is None:  # another thread has put it there since this one was called
        next(_WRITTEN[one] for one in mro if one in _WRITTEN)(self, *args, **named)
        return
    made = _MADE[cls] = _MADE.get(cls, 0) + 1
    if made > _SELDOM or not _filled(self, cls, args, named):
        _WRITTEN[cls] = written = _written(cls)
        cls.__init__ = written  # type: ignore[misc]
        written(self, *args, **named)


def _filled(one: object, cls: type, args: tuple[object, ...], named: dict[str, object]) -> bool:
    """Whether `one` could be made of what is given."""
    from dataclasses import MISSING, fields

    wanted = fields(cls)
    given = dict(zip((field.name for field in wanted), args, strict=False))
    left = len(args) + len(named) - len(given)
    for name, value in named.items():
        if name in given:
            return False
        given[name] = value
    for field in wanted:
        value = given.get(field.name, field.default)
        if value is MISSING:
            if field.default_factory is MISSING:
                return False
            value = field.default_factory()
        left -= field.name in named
        object.__setattr__(one, field.name, value)
    if left:  # more than there are fields, or under other names
        return False
    if hasattr(cls, "__post_init__"):
        cls.__post_init__(one)
    return True


def _written(cls: type) -> Callable[..., None]:
    """`__init__` of a class as source, compiled: called often, so it must be quick."""
    from dataclasses import MISSING, fields

    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    takes, lines = [], []
    for field in fields(cls):
        name = value = field.name
        if field.default_factory is not MISSING:
            known[f"_make_{name}"] = field.default_factory
            takes.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif field.default is not MISSING:
            known[f"_default_{name}"] = field.default
            takes.append(f"{name}=_default_{name}")
        else:
            takes.append(name)
        lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    # Nothing in this text comes from outside: names of fields, as the class has them.
    exec(f"def __init__(self, {', '.join(takes)}):\n {body}", known)  # noqa: S102
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


_GETTERS: dict[type, Callable[[Any], tuple[object, ...]]] = {}


def _values(one: object) -> tuple[object, ...]:
    cls = type(one)
    if cls not in _GETTERS:
        from dataclasses import fields

        names = [field.name for field in fields(one) if field.compare]  # type: ignore[arg-type]
        _GETTERS[cls] = _getter(names)
    return _GETTERS[cls](one)


def _getter(names: list[str]) -> Callable[[Any], tuple[object, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _eq(self: object, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: object) -> int:
    return hash(_values(self))


def _repr(self: object) -> str:
    from dataclasses import fields

    shown = (field.name for field in fields(self) if field.repr)  # type: ignore[arg-type]
    said = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({said})"


def _setattr(self: object, name: str, value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: object, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


_SHARED: dict[str, Callable[..., Any]] = {
    "__init__": _init,
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
}
