"""What of a page is a part of its article, and what only stands beside it or is hidden."""

from __future__ import annotations

import pytest

from leadline.read.article import MARKED_CHARS, read_article

URL = "https://site.example/story"
TOLD = (
    "The ferry company will take its oldest boat off the route to the outer islands in October.",
    "Passengers had complained since the winter that the ramp froze shut on two mornings a week.",
    "A surveyor found the hull sound but the heating pipes below the car deck rusted through.",
    "The replacement was built for a fjord in Norway and carries forty cars and 150 people.",
    "Until it arrives the islanders will be carried by a fishing boat that the council has hired.",
)
STORY = "".join(f"<p>{one}</p>" for one in TOLD)
BESIDE = "Nine bakeries took part in a contest for the best rye loaf at the fair on Saturday."
MORE = "Their jury of three had to taste forty loaves before noon and drank only water with them."


def _read(body: str, title: str = "Old ferry to retire") -> str:
    page = f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
    return read_article(page, URL).text


# ── hidden paragraphs ───────────────────────────────────────────────────────────────────────


def _folded(paragraphs: str, how: str = 'style="display: none"') -> str:
    seen = "".join(f"<p class='yf'>{one}</p>" for one in TOLD)
    return (
        f"<main><div class='body'>{seen}<button>Story continues</button>"
        f"<div {how}>{paragraphs}</div></div></main>"
    )


@pytest.mark.contract("E2")
def test_the_rest_of_an_article_that_a_button_unfolds_is_read() -> None:
    text = _read(_folded(f"<p class='yf'>{BESIDE}</p><figure></figure><p class='yf'>{MORE}</p>"))
    assert text.endswith(f"{TOLD[4]}\n\n{BESIDE}\n\n{MORE}")


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("paragraphs", "how"),
    [
        (f"<p class='yf'>{BESIDE}</p>", 'style="display:none"'),  # one alone may be a message
        (f"<p class='tip'>{BESIDE}</p><p class='tip'>{MORE}</p>", 'style="display:none"'),
        (f"<p>{BESIDE}</p><p>{MORE}</p>", 'style="display:none"'),
        (f"<p class='yf'>{BESIDE}</p><p class='yf'>{MORE}</p>", "hidden"),
        (f"<p class='yf'>{BESIDE}</p><p class='yf'>{MORE}</p>", "aria-hidden=true"),
        (f"<p class='yf'>{BESIDE}</p><p class='yf'>{MORE}</p>", "class=sr-only"),
    ],
)
def test_other_hidden_text_is_not(paragraphs: str, how: str) -> None:
    text = _read(_folded(paragraphs, how))
    assert TOLD[4] in text
    assert (BESIDE in text, MORE in text) == (False, False)


# ── cards ───────────────────────────────────────────────────────────────────────────────────

GIFTS = {
    "A tin lamp": "It burns for nine hours on one filling and did not smoke in a draught at all.",
    "Wool socks": "Knitted double at the heel; ours went through the wash forty times unharmed.",
    "A hand saw": "The teeth cut on the pull, so the blade can be thin and leaves a clean edge.",
    "A field cup": "Folds flat into a coat pocket and held boiling tea without burning the lip.",
}


def _cards(heading: str, link: str) -> str:
    return "".join(
        f"<div class='entry'>{heading.format(name)}<div class='entry-say'><p>{said}</p>"
        f"<p><b><a href='https://shop.example/{at}'>{link}</a></b></p></div></div>"
        for at, (name, said) in enumerate(GIFTS.items())
    )


@pytest.mark.contract("E2")
def test_the_parts_of_a_list_of_gifts_stay_with_their_links_to_buy() -> None:
    cards = _cards("<h2>{}</h2>", "Get it from the maker for $24.90 or less.")
    text = _read(f"<main><h1>Gifts for islanders</h1><p>{TOLD[0]}</p>{cards}</main>")
    assert [said for said in GIFTS.values() if said not in text] == []
    assert "## Wool socks" in text


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "cards",
    [
        _cards("<h3><a href='/x'>{}</a></h3>", "Get it from the maker for $24.90 or less."),
        _cards("<h3>{}</h3>", "What our testers found in the workshop: read more"),
        "<section class='deck'><h2>From our pages</h2>"
        + _cards("", "By our reporters on the mainland and others")
        + "</section>",
    ],
    ids=["a linked heading", "a link to more", "one heading over all"],
)
def test_teasers_in_the_same_place_go(cards: str) -> None:
    text = _read(f"<main>{STORY}{cards}<p>{MORE}</p></main>")
    assert (TOLD[4] in text, MORE in text) == (True, True)
    assert [said for said in GIFTS.values() if said in text] == []


# ── walls ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("E2")
@pytest.mark.parametrize("name", ["paywall", "regwall-hidden", "barrier-content"])
def test_a_paragraph_that_a_class_shuts_to_strangers_is_read(name: str) -> None:
    shut = f"<h2 class='{name}'>At the fair</h2><p class='{name}'>{BESIDE}</p>"
    text = _read(f"<article>{STORY}{shut}<p>{MORE}</p></article>")
    assert text.endswith(f"{TOLD[4]}\n\n## At the fair\n\n{BESIDE}\n\n{MORE}")


