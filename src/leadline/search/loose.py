"""Results of servers that follow no set shape: fields are found by the names people give them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from leadline.search.shapes import Row

_URL = ("url", "link", "href", "uri", "web_url", "webUrl", "permalink", "source_url", "source")
_TITLE = ("title", "name", "headline", "heading", "display_name", "subject")
_TEXT = ("text", "content", "snippet", "description", "body", "abstract", "summary", "extract")
_DATE = ("published", "published_at", "publishedDate", "published_date", "date", "timestamp")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\])]+")
_LABEL = re.compile(r"^\W*(?:\d+[.)]\s*)?(title|url|link|description|snippet|content)\W*:\s*", re.I)
_RULE = re.compile(r"\n\s*(?:-{3,}|\*{3,}|={3,})\s*\n|\n\s*\n(?=\W*(?:\d+[.)]|title\b))", re.I)


def row_of(fields: Mapping[str, Any], address: str = "") -> Row:
    """Address, title, text and date among `fields`; `address` where they hold no web address."""
    urls = (value for name in _URL if _is_web(value := fields.get(name)))
    return (
        next(urls, address),
        _first(fields, _TITLE),
        _first(fields, _TEXT),
        _first(fields, _DATE),
    )


def rows_in(value: object) -> list[Row]:
    """The results anywhere inside a JSON value: the objects that hold a web address."""
    return list(_walk(value, depth=6))


def rows_in_text(text: str) -> list[Row]:
    """The results in `text`: JSON, or blocks of lines that each name an address."""
    try:
        return rows_in(json.loads(text))
    except (ValueError, RecursionError):
        return [row for block in _RULE.split(text) if (row := _row_of_block(block))]


def argument(names: Iterable[str], wanted: Iterable[str]) -> str:
    """The first of the `wanted` argument names that a tool takes, or ""."""
    taken = {name.lower().replace("_", ""): name for name in names}
    return next((taken[want] for want in wanted if want in taken), "")


def _walk(value: object, depth: int) -> Iterator[Row]:
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, depth - 1)
    elif isinstance(value, dict):
        row = row_of(value)
        if row[0]:
            yield row
            return
        for inner in value.values():
            yield from rows_in_text(inner) if _is_json(inner) else _walk(inner, depth - 1)


def _row_of_block(block: str) -> Row | None:
    address = _ADDRESS.search(block)
    if address is None:
        return None
    said: dict[str, list[str]] = {"": []}
    for line in block.strip().splitlines():
        label = _LABEL.match(line)
        key = label.group(1).lower() if label else ""
        said.setdefault(key, []).append(line[label.end() :] if label else line)
    plain = [
        line.strip(" #*-[]") for line in said[""] if not _ADDRESS.search(line) and line.strip()
    ]
    title = next(iter(said.get("title", plain[:1])), "")
    body = [line for name in ("description", "snippet", "content") for line in said.get(name, [])]
    rest = plain if "title" in said else plain[1:]
    return (address.group().rstrip(".,;:"), title, " ".join([*body, *rest]), None)


def _first(fields: Mapping[str, Any], names: Iterable[str]) -> object:
    return next((fields[name] for name in names if fields.get(name)), None)


def _is_web(value: object) -> bool:
    return isinstance(value, str) and value.lower().startswith(("http://", "https://"))


def _is_json(value: object) -> bool:
    return isinstance(value, str) and value.lstrip()[:1] in ("[", "{")
