"""Shapes: what JSON of a dataclass must look like, as a JSON schema and as a short example.

A field's `metadata={"about": "…"}` says in words what belongs there, `least` and `most` bound how
many items or how large a number. A field with a default may be left out.
"""

from __future__ import annotations

import json
import types
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean"}
_EXAMPLES = {str: '"text"', int: "1", float: "0.5", bool: "true"}
_BOUNDS = {"array": ("minItems", "maxItems"), "string": ("minLength", "maxLength")}


def shape_of(schema: Any) -> str:
    """`{"query": "text", "done": true}`: an example for models that are told in words."""
    return _example(schema)


def schema_text(schema: Any) -> str:
    """The JSON schema on one line, as it is counted."""
    return json.dumps(json_schema(schema), ensure_ascii=False)


def json_schema(schema: type[Any]) -> dict[str, Any]:
    """A JSON schema without references, in which every field is required and no other allowed.

    That is what the strictest endpoints want; what may be left out is known to the parser alone.
    """
    return _schema(schema)


def _schema(kind: Any) -> dict[str, Any]:
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        inside = {one.name: _field(one, hints[one.name]) for one in fields(kind)}
        return {
            "type": "object",
            "properties": inside,
            "required": list(inside),
            "additionalProperties": False,
        }
    if options := options_of(kind):
        return {"type": "string", "enum": list(options)}
    if get_origin(kind) in (tuple, list):
        return {"type": "array", "items": _schema(get_args(kind)[0])}
    if get_origin(kind) in (Union, types.UnionType):
        return _schema(_wanted(kind))
    return {"type": _KINDS.get(kind, "string")}


def _field(one: Field[Any], kind: Any) -> dict[str, Any]:
    found = _schema(kind)
    if about := one.metadata.get("about"):
        found["description"] = about
    low, high = _BOUNDS.get(found["type"], ("minimum", "maximum"))
    for name, said in (("least", low), ("most", high)):
        if name in one.metadata:
            found[said] = one.metadata[name]
    return found


def _example(kind: Any) -> str:
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        inner = ", ".join(f'"{one.name}": {_example(hints[one.name])}' for one in fields(kind))
        return f"{{{inner}}}"
    if options := options_of(kind):
        return " or ".join(f'"{word}"' for word in options)
    if get_origin(kind) in (tuple, list):
        return f"[{_example(get_args(kind)[0])}, …]"
    if get_origin(kind) in (Union, types.UnionType):
        return _example(_wanted(kind))
    return _EXAMPLES.get(kind, '"text"')


def options_of(kind: Any) -> tuple[str, ...]:
    """The words a value may be, where it may be only some."""
    if get_origin(kind) is Literal:
        return tuple(str(word) for word in get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(member.value) for member in kind)
    return ()


def _wanted(kind: Any) -> Any:
    return next(part for part in get_args(kind) if part is not types.NoneType)
