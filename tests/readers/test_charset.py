"""Bytes of the web become text, also where header or page are wrong about the charset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.readers.charset import decode

GERMAN = "Die Lötleine mißt die Tiefe der See; über Grund führt sie Talg für eine Probe. " * 9
RUSSIAN = "Лот измеряет глубину моря и приносит пробу грунта со дна, как это делали раньше. " * 9
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
    ],
)  # fmt: skip
def test_text_is_read_in_its_charset(text: str, coding: str, header: str, page: str) -> None:
    assert decode((page + text).encode(coding), header) == page + text


def test_a_few_broken_bytes_do_not_change_the_charset() -> None:
    data = GERMAN.encode()[:-1] + b"\xff" + GERMAN.encode()
    assert decode(data).count("\ufffd") == 1


def test_a_letter_cut_at_the_end_does_not_change_the_charset() -> None:
    assert decode("See und Grün".encode()[:-2]) == "See und Gr"


@given(st.text())
def test_any_text_in_utf_8_comes_back(text: str) -> None:
    plain = text.encode("utf-8", "ignore").decode().lstrip("\ufeff")
    if not plain.startswith(("\x00", "\ufffe")) and "charset" not in plain:
        assert decode(plain.encode(), "text/html; charset=utf-8") == plain


@given(st.binary(max_size=400), st.text(max_size=30))
def test_any_bytes_become_some_text(data: bytes, header: str) -> None:
    assert isinstance(decode(data, f"text/html; charset={header}"), str)
