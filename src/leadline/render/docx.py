"""A report as a Word document, by python-docx: each citation leads to its quotation at the end."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from docx import Document
from docx.enum.text import WD_BREAK
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from leadline.render import outline
from leadline.render.cited import Mark, cited, fit
from leadline.render.direction import right_to_left
from leadline.render.words import limits_title
from leadline.types import AgentResponse, Citation

if TYPE_CHECKING:
    from docx.text.paragraph import Paragraph
    from docx.text.run import Run
    from markdown_it.token import Token

LINK_CHARS = 2000  # Word refuses longer addresses
_INDENT = Mm(7)  # of a list's level
_FACTS, _LINK = RGBColor(0x66, 0x66, 0x66), RGBColor(0x05, 0x63, 0xC1)
_FIRST_OF_ZIP, _LAST_OF_ZIP = 1980, 2107  # the years a zip can hold
_STYLED = {"strong": "bold", "em": "italic", "s": "strike"}
# What follows the direction of a paragraph among its properties, in the order of Word.
_AFTER_BIDI = tuple(f"w:{name}" for name in ("spacing", "ind", "jc", "outlineLvl", "rPr", "sectPr"))


def as_docx(response: AgentResponse) -> bytes:
    """The file. Its times are those of the run, so the same response gives the same bytes."""
    report = _Report()
    report.head(response)
    report.blocks(cited(response).tokens)
    report.sources(response.sources)
    report.listed(limits_title(response), outline.limit_lines(response))
    dropped = [f"“{text}” — {why}" for text, why in outline.dropped_lines(response)]
    report.listed("Left out", dropped)
    parts = [
        f"{'●' if supported else '○'} {part}{'' if supported else ' (open)'}"
        for part, supported in outline.parts_of(response)
    ]
    report.listed("The parts of the question", parts)
    report.listed("How this was found", outline.found_lines(response))
    report.quotations()
    return report.saved(response)


class _Report:
    """Writes one document from its beginning to its end."""

    def __init__(self) -> None:
        self._document = Document()
        section = self._document.sections[0]
        section.page_width, section.page_height = Mm(210), Mm(297)
        section.left_margin = section.right_margin = Mm(25)
        self._marks: list[Mark] = []  # those with a quotation, in reading order
        self._bookmarks = 0
        self._lists: list[tuple[str, int]] = []  # style and numbering of each list it stands in
        self._item_begins = False
        self._quoted = 0
        self._heading = 0

    # ── blocks ──────────────────────────────────────────────────────────────────────────────

    def head(self, response: AgentResponse) -> None:
        if title := outline.title(response):
            _text(self._paragraph(title, "Title"), title)
        if told := outline.facts(response):
            run = _text(self._paragraph(told), told)
            run.font.size, run.font.color.rgb = Pt(9), _FACTS

    def listed(self, title: str, lines: Sequence[str]) -> None:
        if lines:
            self._title(title)
        for line in lines:
            _text(self._paragraph(line, "List Bullet"), line)

    def sources(self, sources: Sequence[Citation]) -> None:
        if sources:
            self._title("Sources")
        for source in sources:
            title = outline.line(source.title, 300) or "Untitled"
            paragraph = self._paragraph(title)
            self._bookmark(paragraph, f"source_{source.id}", f"[{source.id}] ")
            _text(paragraph, title, bold=True)
            _text(paragraph, " — ")
            self._link(paragraph, outline.line(source.location), outline.link_of(source))
            if details := outline.details_of(source):
                _text(paragraph, f" ({details})")

    def quotations(self) -> None:
        """What each citation rests on: the words in their surroundings, and a link to them."""
        if self._marks:
            self._title("Quotations")
        for number, mark in enumerate(self._marks, 1):
            assert mark.quote is not None
            assert mark.claim is not None
            passage = outline.passage_of(mark.quote)
            paragraph = self._paragraph(passage.words)
            self._bookmark(paragraph, f"quotation_{number}", f"{number}. ")
            _text(paragraph, f"[{mark.source.id}] ", bold=True)
            _text(paragraph, f"… {passage.before} " if passage.before else "")
            _text(paragraph, passage.words, bold=True)
            _text(paragraph, f" {passage.after} …" if passage.after else "")
            title = outline.line(mark.source.title, 160)
            _text(paragraph, f" — {title} ({outline.VERDICTS[mark.claim.verdict]}). ")
            if link := outline.link_of(mark.source, mark.quote):
                self._link(paragraph, "Open at these words", link)

    def blocks(self, tokens: Sequence[Token]) -> None:
        """All blocks of the answer."""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type == "table_open":
                end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
                self._table(tokens[at:end])
                at = end
            elif token.type == "inline":
                self._inline(self._placed(token.content), token.children or ())
            elif token.type in ("fence", "code_block"):
                run = _text(self._placed(""), token.content.rstrip("\n"))
                run.font.name, run.font.size = "Courier New", Pt(9)
            elif token.type == "hr":
                self._paragraph("")
            else:
                self._enter(token)
            at += 1

    def _enter(self, token: Token) -> None:
        kind = token.type
        if kind.startswith("heading"):
            self._heading = int(token.tag[1]) if token.nesting > 0 else 0
        elif kind == "bullet_list_open":
            self._lists.append((self._list_style("List Bullet"), 0))
        elif kind == "ordered_list_open":
            style = self._list_style("List Number")
            self._lists.append((style, self._numbering(style, int(token.attrs.get("start", 1)))))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._item_begins = True
        elif kind.startswith("blockquote"):
            self._quoted += token.nesting

    def _list_style(self, name: str) -> str:
        level = min(len(self._lists) + 1, 3)  # Word's template has three
        return name if level == 1 else f"{name} {level}"

    def _numbering(self, style: str, start: int) -> int:
        """A list of its own that begins at `start`."""
        numbering = self._document.part.numbering_part.element
        own = self._document.styles[style].element.pPr.numPr.numId.val
        made = numbering.add_num(numbering.num_having_numId(own).abstractNumId.val)
        made.add_lvlOverride(ilvl=0).add_startOverride(min(start, 32_000))
        return int(made.numId)

    def _placed(self, text: str) -> Paragraph:
        """A paragraph where the walk stands: a heading, an item, what follows in it, a quote."""
        if self._heading:
            return self._paragraph(text, f"Heading {self._heading}")
        if not self._lists:
            return self._paragraph(text, "Quote" if self._quoted else "")
        style, numbering = self._lists[-1]
        if not self._item_begins:
            paragraph = self._paragraph(text)
            paragraph.paragraph_format.left_indent = _INDENT * len(self._lists)
            return paragraph
        self._item_begins = False
        paragraph = self._paragraph(text, style)
        if numbering:
            number = paragraph._p.get_or_add_pPr().get_or_add_numPr()
            number.get_or_add_numId().val = numbering
            number.get_or_add_ilvl().val = 0
        return paragraph

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[tuple[Token, Token]]] = []
        for at, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("td_open", "th_open"):
                rows[-1].append((token, tokens[at + 1]))
        columns = max((len(row) for row in rows), default=0)
        if not columns:
            return
        table = self._document.add_table(len(rows), columns, "Table Grid")
        for row, cells in zip(table.rows, rows, strict=True):
            for place, (opening, inline) in zip(row.cells, cells, strict=False):
                paragraph = place.paragraphs[0]
                self._direct(paragraph, inline.content)
                bold = opening.type == "th_open"
                self._inline(paragraph, inline.children or (), bold=bold)
        self._paragraph("")

    # ── lines ───────────────────────────────────────────────────────────────────────────────

    def _title(self, title: str) -> None:
        _text(self._paragraph(title, "Heading 2"), title)

    def _paragraph(self, text: str, style: str = "") -> Paragraph:
        """An empty paragraph that runs the way `text` does."""
        paragraph = self._document.add_paragraph(style=style or None)
        self._direct(paragraph, text)
        return paragraph

    @staticmethod
    def _direct(paragraph: Paragraph, text: str) -> None:
        if right_to_left(text):
            paragraph._p.get_or_add_pPr().insert_element_before(OxmlElement("w:bidi"), *_AFTER_BIDI)

    def _inline(
        self, paragraph: Paragraph, children: Sequence[Token], *, bold: bool = False
    ) -> None:
        look = {"bold": bold, "italic": False, "strike": False}
        href = ""
        for token in children:
            kind, _, end = token.type.rpartition("_")
            if kind in _STYLED:
                look[_STYLED[kind]] = end == "open"
            elif token.type == "link_open":
                href = str(token.attrs.get("href", ""))
            elif token.type == "link_close":
                href = ""
            elif token.type == "citation":
                self._citation(paragraph, token.meta["mark"])
            elif token.type == "hardbreak":
                paragraph.add_run().add_break(WD_BREAK.LINE)
            elif token.type == "softbreak":
                _text(paragraph, " ", **look)
            elif href.startswith(("http://", "https://")):
                self._link(paragraph, token.content, href)
            else:
                run = _text(paragraph, token.content, **look)
                if token.type == "code_inline":
                    run.font.name = "Courier New"

    def _citation(self, paragraph: Paragraph, mark: Mark) -> None:
        """`[n]`, which leads to the quotation, or to the source where there is none."""
        run = _text(paragraph, f"[{mark.source.id}]")
        run.font.superscript = True
        if mark.quote is None:
            anchor = f"source_{mark.source.id}"
        else:
            self._marks.append(mark)
            anchor = f"quotation_{len(self._marks)}"
        _hyperlink(paragraph, run).set(qn("w:anchor"), anchor)

    def _link(self, paragraph: Paragraph, shown: str, url: str) -> None:
        """A link to the web; an address that Word would refuse stays text."""
        run = _text(paragraph, shown)
        if url and len(url) <= LINK_CHARS:
            run.font.color.rgb, run.font.underline = _LINK, True
            relation = paragraph.part.relate_to(url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
            _hyperlink(paragraph, run).set(qn("r:id"), relation)

    def _bookmark(self, paragraph: Paragraph, name: str, shown: str) -> None:
        self._bookmarks += 1
        start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
        for mark in (start, end):
            mark.set(qn("w:id"), str(self._bookmarks))
        start.set(qn("w:name"), name)
        paragraph._p.append(start)
        _text(paragraph, shown)
        paragraph._p.append(end)

    # ── the file ────────────────────────────────────────────────────────────────────────────

    def saved(self, response: AgentResponse) -> bytes:
        """The document with the title and time of the run, every part of the zip of that time."""
        when = _time(response.started)
        about = self._document.core_properties
        name = outline.title(response) or outline.line(response.task, outline.TITLE_CHARS)
        about.title, about.author, about.comments = name[:255], "Leadline", ""
        about.created = about.modified = when
        written, fixed = io.BytesIO(), io.BytesIO()
        self._document.save(written)
        with zipfile.ZipFile(written) as old, zipfile.ZipFile(fixed, "w") as new:
            for part in old.infolist():
                entry = zipfile.ZipInfo(part.filename, when.timetuple()[:6])
                entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 0
                new.writestr(entry, old.read(part))
        return fixed.getvalue()


def _time(started: str) -> datetime:
    earliest = datetime(_FIRST_OF_ZIP, 1, 1, tzinfo=UTC)
    try:
        when = datetime.fromisoformat(started[:19]).replace(tzinfo=UTC)
    except ValueError:  # no time, or a day that no month has
        return earliest
    return when if _FIRST_OF_ZIP <= when.year <= _LAST_OF_ZIP else earliest


def _text(
    paragraph: Paragraph,
    text: str,
    *,
    bold: bool = False,
    italic: bool = False,
    strike: bool = False,
) -> Run:
    """A run of text; one that runs to the left says so."""
    shown = fit(text)
    run = paragraph.add_run(shown)
    run.bold, run.italic, run.font.strike = bold or None, italic or None, strike or None
    run.font.rtl = right_to_left(shown) or None
    return run


def _hyperlink(paragraph: Paragraph, run: Run) -> Any:
    """Puts the last run of a paragraph into a link, whose target the caller sets."""
    link = OxmlElement("w:hyperlink")
    paragraph._p.append(link)
    link.append(run._r)
    return link
