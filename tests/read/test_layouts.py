"""Pages as real sites write them, which once were read wrongly."""

from __future__ import annotations

import json

import pytest

from leadline.read.article import read_article

URL = "https://site.example/story"
TOLD = (
    "The harbour board voted on Tuesday to keep the old lighthouse and its lamp for ten years.",
    "Engineers at the dam compared 212 samples of water that smells faintly of iron.",
    "Nobody had expected the costs to double before the end of the season, the auditor wrote.",
    "A retired pilot took apart the last working loom in the county and cleaned every part.",
)
ASIDE = "A group of parents from the valley won a prize for bread made without any yeast at all."
ARTICLE = "".join(f"<p>{one}</p>" for one in TOLD)
COMMENT = f"<li class='alt'><b>Tom</b> 3 May 2014<p>{ASIDE} {ASIDE}</p><a href='#r'>Reply</a></li>"
LINKED = f"<li><a href='/x'>{ASIDE}</a></li>"

PAGES = {
    "a page inside a form": (
        f"<form id='aspnetForm'><ul>{LINKED * 3}</ul><div>{ARTICLE}</div></form>"
    ),
    "a discussion longer than the article": (
        f"<div class='post'>{ARTICLE}</div><ol class='commentlist'>{COMMENT * 30}</ol>"
    ),
    "a page builder's widgets": "".join(
        f"<section class='builder-section'><div class='builder-widget'><h2>Part</h2><p>{one}</p>"
        "</div></section>"
        for one in TOLD
    ),
    "a box told by its title alone": (
        f"<div><p>{TOLD[0]}</p><p>{TOLD[1]}</p><div><h4>Related stories</h4><div>"
        f"<a href='/q'>{ASIDE}</a></div></div><p>{TOLD[2]}</p><p>{TOLD[3]}</p></div>"
    ),
    "a signup late in the text": (
        f"<main><div class='t'><p>{TOLD[0]}</p><p>{TOLD[1]}</p><p>{TOLD[2]}</p><p>{TOLD[2]} "
        f"{TOLD[1]}</p><div><h2>Sign up to "
        f"our morning letter</h2><p>{ASIDE}</p></div><p>{TOLD[3]}</p></div></main>"
    ),
    "a plea for support amid the text": (
        f"<main><div class='x1'><p>{TOLD[0]}</p><p>{TOLD[1]}</p><section><h2>Will you support our "
        f"work?</h2><p>{ASIDE}</p></section><p>{TOLD[2]}</p><p>{TOLD[3]}</p></div></main>"
    ),
    "a box named for readers of the screen alone": (
        f"<main><p>{TOLD[0]}</p><p>{TOLD[1]}</p><div class='dcr-1' aria-label='newsletter "
        f"promotion'><p>{ASIDE}</p></div><p>{TOLD[2]}</p><p>{TOLD[3]}</p></main>"
    ),
    "words under a picture that no caption marks": (
        f"<main><figure><img><div><p>{ASIDE}</p></div></figure>{ARTICLE}</main>"
    ),
    "a teaser that ends in a link to more": (
        f"<article><p>{TOLD[0]}</p><p>{TOLD[1]}</p><p>{ASIDE} <a href='/q'>Read more</a></p>"
        f"<p>{TOLD[2]}</p><p>{TOLD[3]}</p></article>"
    ),
    "a list of linked headlines": (
        f"<article><p>{TOLD[0]}</p><p>{TOLD[1]}</p><ul>{LINKED * 3}</ul><p>{TOLD[2]}</p>"
        f"<p>{TOLD[3]}</p></article>"
    ),
    "a chronology": (
        f"<main><p>{TOLD[0]}</p><ul>"
        + "".join(
            f"<li class='item'><div>190{n}</div><p>{TOLD[1 + n % 3]}{n}</p></li>" for n in range(6)
        )
        + "</ul></main>"
    ),
    "a promoted article beside a long sidebar": (
        f"<div class='node node-promoted'><div class='field-name-body'>{ARTICLE}<p>{TOLD[1]} "
        f"{TOLD[3]}</p></div></div>"
        f"<div class='region-sidebar'>{f'<div class=row><p>{ASIDE}</p></div>' * 9}</div>"
    ),
}


@pytest.mark.contract("E2")
@pytest.mark.parametrize("which", PAGES)
def test_the_article_is_read_and_nothing_beside_it(which: str) -> None:
    text = read_article(f"<html><body>{PAGES[which]}</body></html>", URL).text
    assert [one for one in TOLD if one not in text] == []
    assert ASIDE not in text


@pytest.mark.contract("E2")
def test_a_page_that_a_script_writes_is_read_from_what_it_tells_machines() -> None:
    said = json.dumps({"headline": "Lamp", "articleBody": "\n".join(TOLD * 2)})
    page = f"<script type='application/ld+json'>{said}</script><div id='app'>Loading…</div>"
    assert TOLD[3] in read_article(page, URL).text


@pytest.mark.contract("E2")
def test_a_quote_pulled_out_of_the_text_is_read_once() -> None:
    long = " ".join(TOLD)
    page = (
        f"<article><p>{long}</p><div class='pull'>“{TOLD[1]}”</div><p>{ASIDE} {ASIDE}</p></article>"
    )
    assert read_article(page, URL).text.count(TOLD[1]) == 1


@pytest.mark.contract("E2")
def test_what_only_sounds_like_a_box_stays() -> None:
    part = (
        f"<section><h2>Subscribe to a topic</h2><p>{TOLD[2]}</p></section>"
        f"<section aria-label='How the menu and the comments work'><p>{TOLD[3]}</p></section>"
        "<h2 class='section-header'>Lamps</h2><div>1932</div><p>It was first published in 1925.</p>"
    )
    text = read_article(f"<main><p>{TOLD[0]}</p>{part}<p>{TOLD[1]} {TOLD[0]}</p></main>", URL).text
    wanted = ("Subscribe to a topic", TOLD[2], TOLD[3], "## Lamps", "1932", "in 1925.")
    assert [one for one in wanted if one not in text] == []


@pytest.mark.contract("E2")
def test_votes_and_credits_are_left_out() -> None:
    page = (
        f"<article>{ARTICLE}<div>204</div><p>This video can not be played</p><p>{TOLD[1]} It did."
        "</p><p>Ann Lee contributed reporting from Rome.</p></article>"
    )
    text = read_article(page, URL).text
    assert [one for one in ("204", "video", "Ann Lee") if one in text] == []


@pytest.mark.contract("E2")
def test_letters_written_in_parts_and_soft_hyphens_are_read_as_words() -> None:
    page = f"<article>{ARTICLE}<p>Cafe\u0301 and har\u00adbour.</p></article>"
    assert "Café and harbour." in read_article(page, URL).text
