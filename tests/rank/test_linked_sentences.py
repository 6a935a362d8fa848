"""Sentences that answer alone, or through one that leads to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.question.analyse import analyse
from leadline.rank.linked_sentences import Field
from leadline.reader.static import StaticEmbedder
from leadline.text.quotes import locate
from leadline.types import Passage

EMBEDDER = StaticEmbedder()
DOCS = {
    "Lantern Bay": "Lantern Bay is a harbour town. Its lighthouse was designed by Ottilie Brandt.",
    "Ottilie Brandt": "Ottilie Brandt was an engineer born in Graufeld in 1871. She built locks.",
    "Tides": "Tides rise twice a day in most harbours. Spring tides follow the new moon.",
    "Tide tables": "Tides rise twice a day in most harbours of the world.",
}
PAGE = """# Adam Yauch

Adam Yauch (August 5, 1964 – May 4, 2012) was an American rapper. He directed several films.

```js
let x = 1; // not a sentence at all.
```

The array `a[0]` is the first one.
"""


def field_of(*texts: str) -> Field:
    return Field([Passage(n, text) for n, text in enumerate(texts, 1)], {}, EMBEDDER)


DOCUMENTS = Field(
    [Passage(n, text) for n, text in enumerate(DOCS.values(), 1)],
    dict(enumerate(DOCS, 1)),
    EMBEDDER,
)


def test_the_sentence_that_answers_comes_first() -> None:
    order = DOCUMENTS.ranked(analyse("How often do tides rise?"))
    assert DOCUMENTS.sentences[order[0].place].text.startswith("Tides rise twice a day")


def test_the_second_hop_comes_with_the_sentence_that_leads_to_it() -> None:
    order = DOCUMENTS.ranked(analyse("Where was the designer of the Lantern Bay lighthouse born?"))
    best = next(one for one in order if "Graufeld" in DOCUMENTS.sentences[one.place].text)
    assert "Ottilie Brandt" in DOCUMENTS.sentences[best.via].text
    assert order.index(best) <= 1


def test_sentences_that_say_the_same_repeat_one_another() -> None:
    places = [n for n, one in enumerate(DOCUMENTS.sentences) if "twice a day" in one.text]
    assert DOCUMENTS.repeats(places[0], places[1])
    assert not DOCUMENTS.repeats(0, places[0])


@pytest.mark.contract("L2")
def test_code_headings_and_what_looks_cited_are_not_quoted() -> None:
    texts = [one.text for one in field_of(PAGE).sentences]
    assert not any("let x" in text or text.startswith("#") or "[0]" in text for text in texts)


def test_a_sentence_that_refers_back_brings_the_one_before() -> None:
    (both,) = [one for one in field_of(PAGE).sentences if "several films" in one.text]
    assert both.text.startswith("Adam Yauch (")
    assert {"born", "di"} <= both.words or {"born", "died"} & both.words, "years of life say so"


def test_no_sentence_stands_there_twice() -> None:
    texts = [one.text for one in field_of(PAGE, PAGE).sentences]
    assert len(set(texts)) == len(texts)


@pytest.mark.contract("W2")
@given(st.text(max_size=400))
def test_every_sentence_is_found_in_its_passage(text: str) -> None:
    assert all(locate(one.text, text) for one in field_of(text).sentences)


def test_chinese_sentences_can_be_quoted() -> None:
    text = "闭包是函数和其词法环境的组合。它让函数可以访问外部作用域。"
    assert len(field_of(text).sentences) == 2
