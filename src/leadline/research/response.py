"""The end of a run: everything a face may want to show, in one value.

Within a run a source keeps the number that it was found with; what is handed out is numbered in the
order in which it is cited, so that a reader meets [1] first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from leadline.rank.novelty_summary import diagnosis
from leadline.text.urls import canonical
from leadline.types import AgentResponse, Checked, Citation, Claim, Source, State, Stop
from leadline.values import Value, field_names, replace

UNREACHED = "_No source could be reached: every search failed, so there is no answer._"
UNREAD = (
    "_No source could be read: every page that was tried was refused or lost, so there is no "
    "answer._"
)
_CUT_SHORT = frozenset({Stop.MAX_TIME, Stop.CANCELLED})  # there was no time to read

# A citation, or first what is none whatever it looks like: code, and quotations but for the marks
# below them.
_MARK = re.compile(
    r"^[> \t]*(?:```|~~~).*?^[> \t]*(?:```|~~~)[ \t]*$|`[^`\n]+`"
    r"|^>(?![ \t]*(?:\[\d{1,4}\][ \t]*)+$)[^\n]*|\[(\d{1,4})\]",
    re.MULTILINE | re.DOTALL,
)
_NUMBERS = frozenset({"id", "source", "sources", "like", "newer"})  # fields that hold a number


def respond(run_id: str, state: State, checked: Checked) -> AgentResponse:
    """The response; its sources are those that a shipped claim cites, and no others."""
    lost = _lost_pages(state)
    unread = bool(lost) and not state.usage.pages and not checked.claims
    reached = not unread and (bool(state.sources) or not state.degraded)
    answer = checked.answer if reached else UNREAD if unread else UNREACHED
    details = checked.details
    if details is not None:
        details = replace(details, sources=_citations(details.claims, state))
    return AgentResponse(
        run_id=run_id,
        task=state.task,
        summary=answer,
        final_answer=answer,
        sources=_citations(checked.claims, state),
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
        details=details,
    )


def _citations(claims: Sequence[Claim], state: State) -> tuple[Citation, ...]:
    cited = {number for claim in claims for number in claim.sources}
    return tuple(_citation(source, state) for source in state.sources if source.id in cited)


def _citation(source: Source, state: State) -> Citation:
    """The source as a bibliography needs it; a document counts as read when the run began."""
    key = canonical(source.url)
    dates = (hit.published for hit in state.search_results if canonical(hit.url) == key)
    return Citation(
        source.id,
        source.title,
        source.kind,
        source.url,
        source.author,
        source.published or next(filter(None, dates), ""),
        source.accessed or state.started.isoformat(timespec="seconds"),
    )


def _lost_pages(state: State) -> int:
    """How many pages of the web could not be read, where nothing else was there to read."""
    if state.stop_reason in _CUT_SHORT or any(source.kind != "web" for source in state.sources):
        return 0
    read = {source.url for source in state.sources if source.accessed}  # at a second try, too
    return len({loss.what for loss in state.error_log if loss.stage == "read"} - read)


def renumbered(response: AgentResponse) -> AgentResponse:
    """`response` with its sources numbered as they are cited first, and listed in that order."""
    details = response.details
    texts = (response.final_answer, details.answer if details else "")
    known = [one.id for one in (*response.sources, *(details.sources if details else ()))]
    cited = [int(mark[1]) for text in texts for mark in _MARK.finditer(text) if mark[1]]
    others = [ground.source for ground in response.grounds]
    others += [number for one in response.variants for number in (one.source, one.like)]
    order = [*(number for number in cited if number in known), *known, *others]
    numbers = {old: new for new, old in enumerate(dict.fromkeys(order), 1)}
    answer = _rewritten(response.final_answer, numbers)
    response = replace(_numbered(response, numbers), summary=answer, final_answer=answer)
    if details := response.details:
        sources = tuple(sorted(details.sources, key=lambda source: source.id))
        details = replace(details, answer=_rewritten(details.answer, numbers), sources=sources)
    sources = tuple(sorted(response.sources, key=lambda source: source.id))
    return replace(response, sources=sources, details=details)


def _rewritten(text: str, numbers: Mapping[int, int]) -> str:
    def new(mark: re.Match[str]) -> str:
        return f"[{numbers.get(int(mark[1]), int(mark[1]))}]" if mark[1] else mark[0]

    return _MARK.sub(new, text)


def _numbered(value: Any, numbers: Mapping[int, int], field: str = "") -> Any:
    """A value with the new number wherever one of its fields, or of those inside, holds an old."""
    if isinstance(value, tuple):
        return tuple(_numbered(inner, numbers, field) for inner in value)
    if isinstance(value, Value):
        names = field_names(type(value))
        return replace(value, **{n: _numbered(getattr(value, n), numbers, n) for n in names})
    return numbers.get(value, value) if isinstance(value, int) and field in _NUMBERS else value
