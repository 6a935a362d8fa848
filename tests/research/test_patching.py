"""Sentences by number, and patches that touch nothing but what they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.research.revise import apply_patches, numbered_sentences
from leadline.types import Patch

REPORT = """The harbour is 12 fathoms deep. [1] It freezes in winter. [2]

## Keepers

- **Ada:** Ada Moor keeps the light. [1]
- Tom Reed sweeps the stairs. [3]

| Year | Depth |
|---|---|
| 1921 | 12 [1] |

Not found in the sources: who built it"""


@pytest.mark.contract("Q2")
def test_every_sentence_heading_row_and_note_has_a_number() -> None:
    told = [(one.number, one.kind, one.text, one.ids) for one in numbered_sentences(REPORT)]
    assert told == [
        (1, "claim", "The harbour is 12 fathoms deep.", (1,)),
        (2, "claim", "It freezes in winter.", (2,)),
        (3, "heading", "Keepers", ()),
        (4, "claim", "Ada Moor keeps the light.", (1,)),
        (5, "claim", "Tom Reed sweeps the stairs.", (3,)),
        (6, "claim", "1921: Depth 12", (1,)),
        (7, "note", "Not found in the sources: who built it", ()),
    ]


@pytest.mark.contract("Q2")
def test_a_patch_changes_its_sentence_and_no_other_line() -> None:
    text = apply_patches(REPORT, [Patch(2, "It freezes in January. [2]")])
    assert text.splitlines()[0] == (
        "The harbour is 12 fathoms deep. [1] It freezes in January. [2]"
    )
    assert text.splitlines()[1:] == REPORT.splitlines()[1:]


@pytest.mark.contract("Q2")
def test_a_table_row_is_replaced_by_a_row_or_stays() -> None:
    assert "| 1921 | 12 [1] |" in apply_patches(REPORT, [Patch(6, "In 1921 it was 12. [1]")])
    assert "| 1921 | 14 [1] |" in apply_patches(REPORT, [Patch(6, "| 1921 | 14 [1] |")])
    assert "| 1921" not in apply_patches(REPORT, [Patch(6)])


@pytest.mark.contract("Q2")
@given(st.integers(8, 99), st.text(max_size=30))
def test_a_number_that_no_sentence_has_changes_nothing(number: int, text: str) -> None:
    assert apply_patches(REPORT, [Patch(number, text)]) == REPORT
    assert apply_patches(REPORT, []) == REPORT
