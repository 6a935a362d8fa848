"""Lines that a site puts into an article are told by their wording from lines that sound alike."""

from __future__ import annotations

import pytest

from leadline.read.article import read_article

URL = "https://site.example/story"
TOLD = (
    "The reservoir above the town has not been so low since it was filled in the year 1961.",
    "Two farms and a chapel that were drowned then can be reached on foot over the cracked mud.",
    "The water company asks that nobody wash a car or fill a pool until the end of the month.",
    "Fishermen moved nine hundred trout to the river in tanks before the last pool turned warm.",
)
STORY = "".join(f"<p>{one}</p>" for one in TOLD)
LAST = "Rain is not expected before the second week of October, the weather office said on Monday."


def _read(amid: str, last: str = f"<p>{LAST}</p>") -> str:
    head = "<!doctype html><html><head><title>Low water</title></head>"
    body = f"<body><article><h1>Low water</h1>{STORY}{amid}{last}</article></body></html>"
    return read_article(head + body, URL).text


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line",
    [
        "We may earn a commission.",
        "All hoses were bought and tried by our editors in a garden for a whole summer, and no "
        "maker saw a word of this before it was printed, nor could any of them pay to be named "
        "here. The prices were right on the day of the test. If you order through links on this "
        "page, we may also receive a small commission, which pays for the hoses of next year.",
        "When you buy something through a link, the publisher may earn an affiliate commission.",
        "If you purchase a hose through a link on our site, we will receive compensation.",
        "Advertisement",
        "- Advertisement -",
        "— REKLAMA —",
        "Реклама",
        "Pubblicità",
        "PUBLICIDADE",
        "12 likes",
        "1,204 views",
        "3.4K shares",
        "Please sign up or log in to continue reading",
        "Copyright © 2019 The Valley Paper",
        "This material may not be published or passed on.",
        "Image source: Valley Paper",
        "(Picture courtesy of the water company)",
        "Foto: Talzeitung",
        "Read or Share this story: valley.example/low",
        "5 min read",
        "Lesedauer: 4 Minuten",
        "Listen to this article",
        "Scroll to continue with content",
        "Show more",
    ],
)
def test_disclosures_and_marks_of_advertisements_and_counts_go(line: str) -> None:
    assert _read(f"<p>{line}</p>") == "\n\n".join((*TOLD, LAST))


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line",
    [
        "We will receive compensation for the trout that died, the head of the fishermen said.",
        "If you buy a house by the lake, the agent will get a commission of three in a hundred.",
        "Farmers may receive compensation if they buy water from a retailer in the next county.",
        "Advertisements for pools were forbidden until the rain came back in late autumn.",
        "Reklama was the name of the chapel.",
        "5 minutes later the pump stopped.",
        "Fotografen kamen aus dem ganzen Tal.",
        "Show more patience with the fishermen, the mayor said.",
        "Listen to this well and you hear no water.",
        "Copy by hand, print and share: so the maps of 1961 came down to us.",
        "12 views of the lake were painted.",
        "ann@water.example",
    ],
)
def test_sentences_that_sound_alike_stay(line: str) -> None:
    assert line in _read(f"<p>{line}</p>")


@pytest.mark.contract("E2")
def test_a_count_in_a_list_is_told_by_the_article() -> None:
    assert "- 12 views" in _read("<p>The hall shows:</p><ul><li>9 maps</li><li>12 views</li></ul>")


SOURCES = [
    "来源：新华社",
    "Quelle: dpa",
    "Fuente: Europa Press",
    "(Fonte: Ansa)",
    "Source: Reuters",
]


