"""How the result of a step becomes JSON and comes back: by its annotated return type."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

_ADAPTERS: dict[CodeType, TypeAdapter[Any]] = {}


def adapter_of(do: Callable[..., Awaitable[T]]) -> TypeAdapter[T]:
    """How the result of `do` becomes JSON and comes back: by its annotated return type."""
    function: Any = do
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not hasattr(function, "__code__"):
        function = type(function).__call__
    code: CodeType = function.__code__
    if code not in _ADAPTERS:
        _ADAPTERS[code] = _adapter(function)
    return _ADAPTERS[code]


def _adapter(function: Any) -> TypeAdapter[Any]:
    from typing import get_type_hints

    from pydantic import TypeAdapter

    try:
        result = get_type_hints(function)["return"]
    except (KeyError, NameError) as error:
        what = f"{function.__module__}.{function.__qualname__}"
        raise TypeError(f"a step needs a return type known at run time: {what}") from error
    if get_origin(result) in (Awaitable, Coroutine):
        result = get_args(result)[-1]
    return TypeAdapter(result)
