"""Novelty: words for the heuristic, sentences for the semantic scorer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.fakes.embedder import FakeEmbedder
from leadline.rank.novelty import features, heuristic, redundancy, semantic
from leadline.reader.static import StaticEmbedder

STATIC = StaticEmbedder()
KNOWN = (
    "The bridge across the river was opened in 1932 by the mayor.",
    "Copper ions bind to the protein at low temperature.",
    "The company sold its grocery chain to a rival for $1.8 billion.",
    "Heavy rain flooded three villages in the north of the country.",
)
PARAPHRASES = (
    "In 1932 the mayor opened the bridge over the river.",
    "At low temperatures, the protein is bound by copper ions.",
    "A rival bought the firm's grocery chain for $1.8 billion.",
    "Three villages in the country's north were flooded by heavy rain.",
)
UNRELATED = (
    "Jazz musicians often improvise over the chords of a popular song.",
    "A chess opening decides where the pieces stand after a few moves.",
    "Bees tell each other by a dance where flowers can be found.",
    "The novel was translated into Portuguese by a retired teacher.",
)


@pytest.mark.contract("G2")
@pytest.mark.parametrize(
    ("knowledge", "bodies", "score"),
    [
        ("", ["alpha beta"], 10),
        ("alpha beta", ["Alpha BETA beta."], 0),
        ("alpha beta", ["alpha gamma"], 5),
        ("alpha", ["alpha beta", "gamma beta"], 7),
        ("alpha", [], 0),
        ("alpha", ["", "…"], 0),
        ("中文", ["中文"], 0),
    ],
)
def test_the_heuristic_is_the_share_of_words_not_known(
    knowledge: str, bodies: list[str], score: int
) -> None:
    assert heuristic(knowledge, bodies) == score


@pytest.mark.contract("G1", "G2")
@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4))
def test_the_heuristic_is_a_whole_number_from_0_to_10(knowledge: str, bodies: list[str]) -> None:
    assert heuristic(knowledge, bodies) in range(11)


@pytest.mark.contract("G3")
def test_a_paraphrase_scores_low() -> None:
    assert semantic(KNOWN, PARAPHRASES, STATIC).score < 3


@pytest.mark.contract("G3")
def test_another_subject_scores_high() -> None:
    assert semantic(KNOWN, UNRELATED, STATIC).score > 9


@pytest.mark.contract("G3")
def test_the_score_follows_the_share_of_new_sentences() -> None:
    scores = [
        semantic(KNOWN, PARAPHRASES[: 4 - new] + UNRELATED[:new], STATIC).score for new in range(5)
    ]
    assert scores == sorted(scores)
    assert [round(score) for score in scores] == pytest.approx([0, 2.5, 5, 7.5, 10], abs=2)


@pytest.mark.contract("G3")
def test_words_alone_are_fooled_where_sentences_are_not() -> None:
    known = "The company sold its grocery chain to a rival for $1.8 billion."
    paraphrase = "A competitor paid $1.8 billion for the firm's supermarket chain."
    news = "The company's rival lost $1.8 billion in a lawsuit over patents."
    assert heuristic(known, [paraphrase]) == heuristic(known, [news])
    told = [semantic([known], [text], STATIC).score for text in (paraphrase, news)]
    assert told[0] < told[1] - 2


@pytest.mark.contract("G3")
def test_other_numbers_make_a_sentence_newer() -> None:
    known = "Profits rose 12 percent to $340 million in 2003."
    same = redundancy(known, "In 2003 profits rose 12 percent to $340 million.", STATIC)
    other = redundancy(known, "In 2001 profits rose 31 percent to $590 million.", STATIC)
    assert other < same - 0.05


@pytest.mark.contract("G3")
def test_the_same_sentence_is_wholly_repeated() -> None:
    found = semantic(KNOWN, KNOWN, STATIC)
    assert (found.score, found.repeated) == (0.0, 1.0)


@pytest.mark.contract("G3")
def test_the_first_batch_is_all_new_and_an_empty_one_brings_nothing() -> None:
    assert semantic((), KNOWN, STATIC).score == 10.0
    assert semantic(KNOWN, (), STATIC).score == 0.0


@pytest.mark.contract("G1", "G3")
@settings(max_examples=50)
@given(st.lists(st.text(max_size=40), max_size=4), st.lists(st.text(max_size=40), max_size=4))
def test_any_text_has_a_score_from_0_to_10(known: list[str], new: list[str]) -> None:
    found = semantic(known, new, FakeEmbedder())
    assert 0.0 <= found.score <= 10.0
    assert len(found.sentences) == len(set(new))
    if new:
        assert found.score == pytest.approx(10 * (1 - found.repeated))


@pytest.mark.contract("G3")
@settings(max_examples=30)
@given(st.permutations(range(4)))
def test_the_order_of_what_is_known_does_not_matter(order: list[int]) -> None:
    mixed = [KNOWN[n] for n in order]
    new = PARAPHRASES[:2] + UNRELATED[:2]
    assert semantic(mixed, new, STATIC).score == pytest.approx(
        semantic(KNOWN, new, STATIC).score, abs=1e-4
    )


def test_pairs_and_batches_have_the_same_features() -> None:
    new = PARAPHRASES + UNRELATED
    together = np.stack(features(KNOWN, new, STATIC))
    for row, known in enumerate(KNOWN):
        for column, text in enumerate(new):
            alone = [float(value[0, 0]) for value in features((known,), (text,), STATIC)]
            assert together[:, row, column] == pytest.approx(alone, abs=1e-5)
