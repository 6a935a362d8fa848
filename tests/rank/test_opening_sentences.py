"""Which sentences open a report: what is read first is read alone."""

from __future__ import annotations

import pytest

from leadline.question.analyse import analyse
from leadline.rank.first_sentence import opening
from leadline.rank.quotable_sentences import candidates
from leadline.rank.sentence_scores import measure, ranked
from leadline.reader.static import StaticEmbedder
from leadline.types import Passage

EMBEDDER = StaticEmbedder()


def _opened(task: str, *docs: tuple[str, str]) -> list[str]:
    passages = [Passage(n, text) for n, (_, text) in enumerate(docs, 1)]
    found = candidates(passages, {n: title for n, (title, _) in enumerate(docs, 1)})
    question = analyse(task)
    field = measure(question, found, EMBEDDER)
    first = opening(question, field, ranked(question, field))
    return [field.candidates[one.place].text for one in first]


WEIR = (
    "The weir",
    "The weir is opened in spring, when the fish climb. Its gates weigh four tons each.",
)
FERRY = ("The ferry", "The ferry crosses when the weir is closed. It was built of oak in 1911.")


@pytest.mark.contract("W1")
def test_the_page_about_just_this_opens_the_report() -> None:
    same = "The weir is opened in spring, when the water is high."
    guide = ("A guide to the valley, its mills, bridges and birds", same)
    own = ("The weir", "The weir is opened in spring, when the fish climb.")
    for docs in ((own, guide), (guide, own)):
        assert _opened("When is the weir opened?", *docs)[0] == own[1]


@pytest.mark.contract("W1")
def test_a_sentence_opens_that_has_the_words_which_its_title_lacks() -> None:
    docs = (("The weir", "The weir lies below the mill. Its gates were cast from iron."), FERRY)
    assert "cast from iron" in _opened("What are the gates of the weir made of?", *docs)[0]


@pytest.mark.contract("W1")
def test_a_second_sentence_opens_with_the_first_only_where_it_is_nearly_as_good() -> None:
    two = _opened("When is the weir opened?", WEIR, FERRY)
    assert two[0].startswith("The weir is opened in spring")
    assert len(two) <= 2
    assert all("oak" not in one and "four tons" not in one for one in two)


@pytest.mark.contract("W1")
def test_what_says_the_same_again_does_not_open_beside_the_first() -> None:
    again = ("The mill", "The weir is opened in spring, when the fish climb.")
    more = ("Weir of the mill", "The weir is opened in spring when the fish climb up.")
    assert len(_opened("When is the weir opened?", again, more)) == 1


@pytest.mark.contract("W1")
def test_nothing_opens_where_all_is_only_good_behind_what_leads_to_it() -> None:
    question = analyse("When is the weir opened?")
    passages = [Passage(n, text) for n, (_, text) in enumerate((WEIR, FERRY), 1)]
    found = candidates(passages, {1: WEIR[0], 2: FERRY[0]})
    field = measure(question, found, EMBEDDER)
    led = [type(one)(one.place, one.score, 0) for one in ranked(question, field)]
    assert opening(question, field, led) == []
