"""A draft is cut into what it claims, each claim with the sources it cites."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.check.claims import Part, cut


def parts(answer: str) -> list[Part]:
    return [part for unit in cut(answer) for stretch in unit.stretches for part in stretch]


def cited(answer: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(part.text, part.ids) for part in parts(answer) if part.asserted]


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Basalt is dark. [1][2]", [("Basalt is dark.", (1, 2))]),
        ("Basalt is dark [1, 2].", [("Basalt is dark.", (1, 2))]),
        ("Basalt is dark [1-3].", [("Basalt is dark.", (1, 2, 3))]),
        ("Basalt [1] is dark, marble [4] is not.", [("Basalt is dark, marble is not.", (1, 4))]),
        (
            "Basalt is dark.[1] Marble is not.[2]",
            [("Basalt is dark.", (1,)), ("Marble is not.", (2,))],
        ),
        ("Basalt is dark【3】.", [("Basalt is dark.", (3,))]),
        ("Basalt is dark [^2].", [("Basalt is dark.", (2,))]),
        ("Basalt is dark [1](https://made.up/x).", [("Basalt is dark.", (1,))]),
        (
            "玄武岩は黒い。[1] 大理石は白い。[2]",
            [("玄武岩は黒い。", (1,)), ("大理石は白い。", (2,))],
        ),
        ("- Basalt [2]", [("Basalt", (2,))]),
        ("**Colour:** Basalt is dark. [1]", [("Basalt is dark.", (1,))]),
        ("| Rock | Colour |\n|---|---|\n| Basalt | dark [1] |", [("Basalt: Colour dark", (1,))]),
        ("> Basalt is\n> dark.\n> [3]", [("Basalt is\ndark.", (3,))]),
    ],
)
def test_claims_carry_the_ids_they_cite(
    answer: str, expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert cited(answer) == expected


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    "answer",
    [
        "## Colour",
        "What is basalt?",
        "Basalt has these uses:",
        "Not found in the sources: its price",
        "_Not found: the sources do not answer this question._",
        "The sources do not say how old it is.",
        "## Not found\n\nWhat basalt costs",
        "---",
    ],
)
def test_headings_questions_lead_ins_and_notes_claim_nothing(answer: str) -> None:
    assert all(
        not part.asserted or unit.missing
        for unit in cut(answer)
        for stretch in unit.stretches
        for part in stretch
    )


@pytest.mark.contract("W3")
def test_a_note_cannot_carry_a_claim_along() -> None:
    found = parts("Not found in the sources: its price. Basalt is the hardest rock of all.")
    assert any(part.asserted and "hardest" in part.text for part in found)


@pytest.mark.contract("W3")
def test_an_italic_line_is_a_claim_like_any_other() -> None:
    assert cited("_Basalt is the hardest rock of all._")


@pytest.mark.contract("W2")
def test_brackets_in_code_and_years_are_no_citations() -> None:
    (part,) = parts("Write `row[1]` as it was in [2020].")
    assert part.ids == ()
    assert "row[1]" in part.text


@pytest.mark.contract("W2")
def test_an_uncited_sentence_knows_what_the_next_one_cites() -> None:
    first, second = parts("Basalt is dark. It is heavy. [4]")
    assert (first.ids, first.near, second.ids) == ((), (4,), (4,))


@given(st.text(max_size=400))
def test_any_text_is_cut_without_an_error_and_none_of_it_is_lost(answer: str) -> None:
    units = cut(answer)
    assert "".join("".join(unit.raw.split()) for unit in units) == "".join(
        "".join(line.split()) for line in answer.splitlines()
    )
