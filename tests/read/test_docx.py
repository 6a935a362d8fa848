"""Word documents are read with their structure; broken and locked ones are lost."""

from __future__ import annotations

import zipfile

import pytest
from office import CORE, W, encrypted, packed

from leadline.errors import SourceLost
from leadline.read.docx import DocxReader
from leadline.read.registry import read
from leadline.read.web import read_web

STYLES = (
    f'<w:styles xmlns:w="{W}"><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="H2"><w:name w:val="Heading 2"/></w:style>'
    '<w:style w:styleId="Mine"><w:name w:val="my head"/><w:basedOn w:val="H2"/></w:style>'
    "</w:styles>"
)
NUMBERS = (
    f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0">'
    '<w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl>'
    '</w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
)


def p(text: str, style: str = "", item: str = "") -> str:
    about = f'<w:pStyle w:val="{style}"/>' if style else ""
    if item:
        about += f'<w:numPr><w:ilvl w:val="{item}"/><w:numId w:val="3"/></w:numPr>'
    return f"<w:p><w:pPr>{about}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(body: str, **more: str) -> bytes:
    document = f'<w:document xmlns:w="{W}" xmlns:m="m" xmlns:mc="mc"><w:body>{body}</w:body>'
    parts = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"{document}</w:document>",
        "word/styles.xml": STYLES,
        "word/numbering.xml": NUMBERS,
        "docProps/core.xml": CORE,
    }
    return packed(parts | more)


@pytest.mark.contract("E2")
def test_headings_lists_and_tables_become_markdown() -> None:
    cell = "<w:tc>{}</w:tc>"
    row = "<w:tr>" + cell.format(p("a|b")) + cell.format(p("2")) + "</w:tr>"
    body = (
        p("Soundings", "H1") + p("Plain words.") + p("Marks", "Mine") + p("one", item="0")
        + p("inner", item="1") + p("two", item="0") + f"<w:tbl>{row}{row}</w:tbl>" + p("End.")
    )  # fmt: skip
    page = DocxReader().read(docx(body), "file.docx")
    assert page.text == (
        "# Soundings\n\nPlain words.\n\n## Marks\n\n1. one\n  - inner\n2. two\n\n"
        "| a\\|b | 2 |\n| --- | --- |\n| a\\|b | 2 |\n\nEnd."
    )
    assert (page.title, page.author, page.date) == ("The title", "Ann Lee", "2024-05-06")


def test_runs_breaks_links_insertions_and_formulas_are_read_and_deletions_are_not() -> None:
    body = (
        "<w:p><w:r><w:t>By the </w:t></w:r><w:hyperlink><w:r><w:t>mark</w:t></w:r></w:hyperlink>"
        "<w:ins><w:r><w:t> five</w:t></w:r></w:ins><w:del><w:r><w:delText> six</w:delText></w:r>"
        "</w:del><w:r><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r>"
        "<m:oMath><m:r><m:t>d=l-f</m:t></m:r></m:oMath></w:p>"
    )
    assert DocxReader().read(docx(body), "f.docx").text == "By the mark five x\ny d=l-f"


def test_a_text_box_is_read_once_although_it_is_stored_twice() -> None:
    box = f"<w:txbxContent>{p('In the box.')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>Before.</w:t><mc:AlternateContent><mc:Choice>"
        f"{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert DocxReader().read(docx(body), "f.docx").text == "Before.\n\nIn the box."


def test_footnotes_stand_at_the_end() -> None:
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:type="separator">{p("-")}</w:footnote>'
        f"<w:footnote>{p('See the chart.')}</w:footnote></w:footnotes>"
    )
    text = DocxReader().read(docx(p("Text."), **{"word/footnotes.xml": notes}), "f.docx").text
    assert text == "Text.\n\nSee the chart."


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04 cut off", "broken"),
        (docx(p("x"))[:300], "broken"),
        (encrypted(docx(p("x"))), "encrypted"),
        (docx(""), "no text"),
        (packed({"word/other.xml": "<x/>"}), "no document"),
        (docx(p("x"), **{"word/document.xml": "<w:document>"}), "broken"),
        (docx(p("x"), **{"word/document.xml": ""}), "no document"),
    ],
)
def test_what_cannot_be_read_is_lost_with_its_reason(data: bytes, why: str) -> None:
    with pytest.raises(SourceLost, match=why):
        DocxReader().read(data, "file.docx")


@pytest.mark.contract("E4")
def test_entities_are_refused() -> None:
    laughs = (
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        f'<w:document xmlns:w="{W}"><w:body>{p("&b;")}</w:body></w:document>'
    )
    for text in (laughs.encode(), laughs.encode("utf-16")):
        with pytest.raises(SourceLost, match="entities"):
            DocxReader().read(packed({"word/document.xml": text}), "file.docx")


@pytest.mark.contract("E4")
def test_a_part_that_unpacks_to_far_more_than_it_is_stops_there() -> None:
    with pytest.raises(SourceLost, match="decompression bomb"):
        DocxReader().read(packed({"word/document.xml": bytes(80_000_000)}), "file.docx")


def test_an_archive_of_very_many_parts_is_refused() -> None:
    with pytest.raises(SourceLost, match="too many"):
        DocxReader().read(packed({f"word/{n}.xml": "" for n in range(20_001)}), "file.docx")


def test_a_file_whose_parts_lie_about_their_checksum_is_broken() -> None:
    data = bytearray(docx(p("x")))
    at = data.find(b"word/document.xml") + 40
    data[at : at + 8] = b"\xff" * 8
    with pytest.raises(SourceLost, match="broken"):
        DocxReader().read(bytes(data), "file.docx")
    assert zipfile.is_zipfile(__import__("io").BytesIO(bytes(data)))


def test_it_is_found_by_suffix_and_by_its_bytes() -> None:
    assert read(docx(p("By suffix.")), "file.docx").text == "By suffix."
    found = read_web(docx(p("By its bytes.")), "https://site.example/f", "application/octet-stream")
    assert found.text == "By its bytes."
