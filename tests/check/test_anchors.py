"""Anchors: what a claim may not say unless its source does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.check.anchors import Held, Kind, anchors, holding, holdings, missing
from leadline.text.values import dates, equal, holds, numbers, rounds


def lost(claim: str, passage: str) -> list[str]:
    return [one.text for one in missing(claim, passage)]


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("$2.5 billion", "2,500 million dollars"),
        ("1,200", "1.2 thousand"),
        ("1200 people", "1,200 people"),
        ("twelve", "12"),
        ("twenty-one", "21"),
        ("three hundred and five", "305"),
        ("3.4 %", "3.4 percent"),
        ("3,4 %", "3.4 per cent"),
        ("two and a half million", "2.5 million"),
        ("€5m", "5 million euros"),
        ("the 12th", "the twelfth"),
        ("US$ 30 bn", "$30 billion"),
    ],
)
def test_a_number_is_the_same_in_whatever_form(one: str, two: str) -> None:
    assert equal(numbers(one)[0], numbers(two)[0])


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("$5", "€5"),
        ("5 %", "5 kilometres"),
        ("5 km", "5 miles"),
        ("12", "the 12th"),
        ("2.5 million", "2.5 billion"),
        ("3 million", "30 million"),
    ],
)
def test_another_unit_or_magnitude_is_another_number(one: str, two: str) -> None:
    claim, source = numbers(one)[0], numbers(two)[0]
    assert not equal(claim, source)
    assert not rounds(claim, source)


@pytest.mark.parametrize(
    ("claim", "source", "held"),
    [
        ("about 3 million", "2.98 million", True),
        ("3 million", "2,980,000", True),
        ("nearly 40 %", "38.7 %", True),
        ("2.98 million", "3 million", False),
        ("7", "7.4", False),
        ("about 3 million", "4 million", False),
    ],
)
def test_a_number_may_be_rounded_but_not_sharpened(claim: str, source: str, held: bool) -> None:
    assert rounds(numbers(claim)[0], numbers(source)[0]) is held


def test_a_pronoun_and_a_version_are_not_numbers() -> None:
    assert not numbers("one of them uses covid-19 tests and A320 aircraft")
    assert [one.value for one in numbers("between 10–20 km")] == [10.0, 20.0]


@given(st.integers(0, 10**9))
def test_separators_do_not_change_a_number(value: int) -> None:
    (plain,), (grouped,) = numbers(f"{value} things"), numbers(f"{value:,} things")
    assert plain.value == grouped.value == value
    assert not missing(f"It has {value:,} parts.", f"There are {value} parts.")


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    "form",
    [
        "5 March 1999",
        "March 5, 1999",
        "March 5th, 1999",
        "5th of March 1999",
        "1999-03-05",
        "5 Mar. 1999",
        "05/03/1999",
        "1999-03-05T10:00:00Z",
        "1999年3月5日",
    ],
)
def test_a_date_is_the_same_in_whatever_form(form: str) -> None:
    (claim,) = dates("on 5 March 1999")
    assert any(holds(found, claim) for found in dates(f"It was {form}."))


def test_a_date_is_held_by_a_more_exact_one_only() -> None:
    day, month, year = dates("5 March 1999; March 1999; 1999")
    assert holds(day, month)
    assert holds(month, year)
    assert not holds(year, month)
    (decade,) = dates("the 1990s")
    assert holds(day, decade)
    assert not holds(decade, year)


def test_the_parts_of_a_date_may_stand_apart() -> None:
    (claim,) = anchors("on 2 November 2004")
    page = holdings("Published 2004-10-19. It hits stores on Election Day, November 2.")
    assert holding(claim, page) is Held.NEAR
    assert lost("on 3 November 2004", "Published 2004-10-19. In stores on November 2.")
    assert lost("on 2 November 2004", "Released on 2 November 2003, reviewed in 2004.")


def test_a_verb_is_not_a_month() -> None:
    assert not dates("and may march to the sea")
    assert [one.month for one in dates("in March and in May")] == [3, 5]


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The owner is Émile Zola.", "Emile Zola owned it."),
        ("It was approved by the WHO today.", "The World Health Organization approved it."),
        ("It was approved by the World Health Organization.", "The WHO approved it."),
        ("There the Libyan army fought.", "The army of Libya fought there."),
        ("It blocks CTLA-4 there.", "The drug blocks CTLA4."),
        ("The University of Oxford runs it.", "Oxford University runs it."),
    ],
)
def test_a_name_is_known_in_its_usual_forms(claim: str, passage: str) -> None:
    assert lost(claim, passage) == []


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "passage", "name"),
    [
        ("It was built by Emma Watson.", "It was built by Emma Stone.", "Emma Watson"),
        ("It belongs to Bruce Lee.", "It belongs to Ann Lee.", "Bruce Lee"),
        ("The owner, Pacific Copper, left.", "The copper mine has an owner.", "Pacific Copper"),
        ("She sold the iPhone 13 there.", "She sold the iPhone 12 there.", "iPhone 13"),
        ("He lives near Lake Huron.", "He lives near Lake Michigan.", "Lake Huron"),
    ],
)
def test_another_name_is_missing(claim: str, passage: str, name: str) -> None:
    assert name in lost(claim, passage)


@pytest.mark.contract("W3")
def test_a_quotation_is_held_word_for_word() -> None:
    page = "“We found neither gold nor coal, but a harbour free of ice,” he wrote."
    assert not lost('He "found neither gold nor coal, but a harbour free of ice".', page)
    assert not lost('He "found neither gold … but a harbour [free] of ice".', page)
    assert lost('He "found neither gold nor iron, but a harbour free of ice".', page)
    assert not lost("He called it “gold”.", page), "a single word is a term, not a quotation"


def test_a_title_in_quotation_marks_may_be_told_in_part() -> None:
    (one,) = [
        a for a in anchors('It is in "The Old Man and the Sea" today.') if a.kind is Kind.NAME
    ]
    assert holding(one, holdings("The Old Man and the Sea is a novel.")) is Held.EXACT


@given(st.text(max_size=300))
def test_a_text_holds_its_own_anchors(text: str) -> None:
    assert missing(text, text) == ()


WORDS = (
    "In May 2003 Ann Lee paid $2.5 million, about 3 % of the 12th share; the BBC said "
    '"no one else could do it" on 5 March 1999 near Lake Huron in the 1990s'
)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=30))
def test_a_sentence_of_anchors_holds_them_all(words: list[str]) -> None:
    text = " ".join(words)
    assert missing(text, text) == ()


def test_spans_point_at_the_anchor() -> None:
    claim = "On 5 March 1999 Ann Lee sold 1,200 shares."
    for one in anchors(claim):
        assert claim[one.start : one.end] == one.text
