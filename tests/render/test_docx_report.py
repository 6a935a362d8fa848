"""The Word report, read back by the reader that reads users' documents."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_reports import ANSWER, ARABIC, CHINESE, EVIL, HOSTILE, JAPANESE, LONG_URL, RICH

from leadline.read.docx import DocxReader
from leadline.render.formats import render
from leadline.types import AgentResponse, Citation
from leadline.values import replace

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def text_of(response: AgentResponse) -> str:
    return DocxReader().read(render(response, "docx"), "report.docx").text


def part(response: AgentResponse, name: str) -> ElementTree.Element:
    with zipfile.ZipFile(io.BytesIO(render(response, "docx"))) as archive:
        return ElementTree.fromstring(archive.read(name))


@pytest.mark.contract("W8")
@pytest.mark.parametrize(
    "text",
    [
        CHINESE,
        JAPANESE,
        ARABIC,
        LONG_URL,
        "| 2 | two strips of leather | by the mark two |",
        "fathoms * 1.8288 # metres <b>&amp;",
        "1. Swing the lead forward. [2]\n2. Let it sink",
        "## What a leadline is",
    ],
)
def test_every_script_table_and_long_address_is_there(text: str) -> None:
    assert text in text_of(RICH)


@pytest.mark.contract("W8")
def test_a_citation_leads_to_the_quoted_words_and_these_to_their_page() -> None:
    body = part(RICH, "word/document.xml")
    anchors = [link.get(f"{W}anchor") for link in body.iter(f"{W}hyperlink")]
    marks = [anchor for anchor in anchors if anchor and anchor.startswith("quotation_")]
    assert len(marks) == 7  # the eighth cites a source that the proof is not from
    first = next(
        paragraph
        for paragraph in body.iter(f"{W}p")
        if any(mark.get(f"{W}name") == marks[0] for mark in paragraph.iter(f"{W}bookmarkStart"))
    )
    said = "".join(first.itertext())
    assert "Long before echo sounders" in said
    assert "A leadline is a weighted rope that measures depth." in said
    relation = next(first.iter(f"{W}hyperlink")).get(f"{R}id")
    relations = part(RICH, "word/_rels/document.xml.rels")
    targets = {one.get("Id"): one.get("Target") for one in relations}
    assert "#:~:text=A%20leadline" in str(targets[relation])


def test_every_place_that_a_link_leads_to_is_there() -> None:
    body = part(RICH, "word/document.xml")
    places = {mark.get(f"{W}name") for mark in body.iter(f"{W}bookmarkStart")}
    links = {link.get(f"{W}anchor") for link in body.iter(f"{W}hyperlink")}
    assert links - {None} <= places


def test_each_numbered_list_starts_at_its_own_number() -> None:
    answer = "3. three\n4. four\n\ntext\n\n1. one\n"
    text = text_of(replace(RICH, final_answer=answer, claims=()))
    numbering = part(replace(RICH, final_answer=answer, claims=()), "word/numbering.xml")
    starts = [start.get(f"{W}val") for start in numbering.iter(f"{W}startOverride")]
    assert starts == ["3", "1"]
    assert "1. three\n2. four" in text  # our reader counts, Word shows 3 and 4


def test_arabic_paragraphs_run_to_the_left() -> None:
    paragraphs = [
        one
        for one in part(RICH, "word/document.xml").iter(f"{W}p")
        if ARABIC in "".join(one.itertext())
    ]
    assert paragraphs
    assert all(one.find(f"{W}pPr/{W}bidi") is not None for one in paragraphs)


def test_hostile_text_is_text() -> None:
    text = text_of(HOSTILE)
    assert EVIL in text
    assert "<script>alert(1)</script> said" in text
    targets = {
        one.get("Target")
        for one in part(HOSTILE, "word/_rels/document.xml.rels")
        if one.get("TargetMode") == "External"
    }
    assert targets == {
        "https://fine.example/",
        "https://spy.example/p.png",
        "https://x.example/%22onmouseover=%22alert(1)",
    }


@pytest.mark.contract("R8")
def test_the_same_response_gives_the_same_bytes() -> None:
    assert render(RICH, "docx") == render(RICH, "docx")
    with zipfile.ZipFile(io.BytesIO(render(RICH, "docx"))) as archive:
        assert {one.date_time for one in archive.infolist()} == {(2026, 11, 16, 6, 59, 48)}


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_makes_a_file_that_can_be_read(answer: str, title: str) -> None:
    odd = replace(
        RICH,
        task=title,
        final_answer=f"{answer}\n\n{ANSWER}",
        sources=(*RICH.sources, Citation(9, title, "web", f"https://x.example/{title}")),
        started=title,
    )
    data = render(odd, "docx")
    assert CHINESE in DocxReader().read(data, "report.docx").text
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if not name.endswith((".xml", ".rels")):
                continue
            ElementTree.fromstring(archive.read(name))
