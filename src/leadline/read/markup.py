"""Markdown and reStructuredText: kept as they are written, since people quote what they see.

Line numbers stay those of the file, also where a heading is rewritten.
"""

from __future__ import annotations

import re

from leadline.read.plain import decoded, file_title
from leadline.types import Page

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(title|author|date)[ \t]*:[ \t]*([^ \t\n].*)$", re.MULTILINE | re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}[ \t]+([^ \t\n].*)$", re.MULTILINE)
_SETEXT = re.compile(r"^(?=\S)([^\n]{1,200})\n(?:={3,}|-{3,})[ \t]*$", re.MULTILINE)
_ADORNED = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")


class MarkdownReader:
    suffixes: tuple[str, ...] = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")

    def read(self, data: bytes, name: str) -> Page:
        text = decoded(data, name)
        front = _FRONT.match(text)
        fields = dict(_fields(front.group(1))) if front else {}
        title = fields.get("title") or _first_heading(text) or file_title(name)
        return Page(
            name,
            title,
            text,
            kind="document",
            author=fields.get("author", ""),
            date=fields.get("date", ""),
        )


class RestReader:
    """Underlined titles become `#` headings, so that sections are found; no line moves."""

    suffixes: tuple[str, ...] = (".rst", ".rest")

    def read(self, data: bytes, name: str) -> Page:
        text = _rest_headings(decoded(data, name))
        return Page(name, _first_heading(text) or file_title(name), text, kind="document")


def _fields(front: str) -> list[tuple[str, str]]:
    return [
        (m.group(1).lower(), m.group(2).rstrip(" \t").strip("\"'")) for m in _FIELD.finditer(front)
    ]


def _first_heading(text: str) -> str:
    head = text[:20_000]
    found = [m for m in (_HEADING.search(head), _SETEXT.search(head)) if m]
    if not found:
        return ""
    first = min(found, key=lambda m: m.start())
    title = first.group(1).strip()
    return title.rstrip("#").rstrip() if first.re is _HEADING else title


def _rest_headings(text: str) -> str:
    lines = text.split("\n")
    levels: list[tuple[str, bool]] = []  # adornments in the order they first appear
    for at in range(1, len(lines)):
        title, under = lines[at - 1], _ADORNED.match(lines[at])
        if not under or not title.strip() or _ADORNED.match(title):
            continue
        if len(lines[at].rstrip()) < len(title.strip()):
            continue
        over = at >= 2 and lines[at - 2].rstrip() == lines[at].rstrip()
        if not over and (title != title.lstrip() or (at >= 2 and lines[at - 2].strip())):
            continue
        style = (under.group(1), over)
        if style not in levels:
            levels.append(style)
        lines[at - 1] = "#" * min(6, levels.index(style) + 1) + " " + title.strip()
        lines[at] = ""
        if over:
            lines[at - 2] = ""
    return "\n".join(lines)
