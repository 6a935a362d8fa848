"""The reference of the service: what OpenAPI says of errors, and a page of it with no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from pydantic import WithJsonSchema

from leadline.service.wire import ErrorResponse

STREAM = "text/event-stream"
_EVENT = {
    "type": "object",
    "required": ["data"],
    "properties": {name: {"type": "string"} for name in ("data", "event", "id")}
    | {"retry": {"type": "integer"}},
}
EVENTS: dict[str, Any] = {STREAM: {"schema": _EVENT}}
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.5rem; font-size: 1.15rem }
code, th { font-family: ui-monospace, monospace; font-size: .9em }
.verb { display: inline-block; min-width: 4.5rem; font-weight: 700 }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
tr + tr { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
"""
POLICY = (
    "default-src 'none'; frame-ancestors 'none'; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    + "'"
)


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The failures of a route, for its OpenAPI."""
    return {
        status: {"model": ErrorResponse, "description": HTTPStatus(status).phrase}
        for status in statuses
    }


def page(spec: dict[str, Any]) -> str:
    """OpenAPI as one page of HTML that asks nobody for anything."""
    return "\n".join(_parts(spec))


def _parts(spec: dict[str, Any]) -> Iterator[str]:
    title = escape(f"{spec['info']['title']} {spec['info']['version']}")
    yield f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
    yield f'<meta name=viewport content="width=device-width"><style>{STYLE}</style>'
    yield f"<h1>{title}</h1><p>{escape(spec['info'].get('description', ''))}</p>"
    yield '<p>For programs: <a href="/openapi.json">/openapi.json</a></p>'
    for path, verbs in spec["paths"].items():
        for verb, what in verbs.items():
            yield f"<h2><span class=verb>{escape(verb.upper())}</span>"
            yield f"<code>{escape(path)}</code></h2>"
            yield f"<p><b>{escape(what.get('summary', ''))}.</b> "
            yield f"{escape(what.get('description', ''))}</p>"
            yield from _table("Parameter", _parameters(what))
            yield from _table("Field", _fields(spec, what))
            yield from _table("Answer", _answers(what))
    yield "</html>"


def _table(title: str, rows: list[tuple[str, str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield f"<table><tr><th>{title}<th><th></tr>"
    for cells in rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}" for cell in cells) + "</tr>"
    yield "</table>"


def _parameters(what: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (one["name"], _kind(one.get("schema", {})), one.get("description", ""))
        for one in what.get("parameters", ())
    ]


def _fields(spec: dict[str, Any], what: dict[str, Any]) -> list[tuple[str, str, str]]:
    content = what.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = _found(spec, content.get("schema", {}))
    needed = schema.get("required", ())
    return [
        (name, _kind(one) + (", required" if name in needed else ""), one.get("description", ""))
        for name, one in schema.get("properties", {}).items()
    ]


def _answers(what: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (status, ", ".join(one.get("content", ())), one.get("description", ""))
        for status, one in what["responses"].items()
    ]


def _found(spec: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = spec["components"]["schemas"].get(name, schema)
    return found


def _kind(schema: dict[str, Any]) -> str:
    """A type in words."""
    options = [one for one in schema.get("anyOf", (schema,)) if one.get("type") != "null"]
    told = []
    for one in options:
        said = one.get("type") or one.get("$ref", "").rpartition("/")[2]
        if "enum" in one:
            said = " | ".join(map(str, one["enum"]))
        bounds = [f"{mark} {one[name]}" for name, mark in _BOUNDS.items() if name in one]
        told.append(" ".join([said, *bounds]))
    return " or ".join(told)


_BOUNDS = {
    "minimum": "≥",
    "exclusiveMinimum": ">",
    "maximum": "≤",
    "maxLength": "length ≤",
    "pattern": "like",
}


def _schema(part: Any, definitions: dict[str, Any]) -> Any:
    """A schema with what it refers to in it."""
    if isinstance(part, list):
        return [_schema(one, definitions) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        part = part | definitions[part["$ref"].rpartition("/")[2]]
    return {
        name: _schema(one, definitions)
        for name, one in part.items()
        if name not in ("$ref", "$defs")
    }


def model_of(kind: type[Any]) -> Any:
    """A class of values as FastAPI shows it; msgspec writes it."""
    whole = msgspec.json.schema(kind)
    return Annotated[Any, WithJsonSchema(_schema(whole, whole["$defs"]))]
