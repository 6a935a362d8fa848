"""The sources of a report for reference managers: BibTeX, RIS and CSL-JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from leadline.render.outline import line
from leadline.types import AgentResponse, Citation

_DATE = re.compile(r"\b(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?!\d)")
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: "\\" + mark for mark in "&%$#_"},
}
_AUTHORS = re.compile(r"\s*;\s*|\s+and\s+|\s*\n\s*")
KEY_CHARS = 40


@dataclass(frozen=True)
class _Entry:
    """A source taken apart as all three formats need it."""

    key: str
    title: str
    authors: tuple[str, ...]
    published: tuple[int, ...]  # year, month, day, as far as known
    accessed: tuple[int, ...]
    url: str  # "" for a document
    location: str


def bibtex(response: AgentResponse) -> str:
    """One `@online` or `@misc` entry a source, with what TeX takes for its own escaped."""
    return "\n".join(_bibtex(entry) for entry in _entries(response))


def ris(response: AgentResponse) -> str:
    """One `ELEC` or `GEN` record a source, lines ended as the format asks."""
    return "".join(_ris(entry) for entry in _entries(response))


def csl_json(response: AgentResponse) -> str:
    """An array of CSL items, ending in one newline."""
    items = [_csl(entry) for entry in _entries(response)]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def _entries(response: AgentResponse) -> Iterator[_Entry]:
    taken: set[str] = set()
    for source in response.sources:
        key = _unique(_key(source), taken)
        authors = tuple(name for name in _AUTHORS.split(line(source.author, 500)) if name)
        location = line(source.location)
        web = location.startswith(("http://", "https://"))
        yield _Entry(
            key,
            line(source.title) or "Untitled",
            authors,
            _date(source.published),
            _date(source.accessed),
            location.replace(" ", "%20") if web else "",
            location,
        )


def _key(source: Citation) -> str:
    """`mariner2024sounding`: plain letters, which every program takes; else the number."""
    name = _AUTHORS.split(source.author)[0].replace(",", " ").split()
    family = _ascii(name[0] if "," in source.author else name[-1]) if name else ""
    year = str(_date(source.published)[0]) if _date(source.published) else ""
    words = [word for word in map(_ascii, source.title.split()) if word]
    named = next((word for word in words if len(word) > 3), "") if family else "".join(words[:3])
    return (family + year + named)[:KEY_CHARS] or f"source{source.id}"


def _ascii(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", flat.lower())


def _unique(key: str, taken: set[str]) -> str:
    number = 1
    found = key
    while found in taken:
        number += 1
        found = f"{key}-{number}"
    taken.add(found)
    return found


def _date(text: str) -> tuple[int, ...]:
    """Year, month and day of an ISO date; what is no date counts as unknown."""
    found = _DATE.search(text)
    if found is None:
        return ()
    parts = [int(part) for part in found.groups() if part]
    if len(parts) > 1 and not 1 <= parts[1] <= 12:
        parts = parts[:1]
    if len(parts) > 2 and not 1 <= parts[2] <= 31:
        parts = parts[:2]
    return tuple(parts)


def _iso(date: tuple[int, ...]) -> str:
    return "-".join(f"{part:04}" if at == 0 else f"{part:02}" for at, part in enumerate(date))


def _tex(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in text)


def _bibtex(entry: _Entry) -> str:
    # Braces round a name keep BibTeX from taking an institution apart.
    names = " and ".join(f"{{{_tex(name)}}}" for name in entry.authors)
    fields = {
        "title": f"{{{_tex(entry.title)}}}",
        "author": names,
        "year": str(entry.published[0]) if entry.published else "",
        "date": _iso(entry.published),
        "url": entry.url.replace("{", "%7B").replace("}", "%7D"),
        "urldate": _iso(entry.accessed),
        "howpublished": "" if entry.url else _tex(entry.location),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    kind = "online" if entry.url else "misc"
    return f"@{kind}{{{entry.key},\n" + "\n".join(lines) + "\n}\n"


def _ris(entry: _Entry) -> str:
    slashed = "/".join(_iso(entry.published).split("-"))
    pairs = [("TY", "ELEC" if entry.url else "GEN"), ("ID", entry.key), ("TI", entry.title)]
    pairs += [("AU", name) for name in entry.authors]
    if entry.published:
        pairs += [("PY", str(entry.published[0])), ("DA", slashed)]
    pairs.append(("UR", entry.url) if entry.url else ("L1", entry.location))
    if entry.accessed:
        pairs.append(("Y2", "/".join(_iso(entry.accessed).split("-"))))
    return "".join(f"{tag}  - {value}\r\n" for tag, value in pairs) + "ER  - \r\n\r\n"


def _csl(entry: _Entry) -> dict[str, object]:
    item: dict[str, object] = {
        "id": entry.key,
        "type": "webpage" if entry.url else "document",
        "title": entry.title,
    }
    if entry.authors:
        item["author"] = [{"literal": name} for name in entry.authors]
    if entry.published:
        item["issued"] = {"date-parts": [list(entry.published)]}
    if entry.accessed:
        item["accessed"] = {"date-parts": [list(entry.accessed)]}
    if entry.url:
        item["URL"] = entry.url
    else:
        item["archive_location"] = entry.location
    return item
