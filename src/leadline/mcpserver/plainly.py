"""What is wrong with the arguments of a tool, in words for whoever called it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leadline.render.safe import one_line

_SHOWN = 60


def wrong_arguments(tool: str, errors: Iterable[Mapping[str, Any]]) -> str:
    """One sentence for each argument that does not fit; `errors` are pydantic's."""
    return f"{tool}: " + "; ".join(dict.fromkeys(_said(one) for one in errors))


def unknown_arguments(tool: str, strange: Sequence[str], known: Sequence[str]) -> str:
    names = ", ".join(one_line(one, _SHOWN) for one in strange)
    return f"{tool} has no argument {names}; it takes {', '.join(known)}"


def _said(error: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in error["loc"]) or "arguments"
    if error["type"] == "missing":
        return f"{name} is missing"
    _, _, wanted = str(error["msg"]).partition(" should ")
    got = error.get("input")
    shown = f"; got {one_line(repr(got), _SHOWN)}" if isinstance(got, str | int | float) else ""
    return f"{name} should {wanted}{shown}" if wanted else f"{name}: {error['msg']}{shown}"
