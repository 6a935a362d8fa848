"""Word documents are read with their structure; broken and locked ones are lost."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from office import W, as_strict, encrypted, packed, saved, unpacked

from leadline.errors import SourceLost
from leadline.read.docx import DocxReader
from leadline.read.registry import read
from leadline.read.webpage import read_web

FOOTNOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"


def written(*paragraphs: str) -> bytes:
    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    return saved(document)


def with_body(body: str, **more: str) -> bytes:
    """A document of this raw body, for what python-docx does not write."""
    xml = (
        f'<w:document xmlns:w="{W}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/'
        'math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<w:body>{body}</w:body></w:document>"
    )
    parts: dict[str, str | bytes] = {**unpacked(written("x")), "word/document.xml": xml}
    return packed(parts | more)


def p(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def text_of(data: bytes) -> str:
    return DocxReader().read(data, "file.docx").text


@pytest.mark.contract("E2", "D1")
def test_headings_lists_and_tables_become_markdown() -> None:
    document = docx.Document()
    document.add_heading("Soundings", 1)
    document.add_paragraph("Plain words.")
    document.add_heading("Marks", 2)
    for text, style in (("one", "List Number"), ("inner", "List Bullet"), ("two", "List Number")):
        document.add_paragraph(text, style)
    table = document.add_table(2, 2)
    for cell in table._cells:
        cell.text = "a|b"
    document.add_paragraph("End.")
    page = DocxReader().read(saved(document), "file.docx")
    assert page.text == (
        "# Soundings\n\nPlain words.\n\n## Marks\n\n1. one\n- inner\n2. two\n\n"
        "| a\\|b | a\\|b |\n| --- | --- |\n| a\\|b | a\\|b |\n\nEnd."
    )
    assert (page.title, page.author, page.date) == ("The title", "Ann Lee", "2024-05-06")


def test_a_style_on_a_heading_is_a_heading() -> None:
    document = docx.Document()
    own = document.styles.add_style("my head", 1)
    own.base_style = document.styles["Heading 2"]
    document.add_paragraph("Marks", own)
    assert text_of(saved(document)) == "## Marks"


def test_runs_breaks_links_insertions_and_formulas_are_read_and_deletions_are_not() -> None:
    body = (
        "<w:p><w:r><w:t>By the </w:t></w:r><w:hyperlink><w:r><w:t>mark</w:t></w:r></w:hyperlink>"
        "<w:ins><w:r><w:t> five</w:t></w:r></w:ins><w:del><w:r><w:delText> six</w:delText></w:r>"
        "</w:del><w:r><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r>"
        "<m:oMath><m:r><m:t>d=l-f</m:t></m:r></m:oMath></w:p>"
    )
    assert text_of(with_body(body)) == "By the mark five x\ny d=l-f"


def test_what_stands_in_a_content_control_is_read() -> None:
    body = f"<w:sdt><w:sdtContent>{p('In the control.')}</w:sdtContent></w:sdt>"
    assert text_of(with_body(body)) == "In the control."


def test_a_text_box_is_read_once_although_it_is_stored_twice() -> None:
    box = f"<w:txbxContent>{p('In the box.')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>Before.</w:t><mc:AlternateContent><mc:Choice>"
        f"{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert text_of(with_body(body)) == "Before.\n\nIn the box."


def test_footnotes_stand_at_the_end() -> None:
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:type="separator">{p("-")}</w:footnote>'
        f"<w:footnote>{p('See the chart.')}</w:footnote></w:footnotes>"
    )
    relations = unpacked(written("x"))["word/_rels/document.xml.rels"].decode()
    link = f'<Relationship Id="n1" Type="{FOOTNOTES}" Target="footnotes.xml"/></Relationships>'
    relations = relations.replace("</Relationships>", link)
    data = with_body(
        p("Text."),
        **{"word/footnotes.xml": notes, "word/_rels/document.xml.rels": relations},
    )
    assert text_of(data) == "Text.\n\nSee the chart."


def test_a_file_in_the_strict_format_is_read() -> None:
    assert text_of(as_strict(written("Strictly."))) == "Strictly."


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04 cut off", "broken"),
        (written("x")[:300], "broken"),
        (encrypted(written("x")), "encrypted"),
        (with_body(""), "no text"),
        (packed({"word/other.xml": "<x/>"}), "broken"),
        (with_body("", **{"word/document.xml": "<w:document>"}), "broken"),
        (with_body("", **{"word/document.xml": ""}), "broken"),
        (with_body("", **{"word/document.xml": "<x/>"}), "broken"),
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
    for text in (laughs.encode(), laughs.encode("utf-16"), laughs.encode("utf-16-be")):
        with pytest.raises(SourceLost, match="entities"):
            DocxReader().read(packed({"word/document.xml": text}), "file.docx")


@pytest.mark.contract("E4")
@pytest.mark.parametrize("part", ["word/document.xml", "word/media/image1.png", "odd"])
def test_a_part_that_unpacks_to_far_more_than_it_is_stops_there(part: str) -> None:
    parts: dict[str, str | bytes] = {**unpacked(written("x")), part: bytes(80_000_000)}
    with pytest.raises(SourceLost, match="decompression bomb"):
        DocxReader().read(packed(parts), "file.docx")


@pytest.mark.contract("E4")
def test_an_archive_of_very_many_parts_is_refused() -> None:
    with pytest.raises(SourceLost, match="too many"):
        DocxReader().read(packed({f"word/{n}.xml": "" for n in range(20_001)}), "file.docx")


@pytest.mark.contract("E4")
def test_elements_nested_without_end_are_a_loss_and_not_a_crash() -> None:
    for depth in (200, 3_000):
        body = "<w:ins>" * depth + p("deep") + "</w:ins>" * depth
        with suppress(SourceLost):
            assert text_of(with_body(body)) == "deep"


@pytest.mark.contract("E4")
def test_a_file_whose_parts_lie_about_their_checksum_is_broken() -> None:
    data = bytearray(written("x"))
    at = data.find(b"word/document.xml") + 40
    data[at : at + 8] = b"\xff" * 8
    with pytest.raises(SourceLost, match="broken"):
        DocxReader().read(bytes(data), "file.docx")
    assert zipfile.is_zipfile(io.BytesIO(bytes(data)))


@pytest.mark.contract("E4")
@given(
    st.sampled_from(["word/document.xml", "word/styles.xml", "word/numbering.xml",
                     "word/_rels/document.xml.rels", "[Content_Types].xml", "docProps/core.xml"]),
    st.integers(0, 5_000), st.integers(0, 60), st.text("<>/\"=w:val19-x ", max_size=12),
)  # fmt: skip
def test_a_damaged_part_costs_the_file_and_nothing_else(
    part: str, at: int, length: int, put: str
) -> None:
    parts = unpacked(written("One.", "Two."))
    content = parts[part]
    at %= len(content)
    parts[part] = content[:at] + put.encode() + content[at + length :]
    with suppress(SourceLost):
        assert text_of(packed(parts))


def test_it_is_found_by_suffix_and_by_its_bytes() -> None:
    assert read(written("By suffix."), "file.docx").text == "By suffix."
    url = "https://site.example/f"
    page = read_web(written("By its bytes."), url, "application/octet-stream")
    assert page.text == "By its bytes."
