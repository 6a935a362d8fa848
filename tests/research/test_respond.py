"""The end of a run: what could not be read is said, and sources are numbered as they are cited."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leadline.render.words import limits_met, limits_title, lost, progress, unreached
from leadline.research.response import UNREAD, renumbered, respond
from leadline.research.state import begin
from leadline.types import (
    AgentResponse,
    Checked,
    Citation,
    Claim,
    Details,
    Dispute,
    Limits,
    Loss,
    Plan,
    Quote,
    Source,
    SourceKind,
    State,
    Stop,
    Usage,
    Verdict,
)
from leadline.values import replace

NOT_FOUND = Checked("_Not found: the sources do not answer this question._", found=False)
FOUND = Checked("The bay is deep. [1]", (Claim("The bay is deep.", (1,), Verdict.QUOTED),))


def _ended(
    lost: int,
    read: int,
    stop: Stop = Stop.SUFFICIENT,
    kind: SourceKind = "web",
) -> State:
    urls = [f"https://{n}.example/" for n in range(lost + read)]
    sources = (
        Source(n, url, "A page", kind, accessed="2026-01-01" if n > lost else "")
        for n, url in enumerate(urls, 1)
    )
    state = begin("How deep is it?", Plan(()), Limits(), datetime(2026, 1, 1, tzinfo=UTC))
    return replace(
        state,
        sources=tuple(sources),
        error_log=tuple(Loss("read", url, "HTTP 403") for url in urls[:lost]),
        usage=Usage(pages=read),
        stop_reason=stop,
    )


@pytest.mark.contract("R4", "E1")
def test_where_no_page_could_be_read_there_is_no_answer_and_it_was_not_enough() -> None:
    response = respond("r", _ended(3, 0), NOT_FOUND)
    assert not response.reached
    assert response.degraded
    assert response.stop_reason is Stop.DEGRADED
    assert response.final_answer == UNREAD
    assert unreached(response) == (
        "no source could be read: https://0.example/: HTTP 403 (and 2 more)"
    )
    assert not any("sufficient" in line for line in progress(response))
    assert limits_title(response) == "Why there is no answer"
    assert limits_met(response) == ["3 of 3 pages could not be read."]


@pytest.mark.contract("R4", "S6")
def test_a_run_without_an_answer_says_what_failed_and_calls_no_answer_partial() -> None:
    state = replace(_ended(0, 0), stop_reason=Stop.DEGRADED, degraded=True)
    losses = tuple(Loss("search", query, "ddgs: HTTP 503; given up") for query in ("a", "b"))
    state = replace(state, error_log=losses, usage=Usage(searches=2))
    response = respond("r", state, NOT_FOUND)
    assert unreached(response) == (
        "no source could be reached: the search 'a': ddgs: HTTP 503; given up (and 1 more)"
    )
    assert limits_met(response) == ["2 of 2 searches failed."]
    assert lost(response) == losses


@pytest.mark.contract("R4", "S4", "S6")
def test_what_was_mended_on_the_way_is_told_but_is_no_limit() -> None:
    told = (
        Loss("merge", "A page", "says the same as B with other numbers; both are kept"),
        Loss("retry", "a", "ddgs: HTTP 503; retried"),
        Loss("fallback", "b", "ddgs: HTTP 503; brave was asked instead"),
    )
    gone = Loss("read", "https://gone.example/", "HTTP 403")
    response = respond("r", replace(_ended(0, 2), error_log=(*told, gone)), FOUND)
    assert lost(response) == (gone,)
    assert limits_met(response) == []
    said = progress(response)
    assert all(f"{one.what}: {one.why}." in said for one in told)


@pytest.mark.contract("R4", "S6")
@pytest.mark.parametrize(("lost", "read", "limited"), [(1, 2, False), (2, 2, False), (3, 2, True)])
def test_an_answer_from_fewer_pages_than_were_lost_is_partial(
    lost: int, read: int, limited: bool
) -> None:
    response = respond("r", _ended(lost, read), FOUND)
    assert (response.reached, response.stop_reason) == (True, Stop.SUFFICIENT)
    assert response.degraded == limited
    assert any("partial" in line for line in limits_met(response)) == limited


@pytest.mark.contract("R4", "R7")
@pytest.mark.parametrize("stop", [Stop.MAX_TIME, Stop.CANCELLED])
def test_a_run_that_had_no_time_to_read_says_that_instead(stop: Stop) -> None:
    response = respond("r", _ended(3, 0, stop), NOT_FOUND)
    assert (response.stop_reason, response.final_answer) == (stop, NOT_FOUND.answer)


@pytest.mark.contract("R4")
def test_documents_are_there_whatever_becomes_of_pages() -> None:
    assert respond("r", _ended(2, 0, kind="document"), NOT_FOUND).reached


@pytest.mark.contract("E1", "S6")
def test_a_page_that_was_read_at_the_second_try_is_not_lost() -> None:
    state = _ended(0, 1)
    again = Loss("retry", state.sources[0].url, "HTTP 503; fetched again")
    assert not respond("r", replace(state, error_log=(again, again)), FOUND).degraded


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


@pytest.mark.contract("W5", "W10")
def test_the_newer_side_of_a_dispute_has_its_new_number() -> None:
    dispute = Dispute(Quote(2, "500 euros"), Quote(7, "800 euros"), "other figures", newer=7)
    new = renumbered(replace(response("Oaks. [7] Elms. [2]", 2, 7), disputes=(dispute,)))
    assert (new.disputes[0].other.source, new.disputes[0].newer) == (1, 1)


@pytest.mark.contract("W10")
def test_further_passages_go_on_counting() -> None:
    details = Details("> More.\n> [3]", (), (source(3),))
    new = renumbered(replace(response("Oaks grow. [9]", 9), details=details))
    assert new.details is not None
    assert (new.final_answer, new.details.answer) == ("Oaks grow. [1]", "> More.\n> [2]")
    assert [one.id for one in new.details.sources] == [2]
