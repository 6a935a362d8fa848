"""Does a sentence hold the kind of thing that was asked for?"""

from __future__ import annotations

import pytest

from leadline.question.analyse import Expects
from leadline.rank.evidence import evidence, measures


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
        (Expects.REASON, "It closed because of a flood.", "why did it close", True),
        (Expects.METHOD, "You can call abort().", "how do I cancel it", True),
        (Expects.DEFINITION, "A closure is a function with its scope.", "what is a closure", True),
        (Expects.DEFINITION, "A loop makes a closure each time.", "what is a closure", False),
        (
            Expects.DEFINITION,
            "Cross-Origin Resource Sharing (CORS) is a standard.",
            "What is CORS?",
            True,
        ),
        (Expects.CONTRAST, "Unlike var, let is scoped to a block.", "let or var", True),
        (Expects.YES_NO, "It is.", "is it", False),
    ],
)
def test_evidence_of_the_kind_asked_for(
    kind: Expects, sentence: str, question: str, held: bool
) -> None:
    assert (evidence(kind, sentence, question) > 0.5) is held


@pytest.mark.parametrize(
    ("question", "sentence", "told"),
    [
        ("how far did it sail", "It sailed 1,300 m in 1628.", True),
        ("how far did it sail", "It sailed in 1628.", False),
        ("how old was she", "She died aged 71.", True),
        ("how old was she", "She ran 12 miles.", False),
        ("how long did it burn", "It burned for six weeks.", True),
        ("how fast is it", "It makes 14 knots.", True),
        ("how tall is it", "M. Dupont bought 3 of them.", False),
        ("how many are there", "There are seven.", True),
    ],
)
def test_a_measure_is_of_what_was_asked_for(question: str, sentence: str, told: bool) -> None:
    assert measures(sentence, question) is told
