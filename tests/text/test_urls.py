"""One spelling per page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.text.urls import canonical, is_loopback

PARTS = st.sampled_from(
    [
        *("http://", "HTTPS://", "Example.COM", ":443", ":80", ":8080", "/", "//", "a", "%7e"),
        *("%2F", "..", ".", "?", "&", "=", "utm_source=x", "b=2", "a=1", "#top", "user@"),
        *("[::1]", "é", " ", "%zz"),
    ]
)


@pytest.mark.contract("S4")
@given(st.lists(PARTS, max_size=12).map("".join) | st.text(max_size=60))
def test_the_canonical_form_is_its_own_canonical_form(url: str) -> None:
    assert canonical(canonical(url)) == canonical(url)


@pytest.mark.contract("S4")
@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a/b?x=1&y=2",
        "HTTPS://Example.ORG/a/b?x=1&y=2",
        "http://example.org/a/b?x=1&y=2",
        "https://example.org:443/a/b?x=1&y=2",
        "http://example.org:80/a/b/?x=1&y=2",
        "https://example.org/a/b/?y=2&x=1",
        "https://example.org/a/b?x=1&y=2#part",
        "https://example.org/a/b?utm_source=mail&x=1&gclid=abc&y=2&fbclid=q",
        "https://example.org/a/./c/../b?x=1&y=2",
        " https://example.org./%61/b?x=1&y=2 ",
    ],
)
def test_addresses_of_one_page_have_one_form(url: str) -> None:
    assert canonical(url) == "https://example.org/a/b?x=1&y=2"


@pytest.mark.contract("S4")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/a", "https://example.org/A"),
        ("https://example.org/a?x=1", "https://example.org/a?x=2"),
        ("https://example.org:8080/a", "https://example.org/a"),
        ("https://example.org/a?t=1&t=2", "https://example.org/a?t=2&t=1"),
        ("https://a.example.org/", "https://example.org/"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ],
)
def test_different_pages_keep_different_forms(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.contract("S4")
@pytest.mark.parametrize(
    "path",
    ["docs/guide.md", "C:\\docs\\a.md", "notes#3", "", "a b?c", "http://[bad", "mailto:a@b.c"],
)
def test_what_is_no_web_address_comes_back_unchanged(path: str) -> None:
    assert canonical(path) == path


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]"]
)
def test_these_are_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    "host", ["", "127.example.org", "127.0.0.1.example.org", "127.1", "0.0.0.0", "localhost.org"]
)
def test_a_name_that_only_looks_like_this_machine_is_somebody_elses(host: str) -> None:
    assert not is_loopback(host)
