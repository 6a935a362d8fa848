"""Readers turn bytes into a page, and say plainly what they cannot read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import SourceLost
from leadline.read.registry import read, refused

PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 5 0 R
/Resources<</Font<</F 7 0 R>>>>>>endobj
4 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 6 0 R
/Resources<</Font<</F 7 0 R>>>>>>endobj
5 0 obj<</Length 62>>stream
BT /F 12 Tf 20 100 Td (Tides follow the moon.) Tj ET
endstream endobj
6 0 obj<</Length 62>>stream
BT /F 12 Tf 20 100 Td (Second page on currents.) Tj ET
endstream endobj
7 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
"""


@pytest.mark.contract("E2", "D1")
def test_markdown_takes_its_title_from_the_front_matter_or_the_first_heading() -> None:
    front = b'---\ntitle: "The tides"\nauthor: Ann\ndate: 2024-05-01\n---\n\n# Other\n\nText.\n'
    page = read(front, "a.md")
    assert (page.title, page.author, page.date) == ("The tides", "Ann", "2024-05-01")
    assert read(b"Intro.\n\n## The *moon*\n\nText.\n", "b.md").title == "The *moon*"
    assert read(b"Moon\n====\n\nText.\n", "c.md").title == "Moon"


def test_a_file_without_heading_is_called_by_its_name() -> None:
    assert read(b"plain words", "notes/first_steps.txt").title == "first steps"
    assert read(b"plain words", "guide/index.md").title == "guide"


@pytest.mark.contract("E2")
def test_rest_headings_become_markdown() -> None:
    source = "=====\nTides\n=====\n\nText.\n\nMoon\n----\n\nMore, and a table::\n\n  ---- ----\n"
    page = read(source.encode(), "a.rst")
    assert page.title == "Tides"
    assert "# Tides\n\nText.\n\n## Moon" in page.text


@pytest.mark.contract("E2")
def test_html_keeps_headings_lists_tables_and_code_and_loses_the_chrome() -> None:
    page = read(
        b"""<html><head><title>T</title><meta name=author content="Ann"><style>x{}</style></head>
        <body><nav>Home</nav><header>Site</header><main><h1>The  tides</h1>
        <p>Water <b>rises</b>\nand falls.</p><ul><li>spring<li>neap</ul>
        <table><tr><th>day<th>height<tr><td>1<td>3 m</table>
        <pre>a = 1\n  b = 2</pre><script>evil()</script></main><footer>Imprint</footer></body>""",
        "a.html",
    )
    assert (page.title, page.author) == ("The tides", "Ann")
    assert "# The tides" in page.text
    assert "Water rises and falls." in page.text
    assert "- spring" in page.text
    assert "| 1 | 3 m" in page.text
    assert "a = 1\n  b = 2" in page.text
    assert not any(word in page.text for word in ("Home", "Site", "evil", "Imprint", "x{}"))


def test_html_in_an_old_charset_is_read() -> None:
    data = "<meta charset=iso-8859-1><p>Müller</p>".encode("latin-1")
    assert "Müller" in read(data, "a.htm").text


@pytest.mark.parametrize("name", ["punycode", "idna", "undefined", "base64", "nonsense-9"])
def test_html_that_names_no_charset_is_read_all_the_same(name: str) -> None:
    data = f"<meta charset={name}><p>Müller</p>".encode("latin-1")
    assert "Müller" in read(data, "a.htm").text


def test_html_nested_without_end_is_a_loss_and_not_a_wait() -> None:
    with pytest.raises(SourceLost, match=r"endless\.html cannot be read: .* nested"):
        read(b"<div>" * 200_000 + b"deep", "endless.html")


def test_html_nested_beyond_reason_is_read() -> None:
    assert "deep" in read(b"<div>" * 5_000 + b"deep" + b"</div>" * 5_000, "a.html").text


@pytest.mark.contract("E2")
def test_pdf_is_read_page_by_page() -> None:
    page = read(PDF, "tides.pdf")
    first, second = page.text.split("\f")
    assert "Tides follow the moon." in first
    assert "Second page on currents." in second


@pytest.mark.parametrize(
    ("data", "name", "why"),
    [
        (b"", "a.txt", "empty"),
        (b" \n\t", "a.md", "empty"),
        (b"<html><script>x</script></html>", "a.html", "no text"),
        (b"%PDF-1.4\nnonsense", "a.pdf", "cannot be opened"),
        (b"text\x00with a NUL", "a.txt", "binary"),
        (bytes(range(1, 32)) * 20, "a.py", "binary"),
        (b"\xff\xfea", "a.txt", "utf-16"),
        (b"PK\x03\x04", "a.mp4", "not read"),
    ],
)
@pytest.mark.contract("D1")
def test_what_cannot_be_read_says_why(data: bytes, name: str, why: str) -> None:
    with pytest.raises(SourceLost, match=why):
        read(data, name)


def test_an_encrypted_pdf_says_so() -> None:
    locked = PDF.replace(
        b"trailer<</Root 1 0 R>>",
        b"8 0 obj<</Filter/Standard/V 1/R 2/O<" + b"11" * 32 + b">/U<" + b"22" * 32 + b">/P -4>>"
        b"endobj\ntrailer<</Root 1 0 R/Encrypt 8 0 R/ID[<00><00>]>>",
    )
    with pytest.raises(SourceLost, match="encrypted"):
        read(locked, "secret.pdf")


def test_source_code_is_called_by_its_path() -> None:
    page = read(b"def tide():\n    return 3\n", "src/tide.py")
    assert (page.title, page.text) == ("src/tide.py", "def tide():\n    return 3\n")


def test_a_file_of_unknown_suffix_is_read_when_it_is_text() -> None:
    assert read(b"all: build\n", "Makefile").text == "all: build\n"


def test_pictures_and_archives_are_refused_by_name() -> None:
    assert "png" in refused("a/b.PNG")
    assert refused(".gitignore") == refused("a.md") == refused("no_suffix") == ""


@pytest.mark.contract("D1")
@given(
    st.binary(max_size=400),
    st.sampled_from(["a.txt", "a.md", "a.rst", "a.html", "a.pdf", "a.py", "odd", "a.xyz"]),
)
def test_any_bytes_give_a_page_or_a_reason(data: bytes, name: str) -> None:
    try:
        said = read(data, name).text
    except SourceLost as lost:
        said = str(lost)
    assert said.strip()
    said.encode()
