"""Choosing sentences: what answers, what leads to it, what says the same."""

from __future__ import annotations

import pytest

from leadline.question.analyse import Question, analyse
from leadline.rank.quotable_sentences import candidates
from leadline.rank.sentence_scores import Field, Scored, alike, concerns, measure, picked, ranked
from leadline.reader.static import StaticEmbedder
from leadline.types import Passage

EMBEDDER = StaticEmbedder()
DOCS = {
    "Lantern Bay": "Lantern Bay is a harbour town. Its lighthouse was designed by Ottilie Brandt.",
    "Ottilie Brandt": "Ottilie Brandt was an engineer born in Graufeld in 1871. She built locks.",
    "Tides": "Tides rise twice a day in most harbours. Spring tides follow the new moon.",
    "Tide tables": "Tides rise twice a day in most harbours of the world.",
}


def field_for(task: str) -> tuple[Question, Field, list[Scored]]:
    passages = [Passage(n, text) for n, text in enumerate(DOCS.values(), 1)]
    found = candidates(passages, dict(enumerate(DOCS, 1)))
    question = analyse(task)
    field = measure(question, found, EMBEDDER)
    return question, field, ranked(question, field)


def test_the_sentence_that_answers_comes_first() -> None:
    _, field, order = field_for("How often do tides rise?")
    assert field.candidates[order[0].place].text.startswith("Tides rise twice a day")


def test_the_second_hop_comes_with_the_sentence_that_leads_to_it() -> None:
    _, field, order = field_for("Where was the designer of the Lantern Bay lighthouse born?")
    best = next(one for one in order if "Graufeld" in field.candidates[one.place].text)
    assert best.via >= 0
    assert "Ottilie Brandt" in field.candidates[best.via].text
    assert order.index(best) <= 1


def test_how_something_is_done_is_not_told_by_a_page_that_the_telling_sentence_names() -> None:
    _, field, order = field_for("How was the Lantern Bay lighthouse designed?")
    assert all(one.via < 0 for one in order)
    assert "designed by" in field.candidates[order[0].place].text


def test_a_sentence_that_says_the_same_is_not_picked_again() -> None:
    _, field, order = field_for("How often do tides rise?")
    texts = [field.candidates[one.place].text for one in picked(field, order, 5000, 10)]
    assert sum("twice a day" in text for text in texts) == 1
    places = [n for n, one in enumerate(field.candidates) if "twice a day" in one.text]
    assert alike(field, places[0], places[1])


def test_what_is_picked_fits_the_room() -> None:
    _, field, order = field_for("tides harbour lighthouse")
    chosen = picked(field, order, 120, 10)
    assert 0 < sum(len(field.candidates[one.place].text) for one in chosen) <= 120
    assert len(picked(field, order, 5000, 2)) <= 2


def test_a_name_that_is_a_small_word_is_found_in_the_text() -> None:
    found = candidates([Passage(1, "The keyword let declares a variable in its block.")], {})
    question = analyse("What is the difference between let and var?")
    field = measure(question, found, EMBEDDER)
    assert field.found[0, question.words.index("let")] == 1.0
    assert field.found[0, question.words.index("var")] < 1.0


@pytest.mark.contract("X1")
def test_a_sentence_concerns_the_question_by_its_own_words_not_by_its_page() -> None:
    text = "Kelvin devised the tide machine in 1872. Grapes are best eaten on a Sunday afternoon."
    found = candidates([Passage(1, text)], {1: "The tide machine of Kelvin"})
    question = analyse("Who devised the tide machine?")
    field = measure(question, found, EMBEDDER)
    said = {
        field.candidates[one.place].text: concerns(field, one) for one in ranked(question, field)
    }
    assert list(said.values()) == [True, False]
