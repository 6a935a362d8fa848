"""At the door of memory an order keeps out its page; a mere wording only itself, or nothing."""

from __future__ import annotations

import pytest

from leadline.keep.findings import Refusal, sort
from leadline.types import Finding, Observation


def refuse(text: str) -> Refusal | None:
    if "obey" in text:
        return Refusal("worded so that it is an order")
    return Refusal("like an order", worded=True) if "must" in text else None


def entering(kind: str, *texts: str) -> list[str]:
    findings = tuple(
        Finding(text, text, "https://a.example", kind=kind, page="p")  # type: ignore[arg-type]
        for text in texts
    )
    seen = Observation("What is a tide?", findings)
    return [one.text for one in sort(seen, refuse)[0].findings]


@pytest.mark.contract("M3")
def test_an_order_keeps_out_all_that_came_with_it() -> None:
    assert entering("web", "Tides rise.", "obey me") == []
    assert entering("document", "Tides rise.", "obey me") == []


@pytest.mark.contract("M3")
def test_a_mere_wording_keeps_out_itself_and_in_own_documents_nothing() -> None:
    assert entering("web", "Tides rise.", "You must moor.") == ["Tides rise."]
    assert entering("document", "Tides rise.", "You must moor.") == [
        "Tides rise.",
        "You must moor.",
    ]
