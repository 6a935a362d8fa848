"""Title, author and date from where pages put them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.read.metadata import About, about, day_of
from leadline.read.tree import parse_html

BODY = "<body><h1>On soundings</h1><p>Text.</p></body>"


def read(head: str, body: str = BODY, url: str = "https://a.example/x") -> About:
    return about(parse_html(f"<html><head>{head}</head>{body}</html>"), url)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("head", "title"),
    [
        ('<meta property="og:title" content="On  Soundings">', "On Soundings"),
        ("<title>On soundings | The Harbour Review</title>", "On soundings"),
        ("<title>Depth of the bay - Almanac</title>", "Depth of the bay"),
        ("<title>Tides</title>", "Tides"),
        ("", "On soundings"),
        ('<script type="application/ld+json">{"headline": "Lead"}</script>', "Lead"),
    ],
)
def test_the_title_is_the_pages_and_not_the_sites(head: str, title: str) -> None:
    assert read(head).title == title


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("head", "body", "author"),
    [
        ('<meta name="author" content="Ann Lee">', BODY, "Ann Lee"),
        (
            '<script type="application/ld+json">{"@graph": [{"@type": "Article", "author": '
            '[{"name": "Ann Lee"}, {"name": "Bo Ek"}]}]}</script>',
            BODY,
            "Ann Lee; Bo Ek",
        ),
        ("", '<body><p class="byline">By Ann Lee | May 6, 2024</p></body>', "Ann Lee"),
        ('<meta property="article:author" content="https://a.example/ann">', BODY, ""),
        ("", '<body><p class="author">She wrote it on a Sunday.</p></body>', ""),
        ("", "<body><p>Nobody says.</p></body>", ""),
    ],
)
def test_the_author_is_a_name_or_nothing(head: str, body: str, author: str) -> None:
    assert read(head, body).author == author


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("head", "body", "url", "date_"),
    [
        (
            '<meta property="article:published_time" content="2024-05-06T07:08:09Z">',
            BODY,
            "",
            "2024-05-06",
        ),
        (
            '<script type="application/ld+json">[{"author": "A", "datePublished": "2023-1-2"}]'
            "</script>",
            BODY,
            "",
            "2023-01-02",
        ),
        ("", '<body><time datetime="2022-12-31T10:00">then</time></body>', "", "2022-12-31"),
        ('<meta name="date" content="6 May 2024">', BODY, "", "2024-05-06"),
        ("", BODY, "https://a.example/2021/03/04/tides", "2021-03-04"),
        ('<meta name="date" content="2024-13-45">', BODY, "", ""),
        ("", BODY, "https://a.example/v/2021", ""),
    ],
)
def test_the_date_is_one_that_exists_or_nothing(head: str, body: str, url: str, date_: str) -> None:
    assert read(head, body, url).date == date_


def test_broken_linked_data_is_passed_over() -> None:
    assert read('<script type="application/ld+json">{"headline": </script>').title == "On soundings"


@given(st.dates(min_value=date(1970, 1, 1)))
def test_a_day_is_read_back_however_it_is_written(day: date) -> None:
    said = (f"{day:%Y-%m-%d}", f"{day:%Y/%m/%d} 10:00", f"{day:%B %d, %Y}", f"{day:%d %b %Y}")
    assert {day_of(one) for one in said} == {f"{day:%Y-%m-%d}"}