@pytest.mark.contract("E2")
@pytest.mark.parametrize("line", SOURCES)
def test_the_agency_at_the_end_goes(line: str) -> None:
    assert _read("", f"<p>{LAST}</p><p>{line}</p>") == "\n\n".join((*TOLD, LAST))


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "end",
    [
        f"<p>Source: county office</p><p>{LAST}</p>",
        "<table><tr><th>Year</th><th>Level</th></tr><tr><td>1961</td><td>212</td></tr></table>"
        "<p>Source: county office</p>",
        "<p>Sources: county office</p>",
        "<p>Source: the report that the county office wrote for the water company in spring</p>",
    ],
    ids=["amid the text", "of a table", "several", "a sentence"],
)
def test_other_sources_stay(end: str) -> None:
    assert "ource" in _read("", end)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "plea",
    [
        "Subscribe to continue reading",
        "Sign in to keep reading this story",
        "Weiterlesen mit der Tageskarte",
        "La suite est réservée aux abonnés",
        "Suscríbete para seguir leyendo",
    ],
)
def test_the_plea_of_a_wall_goes_with_its_offers(plea: str) -> None:
    wall = f"<div class='x7'><h3>{plea}</h3><p>All of the paper for four weeks, one coin.</p></div>"
    assert _read(wall) == "\n\n".join((*TOLD, LAST))


@pytest.mark.contract("E2")
def test_a_part_that_is_about_reading_on_stays() -> None:
    part = f"<div class='x7'><h3>Sign in to the reading room</h3><p>{LAST}</p></div>"
    assert LAST in _read(part, "")


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line", ["Share", "Tweet Pin it E-mail Print", "Teilen Drucken", "Copy link"]
)
def test_the_words_on_buttons_go(line: str) -> None:
    assert _read(f"<div>{line}</div>") == "\n\n".join((*TOLD, LAST))


@pytest.mark.contract("E2")
def test_such_words_that_a_manual_explains_stay() -> None:
    text = _read(
        "<p>The menu of the pump has three lines:</p><ul><li>Copy link</li><li>Print</li></ul>"
    )
    assert "- Copy link\n- Print" in text


@pytest.mark.contract("E2")
@pytest.mark.parametrize("entry", ["copy()", "print", "Save", "x", "to:", "copy.copy(x)", "Copy"])
def test_an_entry_of_a_manual_is_no_button(entry: str) -> None:
    text = _read(f"<dl><dt>{entry}</dt><dd>Tells the pump of the upper mill what to do.</dd></dl>")
    assert f"{entry}\n\nTells the pump" in text


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "head", ["Stay connected", "15 » Comentarios", "View all comments", "Up next", "Don’t miss"]
)
def test_what_such_a_line_opens_after_the_article_goes(head: str) -> None:
    assert _read("", f"<p>{LAST}</p><h3>{head}</h3><div>Maps of the valley and more</div>") == (
        "\n\n".join((*TOLD, LAST))
    )


@pytest.mark.contract("E2")
def test_a_box_goes_also_where_more_stands_behind_it_than_before() -> None:
    cards = "".join(
        f"<div>Maps of the valley, sheet {at} of nineteen in all</div>" for at in range(9)
    )
    end = f"<p>{LAST}</p><h3>Related articles</h3>{cards}"
    assert _read("", end) == "\n\n".join((*TOLD, LAST))


DIGEST = (
    "The weir of the upper mill has to be pulled down before the spring, since nobody can say who "
    "owns it and who would have to mend it. The miller's heirs live in four countries and have not "
    "answered a letter since 1988, our reporter found out."
)


@pytest.mark.contract("E2")
def test_a_paragraph_of_a_digest_keeps_its_link_to_more() -> None:
    line = f"<p>{DIGEST} <a href='/weir'>Read the full story.</a></p>"
    assert f"{DIGEST} Read the full story." in _read(line)


@pytest.mark.contract("E2")
def test_a_teaser_with_such_a_link_goes() -> None:
    assert "weir" not in _read(f"<p>{DIGEST[:90]} <a href='/weir'>Read the full story.</a></p>")
    assert "weir" not in _read(f"<div>{DIGEST} <a href='/weir'>Read the full story.</a></div>")
