"""What a question asks, on questions of the kinds people ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.question.analyse import Expects, analyse, as_asked, expects, keywords, wanted_items


@pytest.mark.contract("P2")
def test_the_keywords_keep_their_form_and_order() -> None:
    assert keywords("How do I cancel a fetch() request in Firefox?") == (
        "cancel",
        "fetch",
        "request",
        "Firefox",
    )


def test_small_words_inside_names_are_kept() -> None:
    assert "Me" in keywords("Is Pick Me Up a British magazine?")
    assert {"let", "var"} <= set(analyse("What is the difference between let and var?").words)


@pytest.mark.parametrize(
    ("clause", "kind"),
    [
        ("who wrote The Salt Road", Expects.PERSON),
        ("when was the berlin wall built", Expects.TIME),
        ("What is the date of birth of the director of Last Rampage", Expects.TIME),
        ("Which country is the river in", Expects.PLACE),
        ("how many jurors must agree", Expects.NUMBER),
        ("why did the us send aid to greece", Expects.REASON),
        ("How do I cancel a fetch request", Expects.METHOD),
        ("Are both films from the same country", Expects.YES_NO),
        ("What is a closure", Expects.DEFINITION),
        ("What language were the books translated into where Haymo lived", Expects.THING),
    ],
)
def test_the_first_question_word_tells_the_kind_of_answer(clause: str, kind: Expects) -> None:
    assert expects(clause) is kind


def test_a_question_joined_to_another_becomes_two_parts() -> None:
    first, second = analyse("when was the berlin wall built and why").parts
    assert first.label == "when was the berlin wall built"
    assert "berlin" in second.words
    assert second.expects is Expects.REASON


def test_a_pronoun_takes_the_words_of_the_part_before() -> None:
    _, second = analyse("What is a closure and how is it used?").parts
    assert "closur" in second.words


def test_what_is_compared_is_a_part_each() -> None:
    assert analyse("Who is older, David Dzakhov or David Luna?").compared == (
        "David Dzakhov",
        "David Luna",
    )
    parts = analyse("Compare CSS grid and flexbox").parts
    assert [part.label for part in parts] == ["CSS grid", "flexbox"]
    assert analyse("let和var有什么区别？").compared == ("let", "var")


def test_something_described_but_not_named_is_a_part_of_its_own() -> None:
    question = analyse("When was the director of film King Of The Sierras born?")
    assert question.hops
    assert question.parts[0].inner
    assert question.parts[0].label == "the director of film King Of The Sierras"
    assert not analyse("How do I cancel a fetch request?").hops
    assert not analyse("How do I create an API key for the service?").hops
    assert not analyse(
        "How does SQLite find the type of a value, and what do STRICT tables add?"
    ).hops


@pytest.mark.contract("W6")
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("list five ways to center a div", 5),
        ("What are the top 10 HTTP status codes?", 10),
        ("who are the three judges on the show", 3),
        ("2 facts about the great wall of china", 2),
        ("给出3个方向的建议", 3),
        ("who has priority at a 4 way stop", 0),
        ("What happened in the last 20 years?", 0),
        ("what was agenda 21", 0),
    ],
)
def test_how_many_items_are_wanted(text: str, count: int) -> None:
    assert wanted_items(text) == count


@pytest.mark.contract("P7")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("What is a closure?", "en"),
        ("什么是闭包？", "zh"),
        ("クロージャとは何ですか", "ja"),
        ("Wie funktioniert die Speicherverwaltung und warum ist sie langsam?", "de"),
        ("", "en"),
    ],
)
def test_the_language_of_a_question_is_known(text: str, code: str) -> None:
    assert analyse(text).language == code


@given(st.text(max_size=300))
def test_any_text_at_all_can_be_taken_apart(text: str) -> None:
    question = analyse(text)
    assert 0 <= question.wanted < 100
    assert all(part.words for part in question.parts)


def test_a_task_of_a_million_characters_is_taken_apart_at_once() -> None:
    question = analyse("who the of in which where " * 40_000)
    assert len(question.text) <= 4000


def test_a_choice_within_the_last_of_several_questions_compares_nothing() -> None:
    asked = "How does the lock find a ship, when does it open and how can it be set or mended?"
    question = analyse(asked)
    assert question.compared == ()
    assert [part.label.split(" (")[0] for part in question.parts] == [
        "How does the lock find a ship",
        "when does it open",
        "how can it be set or mended",
    ]
    assert analyse("Which came first, Who Keeps the Light or Salt?").compared == (
        "Who Keeps the Light",
        "Salt",
    )


def test_a_part_is_headed_as_it_was_asked_and_a_bracket_of_the_asker_stays() -> None:
    task = "How does SQLite (the library) handle JSON, and how is it stored?"
    labels = [part.label for part in analyse(task).parts]
    assert labels[1] != "how is it stored"  # it can be searched for by itself
    assert [as_asked(label, task) for label in labels] == [
        "How does SQLite (the library) handle JSON",
        "how is it stored",
    ]
    assert as_asked("SQLite (the library)", task) == "SQLite (the library)"
    assert as_asked("something else (of another)", task) == "something else (of another)"
