"""What readers said under an article is told by the lines over each remark, without any names."""

from __future__ import annotations

import pytest

from growth import LINEAR, growth
from leadline.read.article import read_article
from leadline.read.comments import without_talk
from leadline.read.webblocks import Block, Frame, Outline

URL = "https://site.example/story"
TOLD = (
    "The clock on the corn hall has been right twice a day since lightning struck it in August.",
    "Its hands stopped at ten to four, and pigeons have moved into the case behind the dial.",
    "A maker of clocks from the next town looked at it for a morning and shook his head a lot.",
    "The wheels could be cast again, he said, but nobody alive knows how the chimes were tuned.",
    "A retired teacher now collects recordings in which the chimes can be heard, even if faintly.",
)
REMARKS = (
    "I have a tape of a wedding on which it strikes twelve, and everybody laughs for a while.",
    "Leave it as it is, since nobody has been late for anything in this town since August.",
    "My grandfather wound it every Friday, and he never let us children up the last ladder.",
    "The pigeons were there long before the lightning and will be there when it is mended.",
)
STORY = "".join(f"<p>{one}</p>" for one in TOLD)


def _read(body: str) -> str:
    head = "<!doctype html><html><head><title>Clock stopped</title></head>"
    return read_article(f"{head}<body><div class='k1'>{body}</div></body></html>", URL).text


def _talk(lines: list[str]) -> str:
    said = zip(lines, REMARKS, strict=False)
    return "".join(f"<div class='k7'>{line}</div><p>{one}</p>" for line, one in said)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "lines",
    [
        ["1. Ann Lee says:", "2. Bo says:", "3. The Vicar says:", "4. Cy says:"],
        [
            "ann on Sep 21, 3:29 PM said:",
            "bo on Sep 21, 3:38 PM said:",
            "cy on Sep 22, 5:00 AM said:",
        ],
        [
            "Von Ann, 2. März 2019, 16:45",
            "Von Bo, 2. März 2019, 17:02",
            "Von Cy, 3. März 2019, 9:11",
        ],
        ["Ann · 3 hours ago", "Bo · 2 hours ago", "Cy · 20 minutes ago", "Di · 1 minute ago"],
    ],
)
def test_remarks_after_an_article_go(lines: list[str]) -> None:
    assert _read(STORY + _talk(lines)) == "\n\n".join(TOLD)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "body",
    [
        # Two are a quarrel in the article; three alike are the entries of one reporter.
        STORY + _talk(["Ann Lee says:", "Bo says:"]),
        STORY + _talk([f"Posted on 2 March 2019 at 1{at}:30" for at in range(4)]),
        STORY + _talk([f"answered May {at} at 9:09 by {n}" for at, n in enumerate("ABC")]),
        STORY + _talk([f"By 9:1{at} on 2 March 2019 {n} was up." for at, n in enumerate("ABC")]),
    ],
    ids=["two", "one writer", "answers", "sentences"],
)
def test_lines_with_names_and_times_in_an_article_stay(body: str) -> None:
    assert REMARKS[1] in _read(body)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "heads",
    [
        [f"<h3>1.1{at}. The wheels of {n}</h3>" for at, n in enumerate(("brass", "oak", "iron"))],
        [f"<div class='v'>New in version 3.1{at} ({n})</div>" for at, n in enumerate("abc")],
        [f"<p class='t'>Table 8.1{at}. Chimes of 19{at}1, {n}</p>" for at, n in enumerate("abc")],
        [f"<p>{n} said:</p>" for n in ("The vicar", "The mayor", "Her neighbour")],
    ],
    ids=["sections", "versions", "tables", "a reporter"],
)
def test_the_numbers_of_a_manual_are_no_times_and_a_reporter_quotes_people(
    heads: list[str],
) -> None:
    told = "".join(f"{head}<p>{one}</p>" for head, one in zip(heads, REMARKS, strict=False))
    text = _read(STORY + told)
    assert all(one in text for one in REMARKS[: len(heads)])


def _blocks(before: str, lines: list[str]) -> list[Block]:
    said = [Block("text", one, 0, tag="p") for line in lines for one in (line, REMARKS[0])]
    return [Block("text", before, 0, tag="p"), *said]


PAGE = Outline(frames=[Frame(-1, "div", "div.k")])


@pytest.mark.contract("E2")
def test_a_forum_begins_with_such_lines_and_a_live_blog_has_few_writers() -> None:
    people = [f"{name}, 2 March 2019, 16:45" for name in ("Ann", "Bo", "Cy", "Di")]
    for before, lines, kept in (
        (" ".join(TOLD), people, 1),
        (TOLD[0], people, 9),
        (" ".join(TOLD), people[:3] * 3, 19),
    ):
        assert len(without_talk(PAGE, _blocks(before, lines))) == kept


@pytest.mark.contract("E2", "E4")
def test_many_remarks_take_time_in_proportion() -> None:
    def tried(times: int) -> None:
        without_talk(
            PAGE, [Block("text", f"N{at} {at} 3:29 1 2 3 dit " * 3, 0) for at in range(times)]
        )

    assert growth(tried, 500) < LINEAR
