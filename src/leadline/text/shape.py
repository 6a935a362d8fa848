"""What JSON of a class of values must look like, as a JSON schema and as a short example.

`Annotated[…, msgspec.Meta(…)]` on a field says in `description` what belongs there, and bounds how
many items or how large a number. A field with a default may be left out.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

_EXAMPLES = {"integer": "1", "number": "0.5", "boolean": "true"}
_OURS = frozenset({"$ref", "$defs", "anyOf", "title", "default"})  # what endpoints need not see


def shape_of(schema: Any) -> str:
    """`{"query": "text", "done": true}`: an example for models that are told in words."""
    return _example(json_schema(schema))


def schema_text(schema: Any) -> str:
    """The JSON schema on one line, as it is counted."""
    return json.dumps(json_schema(schema), ensure_ascii=False)


def json_schema(schema: Any) -> dict[str, Any]:
    """A JSON schema without references, in which every field is required and no other allowed.

    That is what the strictest endpoints want; what may be left out is known to the parser alone.
    """
    whole = msgspec.json.schema(schema)
    return _closed(whole, whole.get("$defs", {}))


def required_names(schema: Any) -> list[str]:
    """The fields that have no default."""
    fields = msgspec.inspect.type_info(schema).fields  # type: ignore[attr-defined]
    return [one.name for one in fields if one.required]


def _closed(part: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    part = part | next((one for one in part.get("anyOf", ()) if one != {"type": "null"}), {})
    if "$ref" in part:
        part = part | definitions[part["$ref"].rpartition("/")[2]]
    closed = {name: value for name, value in part.items() if name not in _OURS}
    if "properties" in part:
        inside = {name: _closed(one, definitions) for name, one in part["properties"].items()}
        closed = {"type": "object", "properties": inside, "required": list(inside)}
        return closed | {"additionalProperties": False}
    if "items" in part:
        closed["items"] = _closed(part["items"], definitions)
    if "enum" in part:  # the usual one first: small models take the first
        options = sorted(part["enum"], key=lambda one: one != part.get("default"))
        closed = {"type": "string", **closed, "enum": options}
    return closed


def _example(part: dict[str, Any]) -> str:
    if "properties" in part:
        inner = ", ".join(f'"{name}": {_example(one)}' for name, one in part["properties"].items())
        return f"{{{inner}}}"
    if "enum" in part:
        return " or ".join(f'"{word}"' for word in part["enum"])
    if "items" in part:
        return f"[{_example(part['items'])}, …]"
    return _EXAMPLES.get(part.get("type", ""), '"text"')
