"""The chunker: order of sections, best pieces in reading order, budget kept and used."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.fakes.embedder import FakeEmbedder
from leadline.text.chunk import Piece, best_pieces
from leadline.text.sentences import sentences

EMBEDDER = FakeEmbedder(512)
SENTENCES = (
    "The harbour was deepened in 1904.",
    "Ships of every nation came to trade in grain, timber and wool at the new quay.",
    "Copper ions bind to the protein at low temperature.",
    "Nobody knows why the lighthouse keeper left before the great storm of that winter.",
    "Rain fell.",
)
PARAGRAPHS = st.lists(
    st.sampled_from([*SENTENCES, "\n\n", "\n## Results\n", "\n### Methods\n", "\n# Top\n", "\n- "]),
    min_size=1,
    max_size=120,
).map(" ".join)


def long_page(*sections: str, repeat: int = 30) -> str:
    filler = " ".join(SENTENCES * repeat)
    return "\n\n".join(f"## {name}\n\nThis part is about {name}. {filler}" for name in sections)


def is_whole(page: str, piece: Piece) -> bool:
    """A piece begins where a sentence begins and ends where one ends."""
    spans = sentences(page)
    return piece.start in {s.start for s in spans} and piece.end in {s.end for s in spans}


@pytest.mark.contract("C3")
@settings(max_examples=60)
@given(PARAGRAPHS, st.integers(0, 3000))
def test_the_budget_is_kept_no_sentence_is_cut_and_nothing_is_repeated(
    page: str, budget: int
) -> None:
    pieces = best_pieces(page, "copper protein", budget, EMBEDDER)
    assert sum(len(piece.text) for piece in pieces) <= budget
    taken: set[int] = set()
    for piece in pieces:
        assert page[piece.start : piece.end] == piece.text
        assert is_whole(page, piece)
        assert not taken & set(range(piece.start, piece.end))
        taken |= set(range(piece.start, piece.end))


@pytest.mark.contract("C3")
@settings(max_examples=40)
@given(PARAGRAPHS, st.integers(400, 3000))
def test_the_budget_is_used_where_there_is_text(page: str, budget: int) -> None:
    room = min(budget, sum(len(span.text) for span in sentences(page)))
    used = sum(len(piece.text) for piece in best_pieces(page, "copper protein", budget, EMBEDDER))
    assert used >= 0.8 * room - max(map(len, SENTENCES))


@pytest.mark.contract("C3")
@pytest.mark.parametrize("sections", [(), ("Results", "Notes", "Discussion")])
def test_a_long_page_fills_nearly_all_of_the_default_budget(sections: tuple[str, ...]) -> None:
    page = long_page(*sections) if sections else "\n\n".join(SENTENCES * 200)
    used = sum(len(piece.text) for piece in best_pieces(page, "harbour trade", 12_000, EMBEDDER))
    assert 11_400 <= used <= 12_000


@pytest.mark.contract("C1")
def test_sections_come_in_the_order_in_which_they_matter() -> None:
    names = (
        "Discussion",
        "Methods",
        "Findings",
        "Results",
        "Introduction",
        "Conclusions",
        "Abstract",
    )
    page = "\n\n".join(f"## {name}\n\nA sentence on {name} stands here." for name in names)
    pieces = best_pieces(page, "anything", 12_000, EMBEDDER)
    assert [piece.section for piece in pieces] == [*reversed(names)]


@pytest.mark.contract("C1")
def test_what_matters_less_is_left_out_when_the_budget_is_spent() -> None:
    page = long_page("Methods", "Discussion", "Conclusion", "Abstract", repeat=10)
    pieces = best_pieces(page, "anything", 5_000, EMBEDDER)
    assert [piece.section for piece in pieces][:2] == ["Abstract", "Conclusion"]
    assert "Discussion" not in [piece.section for piece in pieces]


@pytest.mark.contract("C1")
def test_sections_without_a_known_name_are_ordered_by_their_bearing_on_the_task() -> None:
    page = (
        "## Harbour\n\nShips came to trade grain and wool.\n\n"
        "## Weather\n\nRain fell all winter.\n\n## Chemistry\n\nCopper ions bind to the protein.\n"
    )
    pieces = best_pieces(page, "Which protein do copper ions bind?", 12_000, EMBEDDER)
    assert pieces[0].section == "Chemistry"


@pytest.mark.contract("C1")
def test_a_piece_far_below_its_heading_is_still_about_what_the_heading_says() -> None:
    hills = "Rain fell over the wide bay and the low hills behind the old town"
    rain = " ".join(f"{hills}{', pilots say' * (n % 6 == 0)}." for n in range(60))
    deep = " ".join(
        f"The keeper writes number {n} into the old book of the town." for n in range(60)
    )
    page = f"## Weather\n\n{rain}\n\n## Wind\n\n{rain}\n\n## Ice\n\n{rain}\n\n"
    page += f"## Pay of pilots\n\n{deep} It is told at noon.\n"
    pieces = best_pieces(page, "What is the pay of pilots?", len(deep) + 100, EMBEDDER)
    assert any(piece.text.endswith("It is told at noon.") for piece in pieces)


@pytest.mark.contract("C1")
def test_each_part_of_the_question_has_its_turn() -> None:
    copper = [f"Copper binds to protein number {n} here." for n in range(120)]
    wool = [f"Wool went to market number {n} by ship." for n in range(120)]
    rain = " ".join(f"Rain fell in the year {year}." for year in range(1500, 1700))
    page = "\n\n".join(
        f"## {name}\n\n{text}"
        for name, text in (
            ("One", rain),
            ("Two", " ".join(copper)),
            ("Three", " ".join(wool)),
            ("Four", rain),
        )
    )
    found = " ".join(
        piece.text
        for piece in best_pieces(
            page, "copper protein", 4_000, EMBEDDER, ("copper protein", "wool")
        )
    )
    assert found.count("Copper binds") >= found.count("Wool went") > 0


@pytest.mark.contract("C1")
def test_a_subsection_belongs_to_the_kind_above_it() -> None:
    page = (
        "## Results\n\nWe saw much.\n\n### Effect of heat\n\nHeat broke it.\n\n## Abstract\n\n"
        "In short, heat breaks it.\n\n## Weather\n\nHeat heat heat.\n"
    )
    sections = [piece.section for piece in best_pieces(page, "heat", 12_000, EMBEDDER)]
    assert sections == ["Abstract", "Results", "Effect of heat", "Weather"]


@pytest.mark.contract("C1")
@pytest.mark.parametrize(
    "heading",
    [
        "2. Results",
        "IV. Results and discussion",
        "**Key findings**",
        "Materials & Methods",
        "3.1 Background:",
    ],
)
def test_a_named_section_is_known_with_its_number_and_its_company(heading: str) -> None:
    page = f"## Copper\n\nCopper binds.\n\n## Zinc\n\nZinc binds.\n\n## {heading}\n\nIt rained.\n"
    assert best_pieces(page, "copper", 12_000, EMBEDDER)[0].text.endswith("It rained.")


@pytest.mark.contract("C1")
@pytest.mark.parametrize("heading", ["Overview of the copper tools", "Query results", "Weather"])
def test_a_heading_that_only_holds_such_a_word_takes_no_room_from_what_was_asked(
    heading: str,
) -> None:
    rain = " ".join(f"Rain fell in the year {year}." for year in range(1500, 1700))
    told = "Copper ions bind to the protein."
    page = f"{rain}\n\n## {heading}\n\n{rain}\n\n## Wind\n\n{rain}\n\n## Use\n\n{told}\n"
    pieces = best_pieces(page, "Which protein do copper ions bind?", 1_000, EMBEDDER)
    assert told in " ".join(piece.text for piece in pieces)


@pytest.mark.contract("C1")
@pytest.mark.parametrize(
    ("title", "first"), [("1. Overview", True), ("The copper handbook", False)]
)
def test_what_opens_a_page_comes_first_only_where_its_title_names_it(
    title: str, first: bool
) -> None:
    told = "## Tin\n\nTin.\n\n## Copper\n\nCopper binds.\n\n## Zinc\n\nZinc.\n"
    page = f"# {title}\n\nIt rained.\n\n{told}"
    pieces = best_pieces(page, "copper", 12_000, EMBEDDER)
    assert ("It rained." in pieces[0].text) is first


@pytest.mark.contract("C2")
def test_without_sections_the_nearest_pieces_are_put_back_in_reading_order() -> None:
    filler = " ".join(f"Nothing of note happened in the year {year}." for year in range(1500, 1900))
    first, last = "Copper binds to the protein.", "The protein releases copper when heated."
    page = f"{filler[:6000]}. {first} {filler[6000:12000]}. {last} {filler[12000:]}"
    pieces = best_pieces(page, "copper protein", 1_500, EMBEDDER)
    text = " ".join(piece.text for piece in pieces)
    assert text.index(first) < text.index(last)
    assert [piece.start for piece in pieces] == sorted(piece.start for piece in pieces)


@pytest.mark.contract("C2")
def test_neighbouring_pieces_become_one() -> None:
    page = " ".join(SENTENCES * 12)
    pieces = best_pieces(page, "harbour", len(page), EMBEDDER)
    assert [(piece.start, piece.end) for piece in pieces] == [(0, len(page))]


def test_an_empty_page_and_an_empty_budget_give_nothing() -> None:
    assert best_pieces("", "task", 100, EMBEDDER) == ()
    assert best_pieces("A sentence.", "task", 0, EMBEDDER) == ()
