"""Run files that Leadline wrote before it left JSON to msgspec."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from leadline.bundle.contents import RunFile, opened, written
from leadline.bundle.replay import replay
from leadline.errors import LeadlineError
from leadline.types import Verdict

EARLIER = Path(__file__).parent.parent / "fixtures" / "earlier"


def read(name: str) -> RunFile:
    data = (EARLIER / name).read_bytes()
    found = opened(data, name)
    assert found.changed == ()
    assert found.content is not None
    assert opened(written(found.content), name).content == found.content
    return found.content


@pytest.mark.contract("W7")
def test_a_run_over_documents_is_read_as_it_was_written() -> None:
    content = read("documents.leadline")
    assert content.about.task == "Who approves a refund above 500 euros?"
    first = content.response.claims[0]
    assert first.verdict is Verdict.QUOTED
    assert first.quote is not None
    (page,) = (kept.page for kept in content.pages if kept.page.hash == first.quote.page)
    assert page.text[first.quote.start : first.quote.end] == first.quote.text


@pytest.mark.contract("W7", "W3")
def test_a_run_with_the_words_of_a_judge_is_read_as_it_was_written() -> None:
    content = read("judged.leadline")
    assert {claim.judge for claim in content.response.claims} == {"", "ollama:wise"}


@pytest.mark.contract("R10", "W7")
@pytest.mark.parametrize("name", ["documents.leadline", "judged.leadline"])
def test_it_is_replayed_to_the_same_report_or_refused_in_words(name: str) -> None:
    content = read(name)
    with suppress(LeadlineError):  # later versions may do other steps, and say so
        rebuilt = asyncio.run(replay(content))
        assert rebuilt.response.task == content.about.task
