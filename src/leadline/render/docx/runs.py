"""Runs of text in WordprocessingML: emphasis, links, notes. Everything is escaped here."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from leadline.render.cited import Mark, fit
from leadline.render.outline import VERDICTS, line, link_of, passage_of
from leadline.values import replace

if TYPE_CHECKING:
    from markdown_it.token import Token

LINK_CHARS = 2000  # Word refuses longer addresses
FIRST_NOTE = 1
_STYLED = {
    "strong_open": ("bold", True),
    "strong_close": ("bold", False),
    "em_open": ("italic", True),
    "em_close": ("italic", False),
    "s_open": ("struck", True),
    "s_close": ("struck", False),
}


@dataclass(frozen=True)
class Look:
    """How a run looks."""

    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    link: bool = False


@dataclass(slots=True)
class Links:
    """The addresses that one part of the file points to, each with its relation."""

    targets: list[str] = field(default_factory=list)

    def relation(self, url: str) -> str:
        if url not in self.targets:
            self.targets.append(url)
        return f"link{self.targets.index(url) + 1}"


@dataclass(slots=True)
class Notes:
    """The footnotes of the document and the links in them."""

    items: list[str] = field(default_factory=list)
    links: Links = field(default_factory=Links)

    def add(self, mark: Mark) -> int:
        """Write the note of a citation and return its id."""
        number = FIRST_NOTE + len(self.items)
        self.items.append(
            f'<w:footnote w:id="{number}"><w:p><w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr>'
            f"{_note(mark, self.links)}</w:p></w:footnote>"
        )
        return number


def run(text: str, look: Look | None = None) -> str:
    """One run; a text that runs to the left says so."""
    shown = fit(text)
    if not shown:
        return ""
    marks = _properties(look or Look(), shown)
    inside = "<w:br/>".join(
        f'<w:t xml:space="preserve">{escape(part)}</w:t>' for part in shown.split("\n")
    )
    return f"<w:r>{f'<w:rPr>{marks}</w:rPr>' if marks else ''}{inside}</w:r>"


def _properties(look: Look, text: str) -> str:
    parts = []
    if look.code:
        parts.append('<w:rStyle w:val="CodeText"/>')
    elif look.link:
        parts.append('<w:rStyle w:val="Hyperlink"/>')
    if look.bold:
        parts.append("<w:b/><w:bCs/>")
    if look.italic:
        parts.append("<w:i/><w:iCs/>")
    if look.struck:
        parts.append("<w:strike/>")
    if any(unicodedata.bidirectional(char) in ("R", "AL") for char in text):
        parts.append("<w:rtl/>")
    return "".join(parts)


def outward(url: str, shown: str, links: Links) -> str:
    """A link to the web; an address that Word would refuse stays text."""
    if len(url) > LINK_CHARS:
        return run(shown)
    relation = links.relation(url)
    return (
        f'<w:hyperlink r:id="{relation}" w:history="1">{run(shown, Look(link=True))}</w:hyperlink>'
    )


def inline(children: Sequence[Token], links: Links, notes: Notes, look: Look | None = None) -> str:
    """The tokens of one line of text as runs."""
    out: list[str] = []
    look = look or Look()
    href = ""
    for token in children:
        if token.type in _STYLED:
            name, on = _STYLED[token.type]
            look = replace(look, **{name: on})
        elif token.type == "link_open":
            href = str(token.attrs.get("href", ""))
            href = href if href.startswith(("http://", "https://")) else ""
            look = replace(look, link=bool(href))
            out.append(_opening(href, links))
        elif token.type == "link_close":
            out.append("</w:hyperlink>" if href and len(href) <= LINK_CHARS else "")
            href, look = "", replace(look, link=False)
        elif token.type == "citation":
            out.append(citation(token.meta["mark"], notes))
        elif token.type == "code_inline":
            out.append(run(token.content, replace(look, code=True)))
        elif token.type == "hardbreak":
            out.append("<w:r><w:br/></w:r>")
        elif token.type == "softbreak":
            out.append(run(" ", look))
        else:
            out.append(run(token.content, look))
    return "".join(out)


def _opening(href: str, links: Links) -> str:
    if not href or len(href) > LINK_CHARS:
        return ""
    return f'<w:hyperlink r:id="{links.relation(href)}" w:history="1">'


def citation(mark: Mark, notes: Notes) -> str:
    """`[n]`: a footnote with the quoted words, or a jump to the source where there are none."""
    label = f"[{mark.source.id}]"
    style = '<w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>'
    if mark.quote is None:
        inside = f"<w:r>{style}<w:t>{label}</w:t></w:r>"
        return f'<w:hyperlink w:anchor="source_{mark.source.id}">{inside}</w:hyperlink>'
    note = notes.add(mark)
    return (
        f'<w:r>{style}<w:footnoteReference w:customMarkFollows="1" w:id="{note}"/>'
        f"<w:t>{label}</w:t></w:r>"
    )


def _note(mark: Mark, links: Links) -> str:
    assert mark.quote is not None
    assert mark.claim is not None
    passage = passage_of(mark.quote)
    parts = [run(f"[{mark.source.id}] ", Look(bold=True))]
    if passage.before:
        parts.append(run(f"… {passage.before} "))
    parts.append(run(passage.words, Look(bold=True)))
    if passage.after:
        parts.append(run(f" {passage.after} …"))
    parts.append(run(f" — {line(mark.source.title, 160)} ({VERDICTS[mark.claim.verdict]}). "))
    link = link_of(mark.source, mark.quote)
    if link:
        parts.append(outward(link, "Open at these words", links))
    return "".join(parts)


def relations(targets: Iterable[str], fixed: str = "") -> str:
    """The relations of one part."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    links = "".join(
        f'<Relationship Id="link{at}" Type="{kind}" Target={quoteattr(url)} TargetMode="External"/>'
        for at, url in enumerate(targets, 1)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Relationships '
        f'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{fixed}{links}'
        "</Relationships>"
    )
