"""Source numbers as a report shows them: in the order of citing, no gaps, nothing else touched."""

from __future__ import annotations

import pytest

from leadline.research.response import renumbered
from leadline.types import AgentResponse, Citation, Claim, Details, Quote, Stop, Usage, Verdict
from leadline.values import replace


def source(number: int) -> Citation:
    return Citation(number, f"title {number}", "document", f"{number}.md")


def response(answer: str, *numbers: int) -> AgentResponse:
    claims = tuple(
        Claim(f"claim {number}", (number,), Verdict.QUOTED, quote=Quote(number, "words"))
        for number in numbers
    )
    return AgentResponse(
        run_id="r",
        task="t",
        summary=answer,
        final_answer=answer,
        sources=tuple(source(number) for number in sorted(numbers)),
        claims=claims,
        confidence=0.0,
        gaps=(),
        stop_reason=Stop.SUFFICIENT,
        degraded=False,
        usage=Usage(),
    )


@pytest.mark.contract("W10")
def test_sources_are_numbered_in_the_order_in_which_they_are_cited() -> None:
    new = renumbered(response("Oaks grow. [7]\n\n> Elms die.\n> [2]\n\nBoth. [2][7]", 2, 7))
    assert new.final_answer == "Oaks grow. [1]\n\n> Elms die.\n> [2]\n\nBoth. [2][1]"
    assert [(one.id, one.title) for one in new.sources] == [(1, "title 7"), (2, "title 2")]
    assert [one.sources for one in new.claims] == [(2,), (1,)]
    assert [one.quote.source for one in new.claims if one.quote] == [2, 1]


@pytest.mark.contract("W10")
def test_numbers_in_code_and_in_quoted_words_are_no_citations() -> None:
    answer = "Write `a[7]` so. [7]\n\n> The list a[7] ends.\n> ```\n> b = c[7]\n> ```\n> [7]"
    new = renumbered(response(answer, 7))
    assert new.final_answer == answer.replace("so. [7]", "so. [1]")[:-3] + "[1]"


@pytest.mark.contract("W10")
def test_further_passages_go_on_counting() -> None:
    details = Details("> More.\n> [3]", (), (source(3),))
    new = renumbered(replace(response("Oaks grow. [9]", 9), details=details))
    assert new.details is not None
    assert (new.final_answer, new.details.answer) == ("Oaks grow. [1]", "> More.\n> [2]")
    assert [one.id for one in new.details.sources] == [2]
