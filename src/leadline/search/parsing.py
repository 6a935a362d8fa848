"""Reading replies: JSON and XML taken apart, with words for what is wrong, and made into hits.

Replies of servers that follow no set shape are read by the names that people give their fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from leadline.errors import SourceLost
from leadline.types import Hit

if TYPE_CHECKING:
    from xml.etree import ElementTree

Row = tuple[object, object, object, object]
"""Address, title, text and date of one result, as the provider gave them."""

MAX_TEXT = 8_000  # characters of one hit; a whole document is for the fetcher

_COMPLAINTS = ("message", "info", "reason", "detail", "error", "ERROR", "esearchresult", "title")
_PASSES = re.compile(
    r"rate.?limit|max.?lag|read.?only|too.?(?:busy|many)|internal|backend|time.?out|again",
    re.IGNORECASE,
)
_LINE = re.compile(r"[\t\r\n]")  # inside an address they mean nothing
_ODD = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_ISO = re.compile(r"[12]\d{3}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})", r"(?P<year>[12]\d{3})"
_SPOKEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (rf"\b{_MONTH} {_DAY},? {_YEAR}\b", rf"\b{_DAY}\.? {_MONTH} {_YEAR}\b")
)


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object in `body`."""
    start = body[:200].lstrip().lower()
    if not start:
        raise SourceLost("the answer was empty")
    if start.startswith(b"<"):
        raise SourceLost("a web page came back instead of JSON")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SourceLost(f"the answer was cut off or is not JSON ({len(body)} bytes)") from error
    if not isinstance(value, dict):
        raise SourceLost(f"the answer was a JSON {type(value).__name__} instead of an object")
    return value


def objects_at(body: bytes, *path: str, or_none_if: str = "") -> list[dict[str, Any]]:
    """The objects in the list at `path`. With a key `or_none_if` instead, there are none."""
    whole = json_object(body)
    try:
        return [row for row in list_at(whole, *path) if isinstance(row, dict)]
    except SourceLost:
        if or_none_if in whole:
            return []
        raise


def list_at(value: Any, *path: str) -> list[Any]:
    """The list at `path` inside `value`; without one, what the answer says instead."""
    whole = value
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, list):
        return value
    what = f"the answer has no list `{'.'.join(path)}`"
    if trouble := complaint(whole):
        raise SourceLost(f"{what}; it says: {trouble}", retryable=bool(_PASSES.search(trouble)))
    raise SourceLost(what)


def complaint(value: object) -> str:
    """What a server's JSON says of an error; some say it under the status of success."""
    said: list[str] = []
    for _ in range(4):
        if not isinstance(value, dict):
            break
        said += [code for code in (value.get("code"),) if isinstance(code, str)]
        value = next((value[name] for name in _COMPLAINTS if value.get(name)), "")
    said += [value] if isinstance(value, str) else []
    return " ".join(" ".join(said).split())[:200]


def xml_root(body: bytes, root: str) -> ElementTree.Element:
    """The XML document in `body`, whose outermost element must be `root`."""
    from xml.etree import ElementTree  # most replies are JSON

    if not body.strip():
        raise SourceLost("the answer was empty")
    if b"<!ENTITY" in body:
        raise SourceLost("the answer defines XML entities, which no search reply needs")
    try:
        top = ElementTree.fromstring(body)  # noqa: S314 - no entities, as checked above
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise SourceLost(f"the answer was cut off or is not XML ({len(body)} bytes)") from error
    if top.tag.rpartition("}")[2] != root:
        raise SourceLost(f"the answer was <{top.tag}> instead of <{root}>")
    return top


def text_at(parent: ElementTree.Element, path: str) -> str:
    """All text inside the elements at `path`, with the text of elements within them."""
    return " ".join("".join(element.itertext()) for element in parent.iterfind(path, {"": "*"}))


def row_at(parent: ElementTree.Element, url: str, title: str, text: str, date: str) -> Row:
    """A row of what stands at four paths inside `parent`."""
    return (
        text_at(parent, url),
        text_at(parent, title),
        text_at(parent, text),
        text_at(parent, date),
    )


def hits_from(items: Iterable[Row], base: str = "") -> tuple[Hit, ...]:
    """The hits among the rows, their addresses put after `base`; one without is left out."""
    rows = list(items)
    hits = tuple(_hits(rows, base))
    if rows and not hits:
        raise SourceLost(f"none of the {len(rows)} results has a web address")
    return hits


def _hits(items: Iterable[Row], base: str) -> Iterator[Hit]:
    for url, title, text, date in items:
        address = base + _LINE.sub("", url).strip() if isinstance(url, str) and url.strip() else ""
        if address.lower().startswith(("http://", "https://")) and not _ODD.search(address):
            words = one_line(text)[:MAX_TEXT]
            yield Hit(address, one_line(title) or address, words, published=date_in(date))


def one_line(value: object) -> str:
    """`value` as text on one line; a list of texts is joined."""
    if isinstance(value, list | tuple):
        value = " … ".join(part for part in value if isinstance(part, str))
    if not isinstance(value, str):
        return ""
    text = " ".join(value.split())
    return text if text.isascii() else text.encode("utf-8", "replace").decode()  # half a pair


def date_in(value: object) -> str:
    """A date as `YYYY-MM-DD`, `YYYY-MM` or `YYYY`; "" when there is none to be read."""
    text = str(value).strip() if isinstance(value, str | int) else ""
    if iso := _ISO.match(text):
        return iso.group()
    for pattern in _SPOKEN:
        if spoken := pattern.search(text):
            month = _MONTHS.index(spoken["month"].lower()) + 1
            return f"{spoken['year']}-{month:02}-{int(spoken['day']):02}"
    return ""


def unfold(index: Mapping[str, list[int]] | None) -> str:
    """The text of which `index` says at which places each word stands."""
    places = [(at, word) for word, where in (index or {}).items() for at in where]
    return " ".join(word for _, word in sorted(places))


# ── replies of no set shape ─────────────────────────────────────────────────────────────────

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