@pytest.mark.contract("E2")
@pytest.mark.parametrize("name", ["paywall", "regwall", "article-barrier"])
def test_a_box_that_bars_the_way_goes(name: str) -> None:
    wall = f"<div class='{name}'><h3>One more step</h3><p>Choose what you would like to pay.</p>"
    text = _read(f"<article>{STORY}{wall}</div><p>{MORE}</p></article>")
    assert text.endswith(f"{TOLD[4]}\n\n{MORE}")


@pytest.mark.contract("E2")
def test_a_paragraph_that_a_class_calls_something_else_goes() -> None:
    text = _read(f"<article>{STORY}<p class='promo'>{BESIDE}</p><p>{MORE}</p></article>")
    assert text.endswith(f"{TOLD[4]}\n\n{MORE}")


# ── links that lead nowhere ─────────────────────────────────────────────────────────────────


@pytest.mark.contract("E2")
@pytest.mark.parametrize("how", ["tabindex='0'", "aria-expanded='false'", "role='button'"])
def test_the_questions_that_fold_out_their_answers_stay(how: str) -> None:
    asked = ("When does the last boat leave the pier?", "May I take a dog into the saloon?")
    folds = "".join(
        f"<div class='fold'><div class='fold-title'><a {how}>{question}</a></div>"
        f"<div class='fold-content'><p>{said}</p></div></div>"
        for question, said in zip(asked, (BESIDE, MORE), strict=True)
    )
    text = _read(f"<article>{STORY}{folds}</article>")
    assert [one for one in (*TOLD, *asked, BESIDE, MORE) if one not in text] == []


@pytest.mark.contract("E2")
@pytest.mark.parametrize("how", ["", "href='/x' tabindex='0'", "href='/x' role='button'"])
def test_what_leads_elsewhere_is_a_link_all_the_same(how: str) -> None:
    links = "".join(f"<li><a {how}>Another story {at} of our reporters</a></li>" for at in range(4))
    text = _read(f"<article>{STORY}<ul>{links}</ul><p>{MORE}</p></article>")
    assert text.endswith(f"{TOLD[4]}\n\n{MORE}")


# ── several articles ────────────────────────────────────────────────────────────────────────

FAIR = f"<p>{BESIDE}</p><p>{MORE}</p>" + "".join(
    f"<p>Bakery number {at} came with a loaf that weighed {at} pounds and had a crust like bark, "
    "and its baker told everyone who asked how the dough was left to rise in the cellar.</p>"
    for at in range(2, 9)
)


def _articles(*heads: str) -> str:
    bodies = (STORY + f"<p>{TOLD[1]} {TOLD[2]}</p>", FAIR)
    return "".join(
        f"<article class='a'><h1>{head}</h1>{body}</article>"
        for head, body in zip(heads, bodies, strict=True)
    )


@pytest.mark.contract("E2")
@pytest.mark.parametrize("title", ["Old ferry to retire", "OLD FERRY, TO RETIRE | Island News"])
def test_of_several_articles_under_each_other_the_one_with_the_pages_title_is_read(
    title: str,
) -> None:
    text = _read(f"<main>{_articles('Old ferry to retire', 'A fair of loaves')}</main>", title)
    assert [one for one in TOLD if one not in text] == []
    assert (BESIDE in text, "crust" in text) == (False, False)


@pytest.mark.contract("E2")
def test_the_pages_own_article_need_not_be_the_first() -> None:
    told = _articles("Old ferry to retire", "A fair of loaves")
    text = _read(f"<main>{told}</main>", "A fair of loaves | Island News")
    assert (BESIDE in text, MORE in text, TOLD[1] in text) == (True, True, False)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("heads", "title"),
    [
        (("Old ferry to retire", "A fair of loaves"), "What happened on Monday"),
        (("Ferries", "A fair of loaves"), "Ferries and fairs"),
        (("Old ferry to retire", ""), "Old ferry to retire"),
    ],
)
def test_several_articles_of_which_none_is_the_pages_own_are_all_read(
    heads: tuple[str, str], title: str
) -> None:
    text = _read(f"<main>{_articles(*heads)}</main>", title)
    assert [one for one in (*TOLD, BESIDE, MORE) if one not in text] == []


# ── formulas ────────────────────────────────────────────────────────────────────────────────


def _formula(shown: str, tex: str = "") -> str:
    note = f"<annotation encoding='application/x-tex'>{tex}</annotation>" if tex else ""
    return f"<math><semantics><mrow>{shown}</mrow>{note}</semantics></math>"


SUM = "<msub><mi>k</mi><mn>2</mn></msub><mo>=</mo><mi>n</mi>"
HALF = "<mi>k</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac>"


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("formula", "line"),
    [
        (_formula(SUM, "k_{2}=n"), "k 2 = n"),  # its annotation would say it twice
        (_formula(HALF, "k=\\frac{1}{2}"), "k=\\frac{1}{2}"),  # as letters it says another thing
        (_formula(HALF), "k = 1 2"),
    ],
)
def test_a_formula_is_read_once_and_within_its_sentence(formula: str, line: str) -> None:
    text = _read(f"<article>{STORY}<p>The drag is {formula} at any speed.</p></article>")
    assert text.endswith(f"{TOLD[4]}\n\nThe drag is {line} at any speed.")


