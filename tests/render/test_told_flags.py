"""What a report says of texts that may give orders: plainly where they do, calmly where not."""

from __future__ import annotations

import pytest
from sample_reports import RICH

from leadline.render.words import flagged
from leadline.types import AgentResponse, Injection
from leadline.values import replace


def a_response(*scores: float) -> AgentResponse:
    found = tuple(
        Injection("pages", f"https://{n}.example", score, "why", "flagged")
        for n, score in enumerate(scores)
    )
    return replace(RICH, injections=found)


@pytest.mark.contract("X1")
def test_a_suspect_text_and_a_mere_wording_are_told_apart() -> None:
    assert flagged(a_response()) == []
    strong, calm = flagged(a_response(0.9, 0.4, 0.4))
    assert strong.startswith("1 source holds text that reads like an instruction to a model")
    assert calm.startswith("2 sources have sentences worded like instructions")
