"""How and why: the next queries keep what the question is about and add what sources share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.question.analyse import analyse
from leadline.question.widening import widening, widens
from leadline.rank.name_links import Held, rank_sources

TASK = "How does Pumpwerk Norda lift water, and how is silt kept out?"
FOUND = (
    Held("lift", "Lifting", "Norda lifts water with an Archimedes screw driven by a turbine. Menu"),
    Held("mill", "The mill", "Water is lifted by the screw, and the turbine turns it. Menu Print"),
    Held("silt", "Silt", "Silt is kept out by a grating. The basin settles what passes. Menu"),
    Held("sand", "Sand", "A grating keeps sand and silt in the basin before Norda. Menu Print"),
    Held("fish", "Fish", "A pike weighs nine kilos. Menu Print"),
)


def queries(
    task: str = TASK, found: tuple[Held, ...] = FOUND, asked: tuple[str, ...] = ()
) -> list[str]:
    return widening(analyse(task), rank_sources(task, found), asked)


@pytest.mark.contract("P4")
@pytest.mark.parametrize(
    ("task", "wide"),
    [
        (TASK, True),
        ("Why does ice float?", True),
        ("Which gears has the crane, and how are they changed?", True),
        ("Where was the designer of the Lantern Bay lighthouse born?", False),
        ("How did the director of The Long Tide die?", False),
        ("Compare Norda with Süda", False),
        ("Who built Norda?", False),
    ],
)
def test_only_what_the_pages_on_the_subject_tell_is_widened(task: str, wide: bool) -> None:
    assert widens(analyse(task)) is wide


@pytest.mark.contract("P4")
def test_each_part_is_asked_before_any_is_asked_again_with_more() -> None:
    first, second, *_ = queries()
    assert "lift water" in first
    assert "silt" in second


@pytest.mark.contract("P4")
def test_every_query_names_the_subject() -> None:
    assert all({"Pumpwerk", "Norda"} & set(query.split()) for query in queries())


@pytest.mark.contract("P4")
def test_a_query_adds_what_several_sources_say_near_the_part() -> None:
    lifting = [query for query in queries() if "water" in query.split()]
    assert {"screw", "turbine"} <= set(lifting[1].split())
    silt = [query for query in queries() if "silt" in query.split()]
    assert {"grating", "basin"} <= set(silt[1].split())


@pytest.mark.contract("P4")
def test_what_three_sources_say_is_added_before_what_two_say() -> None:
    more = (*FOUND, Held("pond", "Ponds", "A basin is dug by hand."))
    silt = [query for query in queries(found=more) if "silt" in query.split()]
    assert silt[1].split()[-2:] == ["basin", "grating"]


@pytest.mark.contract("P4")
def test_what_one_source_says_alone_and_the_buttons_of_pages_are_not_added() -> None:
    said = " ".join(queries()).split()
    assert not {"pike", "kilos", "Archimedes", "Menu", "Print"} & set(said)


@pytest.mark.contract("P4")
def test_a_word_that_was_asked_with_is_not_added_again() -> None:
    again = queries(asked=("Norda water screw turbine",))
    assert not any({"screw", "turbine"} & set(query.split()) for query in again)


@pytest.mark.contract("P4")
def test_where_nothing_was_found_only_the_parts_are_asked() -> None:
    assert len(queries(found=())) == 2


WORDS = st.text("abcdefgh ,.?éß漢字", max_size=60)


@pytest.mark.contract("P4", "R8")
@given(task=WORDS, texts=st.lists(WORDS, max_size=5))
def test_any_words_give_the_same_queries_twice(task: str, texts: list[str]) -> None:
    found = tuple(Held(str(n), "", text) for n, text in enumerate(texts))
    assert queries(f"How {task}", found) == queries(f"How {task}", found)