# ── notes, lives, pictures and the title ────────────────────────────────────────────────────


@pytest.mark.contract("E2")
def test_the_notes_of_an_article_stay_with_their_numbers_and_links() -> None:
    notes = "".join(
        f"<div class='footnote'><a href='#a{at}'>{at}</a><div class='footnote-text'><p>{one} "
        f"<a href='https://b.example/{at}'>In the yearbook</a></p></div>"
        "</div>"
        for at, one in enumerate(
            (BESIDE, MORE, BESIDE[::-1], MORE[::-1], "See the book on the coast."), 1
        )
    )
    text = _read(f"<article class='post'><div class='body'>{STORY}{notes}</div></article>")
    assert [one for one in (BESIDE, MORE, "See the book on the coast.") if one not in text] == []


LIFE = (
    "Ann Lee has written of boats, harbours and the people in them for the paper since 2003. Prior "
    "to this she sailed for eleven years on coasters, mostly as a cook, and wrote a novel, but "
    "nobody printed it. She lives on the second of the outer islands with a dog and two goats, "
    "and rows to the office when the ferry does not come, which is once a week or so in winter."
)


@pytest.mark.contract("E2")
def test_a_long_life_of_the_author_goes_where_it_stands_before_the_article() -> None:
    life = f"<div class='author-box'><p>{LIFE}</p></div>"
    assert _read(f"<main>{life}<div class='t'>{STORY * 4}</div></main>").startswith(TOLD[0])


@pytest.mark.contract("E2")
def test_what_is_a_good_part_of_the_page_is_no_life_of_its_author() -> None:
    text = _read(f"<main><div class='author-box'><p>{LIFE}</p></div><div>{STORY}</div></main>")
    assert LIFE in text


@pytest.mark.contract("E2")
@pytest.mark.parametrize("name", ["photo", "article-photos", "legende"])
def test_a_line_in_a_box_named_for_a_picture_goes(name: str) -> None:
    box = f"<div class='{name}'><div>{BESIDE}</div></div>"
    assert _read(f"<article><p>{TOLD[0]}</p>{box}{STORY}</article>").count(BESIDE) == 0


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line", ["<h2>Old ferry to retire</h2>", "<div class='h'>Old ferry to retire at last</div>"]
)
def test_the_title_is_left_out_however_it_is_marked(line: str) -> None:
    assert _read(f"<article>{line}{STORY}</article>") == "\n\n".join(TOLD)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line",
    [
        "<h2>Ferry</h2>",
        "<p>The old ferry to retire in October is the Anna, built in 1961 on the Oder.</p>",
    ],
)
def test_a_first_line_that_is_only_like_the_title_stays(line: str) -> None:
    assert _read(f"<article>{line}{STORY}</article>") != "\n\n".join(TOLD)


@pytest.mark.contract("E2")
def test_a_box_that_is_named_a_recommendation_goes() -> None:
    box = f"<div class='row-recommend'><p>{BESIDE}</p><p>{MORE}</p></div>"
    assert _read(f"<article>{STORY}{box}<p>{TOLD[0][::-1]}</p></article>").count("bakeries") == 0


@pytest.mark.contract("E2")
def test_a_motto_over_the_title_goes_with_it() -> None:
    motto = (
        "<div class='m'>What the islands say of themselves, every second Friday of the year.</div>"
    )
    head = f"{motto}<h1>Old ferry to retire</h1>"
    assert _read(f"<article>{head}{STORY}{STORY[::1]}</article>").startswith(TOLD[0])


@pytest.mark.contract("E2")
@pytest.mark.parametrize("before", [f"<h1>1. Introduction</h1><p>{MORE}</p>", f"<p>{MORE}</p>"])
def test_what_a_page_tells_before_a_heading_like_its_title_stays(before: str) -> None:
    text = _read(f"<article>{before}<h1>2. Old ferry to retire</h1>{STORY}{STORY}</article>")
    assert MORE in text


@pytest.mark.contract("E2")
def test_an_article_is_long_enough_with_its_title() -> None:
    told = (f"{MORE} " * 3)[: MARKED_CHARS - 9].rstrip()
    story = f"<article><h1>Old ferry to retire</h1><p>{told}</p></article>"
    assert _read(f"{story}<div>News of the harbour, every day but Sunday</div>") == told


@pytest.mark.contract("E2")
def test_a_part_with_an_id_made_from_its_heading_is_nobody_s_life() -> None:
    part = f"<section id='new-bio-support'><h3>New BIO support</h3><p>{LIFE}</p></section>"
    assert LIFE in _read(f"<main>{STORY * 4}{part}{STORY[::1]}</main>")


@pytest.mark.contract("E2")
def test_a_title_far_down_in_a_text_does_not_cut_it() -> None:
    text = _read(f"<article>{STORY}<h1>Old ferry to retire</h1><p>{MORE}</p></article>")
    assert text.startswith(TOLD[0])
