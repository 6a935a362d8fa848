"""A run file whose answer has a table is checked like any other."""

from __future__ import annotations

import asyncio

import pytest

from leadline.check.claims import cut
from leadline.check.verify import verify
from leadline.reader.static import StaticEmbedder
from leadline.types import Draft, Passage

TEXT = "The TaskGroup is a context manager that holds a group of tasks. Runner runs one function."


@pytest.mark.contract("W7")
def test_the_claim_of_a_table_row_is_found_in_the_answer() -> None:
    answer = "| name | what |\n|---|---|\n| TaskGroup | a context manager that holds tasks [1] |"
    passage = Passage(1, TEXT, page="a" * 16, start=0, end=len(TEXT))
    checked = asyncio.run(verify(Draft(answer, found=True), (passage,), StaticEmbedder()))
    assert checked.claims
    texts = {part.text for unit in cut(checked.answer) for one in unit.stretches for part in one}
    assert {claim.text for claim in checked.claims} <= texts
