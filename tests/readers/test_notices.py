"""Lines that a site puts into an article are told by their wording from lines that sound alike."""

from __future__ import annotations

import pytest

from leadline.readers.article import read_article

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
