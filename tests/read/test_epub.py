"""Books are read chapter by chapter in reading order; locked ones are lost."""

from __future__ import annotations

import pytest
from office import packed

from leadline.errors import SourceLost
from leadline.read.epub import EpubReader
from leadline.read.file_type import kind_of

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)
OPF = """<package xmlns="http://www.idpf.org/2007/opf"><metadata
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>On Soundings</dc:title>
 <dc:creator>Ann Lee</dc:creator><dc:creator>Bo Ek</dc:creator><dc:date>1872-01-02</dc:date>
 </metadata><manifest>
 <item id="a" href="text/ch%202.xhtml" media-type="application/xhtml+xml"/>
 <item id="b" href="text/ch1.xhtml" media-type="application/xhtml+xml"/>
 <item id="n" href="nav.xhtml" media-type="application/xhtml+xml"/>
 <item id="i" href="x.png" media-type="image/png"/></manifest>
 <spine><itemref idref="n" linear="no"/><itemref idref="b"/><itemref idref="a"/>
 <itemref idref="i"/></spine></package>"""
CHAPTER = (
    '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
    "<head><title>x</title></head><body><h2>{0}</h2><p>Text of &eacute;l {0}.</p></body></html>"
)


def epub(**more: str) -> bytes:
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": OPF,
        "OEBPS/text/ch1.xhtml": CHAPTER.format("One"),
        "OEBPS/text/ch 2.xhtml": CHAPTER.format("Two"),
        "OEBPS/nav.xhtml": CHAPTER.format("Contents"),
    }
    return packed(parts | more)


@pytest.mark.contract("E2")
def test_chapters_come_in_reading_order() -> None:
    page = EpubReader().read(epub(), "book.epub")
    assert page.text == "## One\n\nText of él One.\n\n## Two\n\nText of él Two."
    assert (page.title, page.author, page.date) == ("On Soundings", "Ann Lee; Bo Ek", "1872-01-02")
    assert kind_of(epub(), "application/octet-stream", "https://site.example/x") == "epub"


@pytest.mark.contract("E2")
def test_a_locked_book_is_lost_and_one_with_locked_fonts_is_not() -> None:
    lock = (
        '<encryption><EncryptedData><CipherData><CipherReference URI="{}"/></CipherData>'
        "</EncryptedData></encryption>"
    )
    with pytest.raises(SourceLost, match="locked"):
        EpubReader().read(
            epub(**{"META-INF/encryption.xml": lock.format("OEBPS/text/ch1.xhtml")}), "book.epub"
        )
    fonts = epub(**{"META-INF/encryption.xml": lock.format("OEBPS/font.otf")})
    assert EpubReader().read(fonts, "book.epub").text


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"META-INF/container.xml": "<x/>"}, "does not say"),
        ({"OEBPS/book.opf": ""}, "no list of contents"),
        ({"OEBPS/book.opf": "<package/>"}, "no text"),
        ({"META-INF/container.xml": CONTAINER.replace("OEBPS/", "../../")}, "no list"),
    ],
)
def test_a_broken_book_is_lost(parts: dict[str, str], why: str) -> None:
    with pytest.raises(SourceLost, match=why):
        EpubReader().read(epub(**parts), "book.epub")
