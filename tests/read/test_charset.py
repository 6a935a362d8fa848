"""Bytes of the web become text, also where header or page are wrong about the charset."""

from __future__ import annotations

from encodings.aliases import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.read.charset import decode

GERMAN = "Die Lötleine mißt die Tiefe der See; über Grund führt sie Talg für eine Probe. " * 9
RUSSIAN = "Лот измеряет глубину моря и приносит пробу грунта со дна, как это делали раньше. " * 9
# Every codec that Python knows, some that it knows by no alias, and what is none.
NAMES = (
    sorted({*aliases, *aliases.values()})
    + (
        "idna punycode undefined unicode_escape raw_unicode_escape unicode-escape utf-8-sig "
        "aliases __init__ mbcs oem . .. -- utf.8 \u00e9 \uff55tf-8 x:y utf_16_be UTF-32 "
        + "x"
        * 5000
    ).split()
)
JAPANESE = "測鉛線は海の深さを測り、海底の土を持ち帰るための道具である。昔の船乗りが使った。" * 9


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("text", "coding", "header", "page"),
    [
        (GERMAN, "utf-8", "", ""),
        (GERMAN, "utf-8", "text/html; charset=iso-8859-1", ""),
        (GERMAN, "utf-8", "", "<meta charset=latin1>"),
        (GERMAN, "utf-8-sig", "text/html; charset=windows-1251", ""),
        (GERMAN, "utf-16", "", ""),
        (GERMAN, "utf-16-le", "text/html; charset=utf-16le", ""),
        (GERMAN, "cp1252", "text/html; charset=utf-8", ""),
        (GERMAN, "cp1252", "text/html; charset=iso-8859-1", ""),
        (GERMAN, "cp1252", "text/html; charset=nonsense-9", ""),
        (RUSSIAN, "cp1251", "text/html; charset=windows-1251", ""),
        (RUSSIAN, "koi8-r", "", "<meta http-equiv=x content='text/html; charset=koi8-r'>"),
        (RUSSIAN, "cp1251", "text/html", ""),
        (JAPANESE, "shift_jis", "", '<meta charset="Shift_JIS">'),
        (JAPANESE, "euc-jp", "text/html; charset=euc-jp", ""),
        (JAPANESE, "gb18030", "text/html; charset=gb2312", ""),
        (RUSSIAN, "cp1251", "text/html; charset=iso-8859-1", "<meta charset=windows-1251>"),
        (RUSSIAN, "koi8-r", "text/html; charset=Windows-1252", "<meta charset=koi8-r>"),
        (JAPANESE, "shift_jis", "text/html; charset=ISO_8859-1", "<meta charset=x-sjis>"),
        (JAPANESE, "euc-jp", "text/html; charset=us-ascii", "<?xml encoding='euc-jp'?>"),
        (JAPANESE, "shift_jis", "text/html; charset=iso-8859-1", ""),
        (GERMAN, "cp1252", "text/html; charset=iso-8859-1", "<meta charset=utf-8>"),
        (GERMAN, "cp1252", "text/html; charset=latin1", "<meta charset=iso-8859-1>"),
        (RUSSIAN, "cp1251", "text/html; charset=windows-1251", "<meta charset=koi8-r>"),
        (JAPANESE, "iso-2022-jp", "text/html; charset=iso-2022-jp", ""),
        (GERMAN, "utf-16-le", "", ""),
        (GERMAN, "utf-16-be", "text/html", ""),
        (GERMAN, "utf-16-be", "text/html; charset=utf-16", ""),
        (GERMAN, "utf-16-le", "text/html; charset=utf-16", ""),
    ],
)  # fmt: skip
def test_text_is_read_in_its_charset(text: str, coding: str, header: str, page: str) -> None:
    assert decode((page + text).encode(coding), header) == page + text


def test_a_wrong_byte_among_many_letters_does_not_make_latin_1_something_else() -> None:
    french = "La ligne de sonde mesure la profondeur, où qu'elle soit à bord — ça dépend. " * 9
    data = french.encode("cp1252") + b"\x81"
    assert decode(data, "text/html; charset=iso-8859-1") == french + "\ufffd"


def test_a_nul_here_and_there_does_not_make_utf_16() -> None:
    for text in ("\0" + GERMAN + "a\0b", "bottom\0" * 9, "find\0print0\0" * 9, "one two\0" * 9):
        assert decode(text.encode()) == text


def test_utf_16_that_is_cut_in_a_letter_is_utf_16_all_the_same() -> None:
    assert decode(GERMAN.encode("utf-16-le")[:-1]) == GERMAN[:-1]


def test_a_letter_cut_at_the_end_does_not_change_the_charset() -> None:
    assert decode("See und Grün".encode()[:-2]) == "See und Gr"


@given(st.text())
def test_any_text_in_utf_8_comes_back(text: str) -> None:
    plain = text.encode("utf-8", "ignore").decode().lstrip("\ufeff")
    if not plain.startswith(("\x00", "\ufffe")) and "charset" not in plain:
        assert decode(plain.encode(), "text/html; charset=utf-8") == plain


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"User-agent: *\n\xff\xfe\x80 \\ud800 \\8 +2AA-\x1b$"]
)
def test_no_charset_that_a_server_names_stops_the_reading(data: bytes) -> None:
    for name in NAMES:
        assert isinstance(decode(data, f"text/plain; charset={name}"), str)
        assert isinstance(decode(f"<meta charset={name}>".encode() + data), str)


@given(
    st.binary(max_size=200),
    st.sampled_from(NAMES) | st.text(max_size=20),
    st.sampled_from(NAMES) | st.text(max_size=20),
)
def test_any_bytes_become_text_whatever_header_and_page_call_them(
    data: bytes, header: str, page: str
) -> None:
    whole = f'<meta charset="{page}">'.encode("utf-8", "replace") + data
    assert isinstance(decode(whole, f"text/html; charset={header}"), str)
