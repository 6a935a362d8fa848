"""Manuals as passages: the text of HTML and Markdown pages, cut under their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST = 500  # characters: blocks under one heading are packed up to this
LONGEST = 700  # a single block longer than this is cut between sentences

_SKIPPED = {"script", "style", "nav", "noscript", "svg", "head", "header", "footer", "button"}
_BLOCKS = {
    *("p", "div", "li", "ul", "ol", "dl", "dd", "pre", "table", "tr", "section", "article"),
    *("blockquote", "body", "main", "center", "hr", "figure", "details", "summary", "aside"),
}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
_NUMBER = re.compile(r"^(?:(?:chapter|appendix|section|part)\s+)?[A-Z\d]+(?:\.\d+)*\.\s+", re.I)
_MACRO = re.compile(r"\{\{\s*\w+\s*(?:\(([^}]*)\))?\s*\}\}")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARK = re.compile(r"(?<!\w)[*_`]{1,3}|[*_`]{1,3}(?!\w)")


@dataclass(frozen=True)
class Passage:
    """Some 500 characters of a page, under the headings that stand over them, title first."""

    page: str
    headings: tuple[str, ...]
    text: str

    @property
    def line(self) -> str:
        """The passage as the reader sees it: where it stands, then what it says."""
        where = " > ".join(self.headings[:1] + self.headings[1:][-2:])
        return f"{where}: {self.text}" if where else self.text


@dataclass
class _Outline:
    """The blocks of a page as they come, each under its headings."""

    title: str = ""
    path: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    term: str = ""

    def close_block(self, *, is_term: bool = False) -> None:
        text = _SPACE.sub(" ", "".join(self.words)).strip().replace("¶", "")
        self.words.clear()
        if is_term:
            self.term = f"{self.term} {text}".strip()
        elif text:
            text, self.term = f"{self.term}: {text}" if self.term else text, ""
            self.blocks.append((self._headings(), text))

    def open_heading(self, level: int, text: str) -> None:
        text = _NUMBER.sub("", _SPACE.sub(" ", text).replace("¶", "").strip())
        self.path = [(other, name) for other, name in self.path if other < level]
        if text:
            self.path.append((level, text))

    def _headings(self) -> tuple[str, ...]:
        names = [name for _, name in self.path]
        return tuple(dict.fromkeys([self.title, *names] if self.title else names))


def html_passages(html: str, page: str) -> list[Passage]:
    """The passages of one HTML page."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    outline = _Outline(_title(title.text() if title else ""))
    if tree.body is not None:
        _walk(tree.body, outline)
    outline.close_block()
    return list(_packed(outline, page))


def _title(text: str) -> str:
    return _NUMBER.sub("", re.split(r" [—–|·-] ", _SPACE.sub(" ", text).strip())[0])


def _walk(node: Any, outline: _Outline) -> None:
    for child in node.iter(include_text=True):
        tag = child.tag
        if tag == "-text":
            outline.words.append(child.text_content or "")
        elif tag in _SKIPPED or _is_navigation(child):
            continue
        elif tag in _HEADINGS:
            outline.close_block()
            outline.open_heading(_HEADINGS[tag], child.text())
        elif tag == "dt":
            outline.close_block()
            _walk(child, outline)
            outline.close_block(is_term=True)
        elif tag in _BLOCKS:
            outline.close_block()
            _walk(child, outline)
            outline.close_block()
        else:
            if tag in {"td", "th", "br"}:
                outline.words.append(" ")
            _walk(child, outline)


def _is_navigation(node: Any) -> bool:
    names = f"{node.attributes.get('class') or ''} {node.attributes.get('role') or ''}"
    return bool(re.search(r"\b(?:nav\w*|sphinxsidebar|related|toc|menu|footer)\b", names))


def markdown_passages(text: str, page: str) -> list[Passage]:
    """The passages of one Markdown page as MDN writes them, with its front matter."""
    title = re.search(r"^title:\s*\"?(.+?)\"?$", text, re.M)
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    body = re.sub(r"```[^\n]*\n(.*?)```", _short_code, body, flags=re.S)
    outline = _Outline(title[1] if title else "")
    for block in re.split(r"\n\s*\n|\n(?=[-*#] )", body):
        heading = re.match(r"(#+)\s+(.*)", block)
        if heading:
            outline.close_block()
            outline.open_heading(len(heading[1]), _plain(heading[2]))
        elif not block.startswith("|"):
            outline.words.append(_plain(re.sub(r"^\s*(?:[-*>] |: )+", "", block, flags=re.M)))
            outline.close_block()
    return list(_packed(outline, page))


def _short_code(match: re.Match[str]) -> str:
    return match[1] if len(match[1]) < 200 else ""


def _plain(text: str) -> str:
    return _MARK.sub("", _LINK.sub(r"\1", _MACRO.sub(_macro_text, text)))


def _macro_text(match: re.Match[str]) -> str:
    names = re.findall(r"[\"']([^\"']+)[\"']", match[1] or "")
    return names[min(1, len(names) - 1)] if names else ""


def _packed(outline: _Outline, page: str) -> Iterator[Passage]:
    headings, text = (), ""  # type: tuple[str, ...], str
    for path, block in outline.blocks:
        for piece in _pieces(block):
            if text and (path != headings or len(text) + len(piece) > MOST):
                yield Passage(page, headings, text)
                text = ""
            headings, text = path, f"{text} {piece}".strip()
    if text:
        yield Passage(page, headings, text)


def _pieces(block: str) -> Iterator[str]:
    if len(block) <= LONGEST:
        yield block
        return
    piece = ""
    for sentence in _SENTENCE.split(block):
        if piece and len(piece) + len(sentence) > LONGEST:
            yield piece
            piece = ""
        rest = f"{piece} {sentence}".strip()
        for start in range(0, len(rest) - LONGEST, LONGEST):
            yield rest[start : start + LONGEST]
        piece = rest[(len(rest) - 1) // LONGEST * LONGEST :]
    if piece:
        yield piece


def folder_passages(folder: Path) -> list[Passage]:
    """The passages of every page under a folder, those shorter than a short sentence left out."""
    found: list[Passage] = []
    for path in sorted(folder.rglob("*")):
        page = f"{folder.name}/{path.relative_to(folder)}"
        if path.suffix in {".html", ".htm", ".xhtml"} and path.is_file():
            found += html_passages(path.read_text("utf-8", "replace"), page)
        elif path.suffix == ".md":
            found += markdown_passages(path.read_text("utf-8", "replace"), page)
    return [passage for passage in found if len(passage.text) >= 40]


def written_questions(path: Path, passages: list[Passage]) -> Iterator[tuple[str, Passage]]:
    """Questions written for passages, each with its own. A line of the file holds the page, how
    the passage begins and the question, with tabs between; lines of other pages are passed over.
    """
    by_page: dict[str, list[Passage]] = {}
    for passage in passages:
        by_page.setdefault(passage.page, []).append(passage)
    for line in path.read_text("utf-8").splitlines():
        page, start, question = line.split("\t")
        found = [p for p in by_page.get(page, ()) if p.text.startswith(start)]
        yield from ((question, passage) for passage in found[:1])
