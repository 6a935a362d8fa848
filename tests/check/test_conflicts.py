"""Sources that contradict each other are found; ordinary pages that differ are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.check.conflicts import conflicts
from leadline.types import Dispute, Passage

DOCS = Path(__file__).resolve().parents[2] / "docs"


def between(one: str, other: str, *titles: str) -> tuple[Dispute, ...]:
    passages = [
        Passage(1, one, "a" * 16, 10, 10 + len(one)),
        Passage(2, other, "b" * 16, 20, 20 + len(other)),
    ]
    return conflicts(passages, "", dict(enumerate(titles, 1)))


@pytest.mark.contract("W5")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The Eiffel Tower is 330 metres tall and stands in Paris.",
            "The Eiffel Tower is 324 metres tall and stands in Paris.",
        ),
        (
            "Acme Corporation was founded in 1998 by two engineers in Ghent.",
            "Acme Corporation was founded in 1999 by two engineers in Ghent.",
        ),
        (
            "Basalt Ltd does not pay dividends to its small shareholders.",
            "Basalt Ltd pays dividends to its small shareholders.",
        ),
        ("The limit is 500 euros.", "The limit is 800 euros."),
        ("The limit is 500 euros.", "The limit was raised to 800 euros."),
        (
            "The service listens on port 8080, not on port 9090.",
            "The service listens on port 9090.",
        ),
        ("Correction: the service listens on port 8080.", "The service listens on port 9090."),
        ("The beam is oak.", "The beam is not oak."),
        ("The admin page runs on port 9090.", "The admin page is not on port 9090."),
        ("The service listens on port 9090.", "Since release 2 the service listens on port 7777."),
        ("The key is no longer valid.", "The key is valid."),
        ("No licence is needed.", "A licence is needed."),
        ("The meeting is on 4 May 2024.", "The meeting is on 11 May 2024."),
        ("Employees get 25 days of leave.", "Employees get 28 days of leave a year."),
        ("The dam holds 4 million cubic metres.", "The dam holds 6 million cubic metres."),
    ],
)
def test_another_figure_or_a_denial_is_a_disagreement(one: str, other: str) -> None:
    (found,) = between(one, other)
    assert (found.one.text, found.other.text) == (one, other)
    assert (found.one.start, found.one.end) == (10, 10 + len(one))


@pytest.mark.contract("W5")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (  # each of its year
            "In 2019 Acme Corporation employed 500 people in Ghent alone.",
            "In 2020 Acme Corporation employed 700 people in Ghent alone.",
        ),
        (  # each of its version
            "Python 3.8 added the walrus operator to the language grammar.",
            "Python 3.9 added the walrus operator to the language grammar.",
        ),
        (  # each of its own setting
            "`idle_timeout`: The default is 30 seconds for every new connection made.",
            "`read_timeout`: The default is 60 seconds for every new connection made.",
        ),
        ("The limit is not 500 euros.", "The limit is 800 euros."),
        ("The beam is oak.", "The beam is not pine."),
        ("The pump needs no oil.", "The pump doesn't need oil."),
        ("He was born on 4 May 1924.", "He was born in 1924."),
        ("The north tower is 89 metres high.", "The south tower is 97 metres high."),
        ("The bridge is 300 metres long.", "The bridge is 20 metres wide."),
        ("The kitchen closes at 9.", "The bar closes at 11."),
        ("Version 3 adds a limit.", "Version 4 adds a limit."),
        (  # rounded
            "The Eiffel Tower is about 300 metres tall and stands in Paris.",
            "The Eiffel Tower is 324 metres tall and stands in Paris.",
        ),
        (  # the same amount
            "The Eiffel Tower is 0.33 km tall and stands in Paris.",
            "The Eiffel Tower is 330 metres tall and stands in Paris.",
        ),
        (  # other things
            "The Eiffel Tower is 330 metres tall and stands in Paris.",
            "The Tokyo Tower is 333 metres tall and stands in Tokyo.",
        ),
        (
            "See Firefox bug 1556604 for the details of this change.",
            "See Firefox bug 1775026 for the details of this change.",
        ),
    ],
)
def test_what_may_both_be_true_is_none(one: str, other: str) -> None:
    assert between(one, other) == ()


@pytest.mark.contract("W5")
@pytest.mark.parametrize(
    "others",
    [
        ("The bridge has a length of 300 m.", "The length of the bridge is three hundred metres."),
        ("The bridge is 0.3 km long.", "At 300 metres, the bridge is the longest of the county."),
    ],
)
def test_sources_that_agree_in_other_words_are_not_called_contradictory(
    others: tuple[str, str],
) -> None:
    texts = ("The bridge is 300 metres long.", *others)
    passages = [Passage(n, text, f"{n}", 0, len(text)) for n, text in enumerate(texts, 1)]
    assert conflicts(passages, "How long is the bridge?") == ()


@pytest.mark.contract("W5")
@pytest.mark.parametrize(
    ("titles", "published", "newer"),
    [
        ({1: "Rules", 2: "Rules"}, {1: "2023-05-01", 2: "2024-01-09"}, 2),
        ({1: "Rules 2024", 2: "Rules 2023"}, {}, 1),
        ({1: "Rules", 2: "Handbook"}, {1: "2023-05-01"}, 0),
    ],
)
def test_the_newer_source_is_named_where_dates_tell(
    titles: dict[int, str], published: dict[int, str], newer: int
) -> None:
    texts = {1: "The limit is 500 euros.", 2: "The limit is 800 euros."}
    passages = [Passage(n, text, f"{n}", 0, len(text)) for n, text in texts.items()]
    (found,) = conflicts(passages, "What is the limit?", titles, published)
    assert found.newer == newer


@pytest.mark.contract("W5", "M7")
def test_what_says_from_when_on_it_holds_is_newer() -> None:
    texts = {
        1: "The service listens on port 9090.",
        2: "Since release 2 the service listens on port 7777.",
    }
    passages = [Passage(n, text, f"{n}", 0, len(text)) for n, text in texts.items()]
    (found,) = conflicts(passages, "Which port does the service listen on?")
    assert found.newer == 2


@pytest.mark.contract("W5")
def test_titles_may_tell_two_things_apart() -> None:
    one, other = (
        "The restoration will cost 43 million euros.",
        "The restoration cost 34 million euros.",
    )
    assert between(one, other, "Westmere Abbey", "Westmere Abbey")
    assert between(one, other, "Lock 3", "Lock 4") == ()


@pytest.mark.contract("W5")
def test_pages_that_open_with_their_own_name_speak_of_different_things() -> None:
    one = "Orsa is a town in Dalarna. The population was 963 at the census."
    other = "Mora is a town in Dalarna. The population was 1,207 at the census."
    assert between(one, other, "Orsa", "Mora") == ()


@pytest.mark.contract("W5")
def test_what_does_not_bear_on_the_question_or_its_answer_is_not_shown() -> None:
    texts = {1: "The limit is 500 euros.", 2: "The limit is 800 euros."}
    passages = [Passage(n, text, f"{n}", 0, len(text)) for n, text in texts.items()]
    assert conflicts(passages, "Who owns the mill?") == ()
    assert conflicts(passages, "What may I spend?", answer="The limit is 500 euros.")


@pytest.mark.contract("S4", "W5")
def test_copies_that_differ_in_a_number_are_shown_side_by_side() -> None:
    text = (
        "The mill opened again last year. It grinds {} tonnes of rye a day. The owner lives next "
        "door. A ticket can be had at the gate. The wheel is made of oak."
    )
    (found,) = between(text.format(12), text.format(21))
    assert found.why == "12 tonnes against 21 tonnes"


@pytest.mark.contract("W5")
def test_the_projects_own_docs_do_not_contradict_each_other() -> None:
    pages = [path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md"))]
    passages = [Passage(n, text, f"{n}", 0, len(text)) for n, text in enumerate(pages, 1)]
    assert conflicts(passages) == ()
