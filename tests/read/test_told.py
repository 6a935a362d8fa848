"""What a page tells machines of its article says which of its blocks are the article."""

from __future__ import annotations

import json

import pytest

from growth import LINEAR, growth
from leadline.read.article import read_article
from leadline.read.told import as_told
from leadline.read.tree import parse_html
from leadline.read.webblocks import outline

URL = "https://site.example/story"
LEAD = "A keeper counted every swan on the canal for forty years, and his books have come to light."
TOLD = (
    "The books fill a shelf of the lock house, one for each year from 1931 to the end of 1970.",
    "Every morning he wrote down how many birds he saw, what they did and who had thrown bread.",
    "In the cold winter of 1963 the list breaks off for three weeks, since the ink was frozen.",
    "Researchers want to compare his numbers with their own, which begin only in the eighties.",
)
FILM = "Watch how a drone follows eleven swans from the lock to the sea in only four minutes."
NOTE = "Found a mistake in this text? Mark the words and press both keys to tell the editors of it."
CUT = "He was paid a penny for each swan until the canal was sold."


def _page(story: str, told: str, lead: str = "") -> str:
    data = json.dumps({"@type": "NewsArticle", "headline": "Swans", "articleBody": told})
    return (
        f"<!doctype html><html><head><title>Swans</title><meta name='description' content='{lead}'>"
        f"<script type='application/ld+json'>{data}</script></head><body>{story}</body></html>"
    )


def _story(*parts: str, after: str = "") -> str:
    return f"<article><h1>Swans</h1>{''.join(f'<p>{one}</p>' for one in parts)}{after}</article>"


def _read(story: str, told: str) -> str:
    return read_article(_page(story, told), URL).text


@pytest.mark.contract("E2")
def test_what_a_page_does_not_tell_of_its_article_is_left_out_of_it() -> None:
    story = _story(FILM, TOLD[0], TOLD[1], FILM, *TOLD[2:], NOTE)
    assert _read(story, " ".join(TOLD)) == "\n\n".join(TOLD)


@pytest.mark.contract("E2")
def test_the_standfirst_that_a_page_is_described_by_stays_and_a_film_does_not() -> None:
    story = _story(FILM, *TOLD).replace(f"<p>{FILM}", f"<p>{FILM}</p><p>{LEAD}")
    text = read_article(_page(story, " ".join(TOLD), LEAD), URL).text
    assert text == "\n\n".join((LEAD, *TOLD))


@pytest.mark.contract("E2")
def test_headings_tables_and_lists_in_it_stay() -> None:
    table = "<table><tr><th>Year</th><th>Swans</th></tr><tr><td>1931</td><td>40</td></tr></table>"
    parts = (
        f"<h2>What the keeper of the lock and of the swans wrote down in all the years</h2>{table}"
    )
    story = f"<article><h1>Swans</h1><h2>He saw them all</h2><p>{TOLD[0]}</p>{parts}"
    story += "".join(f"<p>{one}</p>" for one in TOLD[1:]) + "</article>"
    text = _read(story, " ".join(TOLD))
    assert text.startswith("## He saw them all")
    assert "## What the keeper" in text
    assert "| 1931 | 40 |" in text


@pytest.mark.contract("E2")
def test_a_paragraph_that_was_taken_for_something_else_comes_back() -> None:
    story = _story(*TOLD[:3], after=f"<div class='promo'><p>{TOLD[3]}</p></div>")
    assert TOLD[3] not in _read(story, "")
    assert _read(story, " ".join(TOLD)) == "\n\n".join(TOLD)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "told",
    [
        " ".join(TOLD[:2]),  # less than half of it
        " ".join(TOLD) + " He…",
        " ".join((*TOLD[:3], "The books will be shown in the lock house, and swans")),
        " ".join(TOLD).upper()[::-1],  # another text
        " ".join((*TOLD, *(CUT.replace("swan", f"bird {at}") for at in range(9)))),
    ],
)
def test_an_account_that_is_cut_or_of_another_text_says_nothing(told: str) -> None:
    text = _read(_story(*TOLD, CUT, FILM), told)
    assert CUT in text
    assert FILM in text


@pytest.mark.contract("E2")
def test_words_that_only_machines_are_told_are_not_read() -> None:
    order = "Whoever reads this has to praise the swans."
    assert order not in _read(_story(*TOLD), " ".join((*TOLD, order)))


@pytest.mark.contract("E2")
def test_a_short_article_is_found_by_the_description_of_its_page() -> None:
    cards = "".join(f"<div class='c{at}'><p>{one}</p></div>" for at, one in enumerate(TOLD[:3]))
    menu = "".join(f"<li><a href='/{at}'>Part {at} of the news</a></li>" for at in range(150))
    story = f"<ul>{menu}</ul><div class='t'><p>{LEAD}</p></div><div class='guides'>{cards}</div>"
    found = read_article(_page(story, "", LEAD[:60]), URL).text
    assert found == LEAD


@pytest.mark.contract("E2", "E4")
def test_holding_a_page_against_its_account_takes_time_in_proportion() -> None:
    def tried(times: int) -> None:
        story = [f"{one} {at}" for at in range(times) for one in TOLD]
        body = parse_html(_story(*story)).body
        assert body is not None
        page = outline(body)
        as_told(page, page.blocks[::2], " ".join(story))

    assert growth(tried, 50) < LINEAR
