"""Which folded words are forms of one verb."""

from __future__ import annotations

import pytest

from leadline.question.verbs import forms
from leadline.text.words import stem


def meet(one: str, other: str) -> bool:
    return stem(one) == stem(other) or stem(other) in forms(stem(one))


VERBS = (
    "sink sinks sank sunk sinking|begin began begun beginning|write wrote written writing|"
    "fly flies flew flown flying|try tries tried trying|plan planned planning|win won winning|"
    "travel travelled traveling|lie lay lain lying|lay laid laying|found founded founding|"
    "stop stopped|sell sells sold selling"
)


@pytest.mark.parametrize("verb", VERBS.split("|"))
def test_all_forms_of_a_verb_meet_each_other(verb: str) -> None:
    several = verb.split()
    assert [(a, b) for a in several for b in several if not meet(a, b)] == []


@pytest.mark.parametrize(
    ("form", "one", "other"),
    [
        ("lay", "lain", "laid"),
        ("left", "leave", "left"),
        ("wound", "wind", "wound"),
        ("bore", "bear", "born"),
        ("found", "found", "founded"),
    ],
)
def test_a_form_of_two_verbs_meets_both(form: str, one: str, other: str) -> None:
    assert meet(form, one)
    assert meet(form, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("sink", "sing"), ("ship", "shop"), ("fall", "fill"), ("laid", "lain"), ("潮汐", "潮")],
)
def test_other_words_do_not_meet(one: str, other: str) -> None:
    assert not meet(one, other)
