"""Text that is written to be read as it is: plain text, Markdown, source code, and
reStructuredText, whose directives and roles become plain reading."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from leadline.errors import SourceLost
from leadline.read.charset import MARKS, decode
from leadline.read.rest import is_rest, rest_to_markdown
from leadline.types import Page

_HEAD = 8_192
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1b\b"))
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(title|author|date)[ \t]*:[ \t]*([^ \t\n].*)$", re.MULTILINE | re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}[ \t]+([^ \t\n].*)$", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?=\S)([^\n]{1,200})\n(?:={3,}|-{3,})[ \t]*$", re.MULTILINE)
_CODE = """
.py .pyi .js .mjs .cjs .jsx .ts .tsx .java .kt .scala .go .rs .c .h .cc .cpp .cxx .hpp .hh .cs
.swift .m .mm .rb .php .pl .pm .lua .r .jl .hs .ml .ex .exs .erl .clj .sh .bash .zsh .fish .ps1
.sql .css .scss .less .vue .svelte .toml .yaml .yml .json .jsonl .ini .cfg .conf .tex .bib .proto
.graphql .gradle .cmake .mk .dockerfile .tf .nix .zig .v .vhdl .asm .s .diff .patch .xml
"""


class PlainReader:
    """Text files; some hold reStructuredText or Markdown all the same, as `_sources/*.rst.txt`."""

    suffixes: tuple[str, ...] = (".txt", ".text", ".log", ".csv", ".tsv")

    def read(self, data: bytes, name: str) -> Page:
        text = text_of(data, name)
        if name.lower().endswith(".txt") and is_rest(text):
            return RestReader().read(data, name)
        return Page(name, file_title(name), text, kind="document")


class MarkdownReader:
    suffixes: tuple[str, ...] = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")

    def read(self, data: bytes, name: str) -> Page:
        text = text_of(data, name)
        front = _FRONT.match(text)
        fields = {
            match[1].lower(): match[2].rstrip(" \t").strip("\"'")
            for match in _FIELD.finditer(front[1] if front else "")
        }
        title = fields.get("title") or _first_heading(text) or file_title(name)
        author, date = fields.get("author", ""), fields.get("date", "")
        return Page(name, title, text, "document", author, date)


class RestReader:
    suffixes: tuple[str, ...] = (".rst", ".rest")

    def read(self, data: bytes, name: str) -> Page:
        text = rest_to_markdown(text_of(data, name))
        if not text.strip():
            raise SourceLost(f"{name} holds no text")
        return Page(name, _first_heading(text) or file_title(name), text, kind="document")


class CodeReader:
    """Source code; its title is the path, since that is how people name it."""

    suffixes: tuple[str, ...] = tuple(_CODE.split())

    def read(self, data: bytes, name: str) -> Page:
        return Page(name, name, text_of(data, name), kind="document")


def text_of(data: bytes, name: str) -> str:
    """The text of a file with line ends made one. Raises `SourceLost` for what is not text."""
    refuse_binary(data, name)
    text = decode(data).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise SourceLost(f"{name} is empty")
    return text


def refuse_binary(data: bytes, name: str) -> None:
    """Text has no NUL and hardly any control characters, unless its mark says that it is wide."""
    for mark, encoding in MARKS[1:]:  # UTF-8 has no NUL either
        if data.startswith(mark):
            try:
                data.decode(encoding)
            except UnicodeDecodeError as error:
                raise SourceLost(f"{name} says it is {encoding} and is not: {error}") from error
            return
    head = data[:_HEAD]
    controls = len(head) - len(head.translate(None, _CONTROL))
    if b"\0" in data or controls > len(head) // 100:
        raise SourceLost(f"{name} is binary")


def file_title(name: str) -> str:
    """A title made from a file's name; an index file takes its folder's."""
    path = PurePosixPath(name)
    stem = path.stem
    if stem.lower() in {"index", "readme"} and path.parent.name:
        stem = path.parent.name
    return stem.replace("_", " ").replace("-", " ").strip() or name


def _first_heading(text: str) -> str:
    head = text[:20_000]
    headings = [match for match in (_HEADING.search(head), _UNDERLINED.search(head)) if match]
    if not headings:
        return ""
    first = min(headings, key=lambda match: match.start())
    title = first[1].strip()
    return title.rstrip("#").rstrip() if first.re is _HEADING else title
