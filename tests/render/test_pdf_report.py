"""The PDF report, read back by a program we did not write."""

from __future__ import annotations

import pypdfium2 as pdfium
import pypdfium2.raw as raw
import pytest
from sample_reports import ARABIC, CHINESE, EVIL, HOSTILE, JAPANESE, LONG_URL, RICH

from leadline.render.formats import render, rendered
from leadline.render.pdf.fonts import families, fonts, missing_in, told
from leadline.render.pdf.setting import source_of
from leadline.types import AgentResponse
from leadline.values import replace


def text_of(data: bytes) -> str:
    pages = [page.get_textpage().get_text_bounded() for page in pdfium.PdfDocument(data)]
    return "\n".join(pages).replace("\u200b", "").replace("\r\n", "\n")


def joined(text: str) -> str:
    """Without line ends and hyphens, which the reader takes out where an address is broken."""
    return "".join(text.split()).replace("-", "").replace("\ufffe", "").replace("\x02", "")


@pytest.fixture(scope="module")
def rich() -> str:
    return text_of(render(RICH, "pdf"))


@pytest.mark.contract("W8")
@pytest.mark.parametrize(
    "text", [CHINESE, JAPANESE, "by the mark three", "fathoms * 1.8288", "claim by claim"]
)
def test_every_script_table_and_code_is_there(rich: str, text: str) -> None:
    assert text in rich


@pytest.mark.contract("W8")
def test_arabic_is_there_letter_for_letter(rich: str) -> None:
    assert ARABIC.rstrip(".") in rich


@pytest.mark.contract("W8")
def test_a_long_address_can_be_read_whole(rich: str) -> None:
    assert joined(LONG_URL) in joined(rich)


@pytest.mark.contract("W8")
def test_links_lead_to_the_quoted_words() -> None:
    targets = _targets(render(RICH, "pdf"))
    words = "A%20leadline%20is%20a%20weighted%20rope%20that%20measures%20depth."
    assert f"https://sea.example/wiki/Sounding_line#:~:text={words}" in targets
    assert all(target.startswith("https://") for target in targets)


def _targets(data: bytes) -> set[str]:
    import ctypes

    document = pdfium.PdfDocument(data)
    found: set[str] = set()
    for page in document:
        position, link = ctypes.c_int(0), raw.FPDF_LINK()
        while raw.FPDFLink_Enumerate(page, position, link):
            action = raw.FPDFLink_GetAction(link)
            size = raw.FPDFAction_GetURIPath(document, action, None, 0) if action else 0
            if size:
                buffer = ctypes.create_string_buffer(size)
                raw.FPDFAction_GetURIPath(document, action, buffer, size)
                found.add(buffer.value.decode())
    return found


def test_hostile_text_is_set_as_text() -> None:
    text = text_of(render(HOSTILE, "pdf"))
    assert EVIL in text
    assert "<script>alert(1)</script> said" in text
    assert '#import "x" $sum$ <label> @ref' in text
    assert text.count("W") >= 10_000
    assert _targets(render(HOSTILE, "pdf")) == {
        "https://fine.example/",
        "https://spy.example/p.png",
        "https://x.example/%22onmouseover=%22alert(1)",
    }


@pytest.mark.parametrize(
    "text",
    [
        '"; panic("x") #panic()',
        "\\",
        '\\"',
        "#{",
        "]] )",
        "*_`$<>@#=-+/~//",
        "/* */",
        "\u2028\u00ad",
    ],
)
def test_nothing_in_a_text_is_a_command(text: str) -> None:
    data, notes = rendered(replace(RICH, final_answer=f"{text} [1]\n\n`{text}`", task=text), "pdf")
    assert data.startswith(b"%PDF")
    assert notes == ()


@pytest.mark.contract("R8")
def test_the_same_response_gives_the_same_bytes() -> None:
    assert render(RICH, "pdf") == render(RICH, "pdf")
    assert b"D:20261116065948" in render(RICH, "pdf")


@pytest.mark.contract("W8")
def test_a_character_that_no_font_has_is_told_and_named_in_the_file() -> None:
    report = rendered(replace(RICH, final_answer="Lost: \u0378. [1]"), "pdf")
    assert len(report.notes) == 1
    assert "U+0378" in report.notes[0]
    assert "U+0378" in text_of(report.data)
    assert rendered(RICH, "pdf").notes == ()


def test_a_font_of_last_resort_hides_nothing_and_packaged_fonts_are_found() -> None:
    there = set(fonts(False).families())
    assert "Last Resort High-Efficiency" in there  # matplotlib brings it
    assert not [name for name in families(True) if "resort" in name.lower()]
    assert "Noto Serif CJK SC" in families(False)
    assert "DejaVu Sans" in families(False)


def test_the_note_names_the_script_and_what_to_install() -> None:
    note = told(("中", "か", "国", "。"))
    assert "4 of the characters (Han (Chinese, Japanese), Hiragana: U+4E2D" in note
    assert "pip install '.[cjk]'" in note
    assert "Tibetan" in told(("ཀ",))
    assert missing_in('the text `"中"` could not be displayed with font `"x"`') == ("中",)


def test_a_report_with_next_to_nothing_in_it_is_still_a_file(rich: str) -> None:
    bare: AgentResponse = replace(
        RICH, final_answer="", sources=(), claims=(), verdicts=(), dropped=(), gaps=(), started=""
    )
    assert text_of(render(bare, "pdf")).startswith("What is a leadline")
    assert source_of(bare, ["Libertinus Serif"]).count("#mark(") == 0
