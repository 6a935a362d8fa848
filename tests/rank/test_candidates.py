"""The sentences a report could quote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.quotable_sentences import candidates
from leadline.text.quotes import locate
from leadline.types import Passage

TEXT = """# Adam Yauch

Adam Yauch (August 5, 1964 – May 4, 2012) was an American rapper. He directed several films.

- item without an end

```js
let x = 1; // not a sentence at all.
```

See [the list](/list) of his films for more information. The array `a[0]` is the first one.
"""


def found(text: str, title: str = "Adam Yauch") -> list[str]:
    return [one.text for one in candidates([Passage(1, text)], {1: title})]


@pytest.mark.contract("L2")
def test_code_headings_and_fragments_are_not_quoted() -> None:
    texts = found(TEXT)
    assert not any("let x" in text or text.startswith(("#", "item")) for text in texts)


def test_a_sentence_that_refers_back_brings_the_one_before() -> None:
    assert any(
        text.startswith("Adam Yauch (") and text.endswith("He directed several films.")
        for text in found(TEXT)
    )


def test_a_pointer_to_elsewhere_dangles() -> None:
    (pointer,) = [
        one for one in candidates([Passage(1, TEXT)], {}) if one.text.startswith("See the list")
    ]
    assert pointer.dangling


def test_what_could_be_taken_for_a_citation_is_not_quoted() -> None:
    assert not any("[0]" in text for text in found(TEXT))


def test_years_of_life_say_born_and_died() -> None:
    (life,) = [
        one for one in candidates([Passage(1, TEXT)], {}) if one.text.endswith("American rapper.")
    ]
    assert {"born", "di"} <= life.words or {"born", "died"} & life.words


def test_no_text_is_a_candidate_twice() -> None:
    twice = candidates([Passage(1, TEXT), Passage(2, TEXT)], {})
    assert len({one.text for one in twice}) == len(twice)


@pytest.mark.contract("W2")
@given(st.text(max_size=400))
def test_every_candidate_is_found_in_its_passage(text: str) -> None:
    for one in candidates([Passage(1, text)], {}):
        assert locate(one.text, text)


def test_chinese_sentences_are_candidates() -> None:
    assert len(found("闭包是函数和其词法环境的组合。它让函数可以访问外部作用域。", "闭包")) == 2
