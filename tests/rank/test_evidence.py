"""Does a sentence hold the kind of thing that was asked for?"""

from __future__ import annotations

import pytest

from leadline.question.analyse import Expects, Part, analyse
from leadline.rank.evidence import answers_part, has_evidence
from leadline.text.words import content_words


@pytest.mark.parametrize(
    ("kind", "sentence", "question", "held"),
    [
        (Expects.TIME, "It was built in August 1961.", "when was it built", True),
        (Expects.TIME, "The film of 1929 was silent.", "when was the 1929 film shot", False),
        (Expects.NUMBER, "It has thirty rooms.", "how many rooms", True),
        (Expects.NUMBER, "It has rooms.", "how many rooms", False),
        (Expects.PERSON, "It was built by Otto Lang.", "who built it", True),
        (Expects.PERSON, "Otto Lang built it.", "who helped Otto Lang", False),
        (Expects.PLACE, "She was born in Graufeld.", "where was she born", True),
        (Expects.YES_NO, "It is.", "is it", False),
    ],
)
def test_evidence_of_the_kind_asked_for(
    kind: Expects, sentence: str, question: str, held: bool
) -> None:
    assert has_evidence(kind, sentence, question) is held


def share(clause: str, *said: str) -> float:
    """How far `said` answers `clause` behind a question about Lake Torvan."""
    (_, part) = analyse(f"When did Lake Torvan freeze and {clause}?").parts
    texts = [(one, frozenset(content_words(one))) for one in said]
    return answers_part(part, texts, frozenset(content_words(" ".join(said))), {})


def test_a_part_that_refers_back_knows_its_own_words_and_what_it_is_about() -> None:
    first, second = analyse("When did the warship Vasa sink and how far did it sail?").parts
    assert (first.own, first.about) == ((), ())
    assert (second.own, second.about) == (("sail",), ("vasa",))


def test_a_part_with_a_measure_alone_has_that_for_its_own_word() -> None:
    _, part = analyse("When did Lake Torvan freeze and how deep is it?").parts
    assert part.own == ("deep",)


@pytest.mark.contract("W5")
@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("how deep is it", "Lake Torvan has a depth of 31 metres."),
        ("how long did it stay frozen", "Lake Torvan stayed frozen for nine weeks."),
        ("who swam it", "Kit Nance swam Lake Torvan."),
        ("when did it dry up", "Lake Torvan dried up in 1971."),
    ],
)
def test_a_sentence_with_the_own_words_and_the_kind_asked_for_answers(
    clause: str, said: str
) -> None:
    assert share(clause, said) > 0.75


@pytest.mark.contract("W5")
@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("how deep is it", "Lake Torvan froze in 1963."),  # nothing of its own
        ("when did it dry up", "Lake Torvan dried up for want of rain."),  # no date
        ("how far did it flow over", "Lake Torvan flowed over in 1963."),  # a number, no distance
        ("when did it dry up", "The lake of Ash dried up in 1971."),  # of something else
    ],
)
def test_own_words_of_another_thing_or_without_the_kind_do_not(clause: str, said: str) -> None:
    assert share(clause, said) < 0.6


def test_words_strewn_over_two_sentences_do_not_answer() -> None:
    said = ("Lake Torvan has perch of 40 pounds.", "Lake Torvan is sold on market days in 1963.")
    assert share("how many perch are sold there in it", *said) < 0.75


def test_without_sentences_nothing_is_told() -> None:
    part = Part("how far (vasa)", ("sail",), own=("sail",), about=("vasa",))
    assert answers_part(part, [], frozenset(), {}) == 0.0
