"""Settings that a search provider of the user's own declares: known by its fields alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from itertools import chain
from typing import Any

from leadline.errors import BadInput
from leadline.fields.checking import fitting
from leadline.fields.files import flat
from leadline.fields.secret import SecretText
from leadline.fields.setting import Fields, setting

_KEYS = ("_key", "_token", "_secret", "_password")


def is_key(name: str) -> bool:
    """Whether a setting of that name is a key, which is never shown or stored."""
    return name.endswith(_KEYS)


def own_value(name: str, given: object, where: str) -> str | SecretText:
    """A value as it is kept until the provider is made: text, or text that nobody sees."""
    if not isinstance(given, str | int | float):
        raise BadInput(f"{name} must be text, a number, or true or false; got {given!r} {where}")
    text = str(given).strip()
    return SecretText(text) if is_key(name) else text


class _Kinds(Fields):
    """What a field of a provider may be besides text; each is read as a setting of ours is."""

    int: int = setting(default=0, description="A whole number.")
    float: float = setting(default=0.0, description="A number.")
    bool: bool = setting(default=False, description="A switch.")


def typed(name: str, kind: object, text: str) -> object:
    """The text as the provider's field has it: int, float and bool by their names."""
    wanted = _Kinds.declared.get(kind if isinstance(kind, str) else getattr(kind, "__name__", ""))
    if wanted is None:
        return text
    values, wrong = fitting({name: wanted}, {name: text})
    if wrong:
        shown = "a value that is not shown" if is_key(name) else repr(text)
        raise BadInput(f"{name} {wrong[name]}; got {shown}")
    return values[name]


class OwnNames:
    """The names that chosen providers declare. Theirs is code to be loaded, so nobody looks before
    a setting comes up that is none of ours."""

    def __init__(
        self,
        chosen: Iterable[object],
        declared_by: Callable[[list[str]], tuple[str, ...]],
    ) -> None:
        self._chosen, self._declared_by = chosen, declared_by

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self._declared_by([one for one in self._chosen if isinstance(one, str)])


def providers_in(
    tables: Mapping[str, Any], variable: str, overrides: Mapping[str, object]
) -> list[object]:
    """Search providers that any origin names: what one declares is no mistake where a flag puts
    another in its place."""
    name = "search_providers"
    listed = [value for key, value in flat(tables) if key.replace(".", "_") == name]
    many = [one for one in (*listed, overrides.get(name)) if isinstance(one, list | tuple)]
    return [*(one.strip() for one in variable.split(",")), *chain(*many)]


def refuse_unknown(name: str, said: str, known: Collection[str]) -> None:
    """Raises `BadInput`, with the nearest name there is, for one that is none of the known."""
    if name in known:
        return
    import difflib

    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise BadInput(f"unknown setting: {said}{hint} (all settings: docs/reference/settings.md)")
