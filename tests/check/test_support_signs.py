"""Polarity and binding: yes and no, who and whom, how much of which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.check.exchanged import exchanged
from leadline.check.negation import at_odds, denied, denies, opposed, turned

ANY = st.text(max_size=200)


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The drug works.", "The drug does not work."),
        ("It doesn't contain cobalt.", "It contains cobalt."),
        ("Passwords were stolen.", "No passwords were stolen."),
        ("Motorcycles pay the toll.", "Motorcycles pay nothing."),
        ("He used the oxygen.", "They carried oxygen but did not use it."),
        ("They blamed the builders, not the city.", "They blamed the city, not the builders."),
        ("She accepted the prize.", "She refused to accept the prize."),
    ],
)
def test_one_denies_what_the_other_says(claim: str, source: str) -> None:
    assert turned(claim, source)
    assert turned(source, claim)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The drug does not work.", "The drug doesn't work."),
        ("The council approved the merger.", "The council approved the merger without terms."),
        ("It has no fewer than 20 rooms.", "It has 20 rooms."),
        ("He sang it again.", "He sang 'We Are Never Ever Getting Back' again."),
        ("Tarvo is not resistant to mildew.", "It resists rust but is not resistant to mildew."),
        ("Not only students came.", "Students came."),
    ],
)
def test_other_negations_change_nothing(claim: str, source: str) -> None:
    assert not turned(claim, source)


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "source", "pair"),
    [
        ("Profits rose.", "Profits fell.", ("rose", "fell")),
        ("It is higher.", "It is lower.", ("higher", "lower")),
        ("He was convicted.", "He was acquitted.", ("convicted", "acquitted")),
        ("It is possible.", "It is impossible.", ("possible", "impossible")),
        ("Profits rose.", "Profits increased.", None),
        ("Profits rose and fell.", "Profits fell.", None),
    ],
)
def test_opposites(claim: str, source: str, pair: tuple[str, str] | None) -> None:
    assert opposed(claim, source) == pair


def test_an_opposite_is_looked_for_where_the_claim_is_said() -> None:
    source = "Revenue rose 8 % to 412 million, while profit fell to 31 million."
    assert at_odds("Revenue fell 8 % to 412 million.", source)
    assert not at_odds("Revenue rose 8 % to 412 million.", source)
    assert not at_odds("Profit fell to 31 million.", source)


def test_a_clause_may_deny_a_claim() -> None:
    assert denies("Many people were killed.", "Nobody was killed.")
    assert not denies("Nobody was killed.", "Nobody was killed, and few were hurt.")


def test_a_negation_reaches_no_further_than_its_clause() -> None:
    assert denied("It was approved without conditions, and the merger went on.") == {"condition"}
    assert denied("He hasn't paid for the car.") == {"paid"} or "pay" in denied("He hasn't paid.")


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "source", "swapped"),
    [
        ("Solaris acquired Nordwind.", "Nordwind acquired Solaris.", True),
        ("Solaris was acquired by Nordwind.", "Nordwind acquired Solaris.", False),
        ("Liis and Mart founded it.", "Mart and Liis founded it.", False),
        ("Oaks burn more easily than pines.", "Pines burn more easily than oaks.", True),
        ("He went from Rome to Oslo.", "He went from Oslo to Rome.", True),
        ("Born in Lima, he died in Cusco.", "He was born in Cusco and died in Lima.", True),
    ],
)
def test_names_the_other_way_round(claim: str, source: str, swapped: bool) -> None:
    assert bool(exchanged(claim, [source])) is swapped


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "source", "swapped"),
    [
        ("It fell from 9 to 14 points.", "It fell from 14 to 9 points.", True),
        ("It fell to 9 from 14 points.", "It fell from 14 to 9 points.", False),
        ("Bren had 6.8 t, Tarvo 5.9 t.", "Tarvo had 6.8 t, Bren 5.9 t.", True),
        ("Bren had 5.9 t, Tarvo 6.8 t.", "Tarvo had 6.8 t, Bren 5.9 t.", False),
        ("In Turin Caissa won 17 of 20.", "Caissa won in Turin with 17 of 20.", False),
    ],
)
def test_numbers_the_other_way_round(claim: str, source: str, swapped: bool) -> None:
    assert bool(exchanged(claim, [source])) is swapped


def test_a_number_that_belongs_to_something_else() -> None:
    source = ["The violin was sold at auction for 1.9 million.", "It was estimated at 1.2 million."]
    assert "1.2 million" in exchanged("The violin was sold for 1.2 million.", source)
    assert exchanged("The violin was sold at auction for 1.9 million.", source) == ""


@given(ANY)
def test_a_sentence_is_never_at_odds_with_itself(text: str) -> None:
    assert at_odds(text, text) == ""
    assert exchanged(text, [text]) == ""


@given(ANY, ANY)
def test_any_two_texts_can_be_compared(one: str, two: str) -> None:
    assert isinstance(at_odds(one, two), str)
    assert isinstance(exchanged(one, [two]), str)


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "row"),
    [
        (
            "`server`: none; text; Address of a server.",
            "| `server` | none | text | Address of a server. |",
        ),
        ("Refunds: none", "| Refunds | none |"),
        ("There are no refunds.", "| Refunds | none |"),
    ],
)
def test_a_none_alone_in_its_cell_denies_what_the_cell_before_it_names(
    claim: str, row: str
) -> None:
    assert not turned(claim, row)
    assert not at_odds(claim, row)
    assert turned("Refunds are paid.", "| Refunds | none |")
