"""Sources that contradict each other are found; ordinary pages that differ are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.check.source_conflicts import disputes
from leadline.types import Dispute, Passage

DOCS = Path(__file__).resolve().parents[2] / "docs"


def between(one: str, other: str, *titles: str) -> tuple[Dispute, ...]:
    passages = [
        Passage(1, one, "a" * 16, 10, 10 + len(one)),
        Passage(2, other, "b" * 16, 20, 20 + len(other)),
    ]
    return disputes(passages, "", dict(enumerate(titles, 1)))


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
        (  # of what, neither says
            "The default is 30 seconds for every new connection made.",
            "The default is 60 seconds for every new connection made.",
        ),
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
def test_titles_may_say_what_sentences_are_about() -> None:
    one = "The restoration will cost 43 million euros and is paid for by the region."
    other = "The restoration will cost 34 million euros and is paid for by the region."
    assert between(one, other) == ()
    assert between(one, other, "Westmere Abbey", "Westmere Abbey")
    assert between(one, other, "Lock 3", "Lock 4") == ()


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
    assert disputes(passages) == ()
