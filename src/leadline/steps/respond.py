"""The end of a run: everything a face may want to show, in one value."""

from __future__ import annotations

from leadline.rank.diagnose import diagnosis
from leadline.text.urls import canonical
from leadline.types import AgentResponse, Checked, Citation, Source, State, Stop

UNREACHED = "_No source could be reached: every search failed, so there is no answer._"


def respond(run_id: str, state: State, checked: Checked) -> AgentResponse:
    """The response; its sources are those that a shipped claim cites, and no others."""
    cited = {number for claim in checked.claims for number in claim.sources}
    sources = tuple(_citation(source, state) for source in state.sources if source.id in cited)
    reached = bool(state.sources) or not state.degraded
    answer = checked.answer if reached else UNREACHED
    return AgentResponse(
        run_id=run_id,
        task=state.task,
        summary=answer,
        final_answer=answer,
        sources=sources,
        claims=checked.claims,
        confidence=state.confidence if checked.found else 0.0,
        gaps=state.gaps,
        stop_reason=state.stop_reason or Stop.ERROR,
        degraded=state.degraded,
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
        variants=state.variants,
        injections=tuple(dict.fromkeys(state.injections)),
        plan=state.plan,
        started=state.started.isoformat(timespec="seconds"),
    )


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
