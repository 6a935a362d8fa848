"""How settings are declared: classes of `setting(...)`, each with a type, a default, bounds and a
sentence.

Nothing is worked out before it is needed: a question gives six of some 150 settings, so only of
those six is the type looked at. What values fit, `checking.py` says.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NoReturn,
    Self,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    overload,
)

from leadline.errors import WrongSetting

T = TypeVar("T")

# Whether a settings file that is only found may set it, or its user must have trusted that file.
# "yes" stands at whatever runs something, names an endpoint, a key, a prompt, a host, code or a
# folder, or switches the scanner off; "outside" at folders, for those outside the file's own.
NeedsTrust = Literal["no", "yes", "outside"]


class Bounds:
    """What a value must keep to beside its type; in a type as `Annotated[float, Bounds(gt=0)]`.

    `check` gets a value that fits otherwise, and returns it or raises `ValueError` in words that
    follow the setting's name: "must be …".
    """

    def __init__(
        self,
        *,
        ge: float | None = None,
        gt: float | None = None,
        le: float | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        pattern: str = "",
        check: Callable[[Any], Any] | None = None,
    ) -> None:
        self.ge, self.gt, self.le = ge, gt, le
        self.min_length, self.max_length = min_length, max_length
        self.pattern, self.check = pattern, check


class Setting:
    """One setting as it was declared."""

    def __init__(
        self,
        default: Any,
        make: Callable[[], Any] | None,
        description: str,
        own: Bounds | None,
        needs_trust: NeedsTrust = "no",
    ) -> None:
        self.default, self.make, self.description = default, make, description
        self.needs_trust = needs_trust
        self._own = own
        self._type = self._module = ""

    def belongs(self, owner: type, name: str) -> None:
        """Where its type is written down."""
        self._type, self._module = owner.__annotations__[name], owner.__module__

    @cached_property
    def _resolved(self) -> tuple[Any, bool, tuple[Bounds, ...]]:
        # Nothing in this text comes from outside: it is an annotation of ours.
        kind = eval(self._type, vars(sys.modules[self._module]))  # noqa: S307
        optional = get_origin(kind) in (Union, UnionType)
        if optional:
            (kind,) = (part for part in get_args(kind) if part is not NoneType)
        bounds: tuple[Bounds, ...] = ()
        if get_origin(kind) is Annotated:
            kind, bounds = get_args(kind)[0], get_args(kind)[1:]
        return kind, optional, (*bounds, self._own) if self._own else bounds

    @property
    def kind(self) -> Any:
        """Its type, without `| None` and bounds."""
        return self._resolved[0]

    @property
    def optional(self) -> bool:
        """Whether it may be None."""
        return self._resolved[1]

    @property
    def bounds(self) -> tuple[Bounds, ...]:
        """What values must keep to: first what the type asks, then what the setting does."""
        return self._resolved[2]


@overload
def setting(
    *, default: T, description: str, needs_trust: NeedsTrust = "no", **bounds: Any
) -> T: ...
@overload
def setting(
    *,
    default_factory: Callable[[], T],
    description: str,
    needs_trust: NeedsTrust = "no",
    **bounds: Any,
) -> T: ...
def setting(
    *,
    description: str,
    needs_trust: NeedsTrust = "no",
    default: Any = None,
    default_factory: Callable[[], Any] | None = None,
    **bounds: Any,
) -> Any:
    """Declares a setting in a class of `Fields`; `bounds` are those of `Bounds`."""
    own = Bounds(**bounds) if bounds else None
    return Setting(default, default_factory, description, own, needs_trust)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(setting,))
class Fields:
    """Settings by name; frozen. Made by keyword: a wrong value or name is `WrongSetting`.

    A default stands in the class, so that only what was given is in the object.
    """

    declared: ClassVar[Mapping[str, Setting]] = {}
    _made: ClassVar[Mapping[str, Callable[[], Any]]] = {}

    def __init_subclass__(cls) -> None:
        found: dict[str, Setting] = {}
        for base in reversed(cls.__mro__[1:]):
            found |= vars(base).get("declared", {})
        for name, one in [pair for pair in vars(cls).items() if isinstance(pair[1], Setting)]:
            one.belongs(cls, name)
            found[name] = one
            if one.make is None:
                setattr(cls, name, one.default)
            else:
                delattr(cls, name)
        cls.declared = found
        cls._made = {name: one.make for name, one in found.items() if one.make is not None}

    def __init__(self, **given: object) -> None:
        held = self.__dict__
        held |= self._fitting(given)
        for name, make in self._made.items():
            if name not in held:
                held[name] = make()

    @classmethod
    def _fitting(cls, given: Mapping[str, object]) -> dict[str, Any]:
        from leadline.fields.checking import fitting

        for name in given:
            if name not in cls.declared:
                raise WrongSetting(f"there is no setting {name}")
        values, wrong = fitting(cls.declared, given)
        if wrong:
            raise WrongSetting("\n".join(f"{name} {said}" for name, said in wrong.items()))
        return values

    def but(self, **changes: object) -> Self:
        """The same with some of them changed; checked like all."""
        return self._of(self.__dict__ | self._fitting(changes))

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> Self:
        """Settings of values that are known to fit."""
        made = object.__new__(cls)
        made.__dict__.update(values)
        return made

    def values(self) -> dict[str, object]:
        """Every setting by name; keys are still wrapped, so that none is printed by accident."""
        return {name: getattr(self, name) for name in self.declared}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.values() == other.values()

    def __hash__(self) -> int:
        return hash(tuple(self.values().values()))

    def __repr__(self) -> str:
        from leadline.fields.addresses import bare

        said = (f"{name}={bare(repr(value))}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({', '.join(said)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"settings are frozen; make others with but({name}=…)")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("settings are frozen; make others with but(…)")
