"""The end of a run: everything a face may want to show, in one value."""

from __future__ import annotations

from collections.abc import Collection

from leadline.rank.novelty_summary import diagnosis
from leadline.text.urls import canonical
from leadline.types import AgentResponse, Checked, Citation, Details, Source, State, Stop
from leadline.values import replace

UNREACHED = "_No source could be reached: every search failed, so there is no answer._"
UNREAD = (
    "_No source could be read: every page that was tried was refused or lost, so there is no "
    "answer._"
)
_CUT_SHORT = frozenset({Stop.MAX_TIME, Stop.CANCELLED})  # there was no time to read


def respond(run_id: str, state: State, checked: Checked) -> AgentResponse:
    """The response; its sources are those that a shipped claim cites, and no others."""
    cited = {number for claim in checked.claims for number in claim.sources}
    sources = _citations(cited, state)
    lost = _lost_pages(state)
    unread = bool(lost) and not state.usage.pages and not checked.claims
    reached = not unread and (bool(state.sources) or not state.degraded)
    answer = checked.answer if reached else UNREAD if unread else UNREACHED
    return AgentResponse(
        run_id=run_id,
        task=state.task,
        summary=answer,
        final_answer=answer,
        sources=sources,
        claims=checked.claims,
        confidence=state.confidence if checked.found else 0.0,
        gaps=state.gaps,
        stop_reason=Stop.DEGRADED if unread else state.stop_reason or Stop.ERROR,
        degraded=state.degraded or lost > state.usage.pages,
        usage=state.usage,
        found=checked.found,
        reached=reached,
        dropped=checked.dropped,
        verdicts=state.verdicts,
        diagnosis=diagnosis(state.verdicts),
        error_log=state.error_log + checked.notes,
        disputes=checked.disputes,
        grounds=checked.grounds,
        revision=checked.revision,
        calls=state.calls,
        skipped=state.skipped,
        from_memory=state.from_memory,
        variants=state.variants,
        injections=tuple(dict.fromkeys(state.injections)),
        plan=state.plan,
        started=state.started.isoformat(timespec="seconds"),
        details=_details(checked.details, state),
    )


def _details(details: Details | None, state: State) -> Details | None:
    if details is None:
        return None
    cited = {number for claim in details.claims for number in claim.sources}
    return replace(details, sources=_citations(cited, state))


def _citations(cited: Collection[int], state: State) -> tuple[Citation, ...]:
    return tuple(_citation(source, state) for source in state.sources if source.id in cited)


def _lost_pages(state: State) -> int:
    """How many pages of the web could not be read, where nothing else was there to read."""
    if state.stop_reason in _CUT_SHORT or any(one.kind != "web" for one in state.sources):
        return 0
    return len({one.what for one in state.error_log if one.stage == "read"} - _read(state))


def _read(state: State) -> set[str]:
    """The addresses that were read after all: a second try is in the log as well."""
    return {one.url for one in state.sources if one.accessed}


def _citation(source: Source, state: State) -> Citation:
    """The source as a bibliography needs it; a document counts as read when the run began."""
    key = canonical(source.url)
    told = (hit.published for hit in state.search_results if canonical(hit.url) == key)
    return Citation(
        source.id,
        source.title,
        source.kind,
        source.url,
        source.author,
        source.published or next((date for date in told if date), ""),
        source.accessed or state.started.isoformat(timespec="seconds"),
    )
