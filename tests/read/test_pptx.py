"""Presentations are read slide by slide, in the order they are shown."""

from __future__ import annotations

import pytest
from office import CORE, A, P, R, packed, rels

from leadline.errors import SourceLost
from leadline.read.pptx import PptxReader


def shape(*lines: str, kind: str = "") -> str:
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>' if kind else ""
    body = "".join(f"<a:p>{line}</a:p>" for line in lines)
    return f"<p:sp>{place}<p:txBody>{body}</p:txBody></p:sp>"


def run(text: str) -> str:
    return f"<a:r><a:t>{text}</a:t></a:r>"


def slide(*shapes: str) -> str:
    return (
        f'<p:sld xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}" xmlns:c="c"><p:cSld><p:spTree>'
        f"{''.join(shapes)}</p:spTree></p:cSld></p:sld>"
    )


def pptx(slides: dict[str, str], order: list[str], **more: str) -> bytes:
    ids = "".join(f'<p:sldId r:id="{key}"/>' for key in order)
    parts = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{P}" xmlns:r="{R}"><p:sldIdLst>{ids}'
        "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": rels(**{key: f"slides/{key}.xml" for key in slides}),
        "docProps/core.xml": CORE,
    }
    return packed(parts | {f"ppt/slides/{key}.xml": xml for key, xml in slides.items()} | more)


@pytest.mark.contract("E2")
def test_slides_come_in_order_with_title_text_list_and_table() -> None:
    bullet = '<a:pPr lvl="1"><a:buChar char="x"/></a:pPr>'
    cells = "".join(f"<a:tc><a:txBody><a:p>{run(t)}</a:p></a:txBody></a:tc>" for t in ("a", "b"))
    table = (
        f"<p:graphicFrame><a:graphic><a:tbl><a:tr>{cells}</a:tr><a:tr>{cells}</a:tr></a:tbl>"
        "</a:graphic></p:graphicFrame>"
    )
    first = slide(
        shape(run("Soundings"), kind="ctrTitle"),
        f"<p:grpSp>{shape(run('In a group.'))}</p:grpSp>",
        shape(run("7"), kind="sldNum"),
    )
    second = slide(shape(run("Marks"), kind="title"), shape(run("Two"), bullet + run("x")), table)
    page = PptxReader().read(pptx({"s9": second, "s2": first}, ["s2", "s9"]), "deck.pptx")
    assert page.text == (
        "## Soundings\n\nIn a group.\n\n## Marks\n\nTwo\n  - x\n\n"
        "| a | b |\n| --- | --- |\n| a | b |"
    )
    assert page.author == "Ann Lee"


def test_charts_become_tables_and_notes_follow_the_slide() -> None:
    frame = (
        '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="r1"/></a:graphicData>'
        "</a:graphic></p:graphicFrame>"
    )
    chart = (
        '<c:chartSpace xmlns:c="c"><c:ser><c:tx><c:v>Depth</c:v></c:tx><c:cat><c:v>Mon</c:v>'
        "<c:v>Tue</c:v></c:cat><c:val><c:v>5</c:v><c:v>7</c:v></c:val></c:ser></c:chartSpace>"
    )
    notes = slide(shape(run("Say this aloud."), kind="body")).replace("p:sld ", "p:notes ")
    more = {
        "ppt/slides/_rels/s1.xml.rels": rels(
            r1="../charts/chart1.xml", r2="../notesSlides/notesSlide1.xml"
        ),
        "ppt/charts/chart1.xml": chart,
        "ppt/notesSlides/notesSlide1.xml": notes.replace("</p:sld>", "</p:notes>"),
    }
    text = PptxReader().read(pptx({"s1": slide(frame)}, ["s1"], **more), "deck.pptx").text
    assert "|  | Depth |\n| --- | --- |\n| Mon | 5 |\n| Tue | 7 |" in text
    assert text.endswith("Say this aloud.")


@pytest.mark.contract("E2")
def test_a_deck_without_slides_or_text_is_lost() -> None:
    with pytest.raises(SourceLost, match="no slides"):
        PptxReader().read(pptx({}, []), "deck.pptx")
    with pytest.raises(SourceLost, match="no text"):
        PptxReader().read(pptx({"s1": slide()}, ["s1"]), "deck.pptx")


@pytest.mark.contract("E4")
def test_a_relationship_cannot_lead_out_of_the_file() -> None:
    parts = pptx({"s1": slide(shape(run("x")))}, ["s1"], **{
        "ppt/_rels/presentation.xml.rels": rels(s1="../../../../etc/passwd"),
    })  # fmt: skip
    with pytest.raises(SourceLost, match="no slides"):
        PptxReader().read(parts, "deck.pptx")
