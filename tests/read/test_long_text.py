"""No text takes more time to read than its length accounts for, whatever stands in it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from growth import LINEAR, growth
from leadline.errors import SourceLost
from leadline.read.charset import decode
from leadline.read.file_type import kind_of
from leadline.read.registry import read


def _front(text: str) -> bytes:
    return f"---\n{text}\n---\n".encode()


# What is read, with the length at which to begin; some look no further than some thousands.
CASES: dict[str, tuple[Callable[[int], object], int]] = {
    "comments": (lambda n: kind_of((b"<!---->" * n)[:n] + b"x", "text/plain", ""), 500),
    "comments, spaced": (lambda n: kind_of((b"<!-- --> " * n)[:n] + b"x", "text/plain", ""), 500),
    "open comments": (lambda n: kind_of((b"<!--" * n)[:n] + b"x", "text/plain", ""), 500),
    "spaces before markup": (lambda n: kind_of(b" " * n + b"x", "text/plain", ""), 500),
    "charset and spaces": (lambda n: decode(b"<meta charset=" + b" " * n + b"\xff"), 500),
    "charset and charset": (lambda n: decode((b"<meta charset = " * n)[:n] + b"\xff"), 500),
    "header of spaces": (lambda n: decode(b"\xff", "charset" + " " * n), 10_000),
    "heading of spaces": (lambda n: read(b"# a" + b" " * n + b"x\n", "a.md"), 2_000),
    "heading of marks": (lambda n: read(b"# a" + (b" #" * n)[:n] + b"x\n", "a.md"), 2_000),
    "title of spaces": (lambda n: read(_front("title: a" + " " * n + "x"), "a.md"), 5_000),
    "roles without end": (lambda n: read(b".. note::\n" + (b":a:`b" * n)[:n], "a.rst"), 2_000),
    "links without end": (lambda n: read(b".. note::\n" + (b"`a <" * n)[:n], "a.rst"), 2_000),
    "blocks in blocks": (lambda n: read(b".. code::\n\n " * (n // 12), "a.rst"), 2_000),
    "titles in a row": (lambda n: read(b"a\n==\n\n" * (n // 6), "a.rst"), 2_000),
}


@pytest.mark.contract("E2", "E4")
@pytest.mark.parametrize("name", [*CASES])
def test_reading_takes_time_in_proportion(name: str) -> None:
    do, small = CASES[name]

    def tried(length: int) -> None:
        with suppress(SourceLost):  # lost is fine, in its time
            do(length)

    assert growth(tried, small) < LINEAR


def test_markup_behind_comments_is_known_for_what_it_is() -> None:
    for start in (
        b"",
        b"<!---->",
        b" <!-- a --> <!-- <b> -- > -->\n",
        b"<?xml version='1.0'?><!---->",
    ):
        assert kind_of(start + b"<!DOCTYPE html><p>x", "text/plain", "") == "html"
        assert kind_of(start + b"words <html>", "text/plain", "") == "text"
