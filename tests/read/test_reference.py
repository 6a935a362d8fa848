"""Pages of a reference: entries alike, each with names and links, are its text and no teasers."""

from __future__ import annotations

import pytest

from leadline.read.article import read_article

URL = "https://site.example/reference"
TOLD = (
    "Opens the gate by so many turns, at most forty, and waits until the wheel has stopped.",
    "Closes the gate again; a gate that is closed already is left alone and nothing is said.",
    "Tells how high the water stands above the sill, in centimetres, as the float has it.",
    "Rings the bell in the house of the miller for as many seconds as the second word says.",
    "Gives back the turns that are left before the chain has come to its very end.",
)
ABOUT = (
    "The words of this part move the weir, and need a key that hangs behind the miller's door.",
    "Whoever has no key may read the level all the same, since the fishermen want to know it.",
    "All words wait for one another, so that two hands never turn one wheel at the same time.",
)
NAMES = ("open_gate", "close_gate", "water_level", "ring_bell", "turns_left")


def _read(body: str) -> str:
    page = f"<!doctype html><html><head><title>Weir</title></head><body>{body}</body></html>"
    return read_article(page, URL).text


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "head", ["<h4 class='t'><a href='/all#{0}'>{0}(Turns)</a></h4>", "<div>weir::{0}</div>"]
)
def test_entries_that_open_with_a_signature_are_no_comments(head: str) -> None:
    entries = "".join(
        f"<article class='func'>{head.format(name)}"
        f"<div class='types'><a href='/types'>Turns</a></div><p>{told}</p></article>"
        for name, told in zip(NAMES, TOLD, strict=True)
    )
    about = "".join(f"<p>{one}</p>" for one in (*ABOUT, *(one[::-1] for one in ABOUT)))
    text = _read(f"<div class='c'><h1>Module weir</h1><div class='d'>{about}</div>{entries}</div>")
    assert [one for one in TOLD if f"{one}\n" not in f"{text}\n"] == []


@pytest.mark.contract("E2")
def test_of_entries_among_many_names_and_links_not_the_longest_alone_is_read() -> None:
    kinds = "".join(f"<div class='w'>{kind}</div>" for kind in ("turns", "int", "wheel", "word"))
    told = [f"{one} So says page {at} of the book." for at in range(3) for one in TOLD]
    entries = "".join(
        f"<h2 class='m'>{NAMES[at % 5]}</h2><div class='i'><table class='n'><tr><td class='w'>"
        f"int weir::{NAMES[at % 5]}</td></tr></table><div class='doc'><p>{one}</p>"
        f"{kinds * 3}</div></div>"
        for at, one in enumerate(told)
    )
    longest = "".join(f"<p>{one}</p>" for one in (*ABOUT, *(one[::-1] for one in ABOUT)))
    text = _read(f"<div class='contents'>{entries}<div class='doc'>{longest}</div></div>")
    assert [one for one in (*told, *ABOUT) if one not in text] == []


@pytest.mark.contract("E2")
def test_a_part_whose_heading_names_a_function_and_links_to_it_is_no_card() -> None:
    bell = "<a href='/bell'>Rings the bell in the house of the miller</a>"
    part = (
        "<div class='section'><h2>On <a href='/ring'><code>ring_bell()</code></a> of the weir</h2>"
        f"<p>{TOLD[3].replace('Rings the bell in the house of the miller', bell)}</p></div>"
    )
    about = "".join(f"<p>{one}</p>" for one in (*ABOUT, *(one[::-1] for one in ABOUT)))
    text = _read(f"<div class='d'><div class='section'>{about}</div>{part}</div>")
    assert text.endswith(f"## On `ring_bell()` of the weir\n\n{TOLD[3]}")


STORY = "".join(f"<p>{one}</p>" for one in (*ABOUT, *TOLD))


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "attributes",
    ["class='anchor stickyNavbar_V1'", "id='viewer-4-social-media'", "class='newsletter-head'"],
)
def test_a_heading_is_kept_whatever_it_is_called(attributes: str) -> None:
    text = _read(f"<article>{STORY}<h2 {attributes}>On the bell</h2>{STORY[::1]}</article>")
    assert "## On the bell" in text


@pytest.mark.contract("E2")
def test_the_table_that_leads_through_a_manual_is_no_part_of_it() -> None:
    links = "<td><a href='/a'>Prev</a></td><td>Chapter 8. Weirs</td><td><a href='/b'>Next</a></td>"
    head = "<tr><th colspan='3'>8.1. Gates</th></tr>"
    nav = f"<div class='nav{{}}'><table>{head}<tr>{links}</tr></table></div>"
    text = _read(f"{nav.format('header')}<div class='sect1'>{STORY}</div>{nav.format('footer')}")
    assert "Prev" not in text
    assert text.startswith(ABOUT[0])


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line",
    [
        "<h2>openweir</h2><p class='n'>openweir — open a gate of the weir</p>",
        "<h2>Synopsis</h2><p class='n'><code>openweir</code> [<code>option</code>...]</p>",
        "<h2>Weir 3.1</h2><p><b>Release date:</b> 2022-10-13</p>",
        "<h2>Settings</h2><dl><dt><code>turns</code> (<code>integer</code>)</dt></dl>",
    ],
)
def test_the_line_that_a_page_of_a_reference_opens_with_is_kept(line: str) -> None:
    head, _, _ = _read(f"<div class='sect1'>{line}{STORY}</div>").partition(ABOUT[0])
    assert len(head.strip().split("\n\n")) == 2


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line", ["<p class='by'>By Ann Lee</p>", "<dl><dt>Author:</dt></dl>", "<div>2 May</div>"]
)
def test_who_wrote_a_page_and_when_is_told_elsewhere(line: str) -> None:
    text = _read(f"<div class='sect1'><h2>On gates</h2>{line}{STORY}</div>")
    assert text.startswith(f"## On gates\n\n{ABOUT[0]}")
