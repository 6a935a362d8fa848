"""The end of a run: everything a face may want to show, in one value.

Within a run a source keeps the number that it was found with; what is handed out is numbered in the
order in which it is cited, so that a reader meets [1] first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from leadline.rank.novelty_summary import diagnosis
from leadline.text.urls import canonical
from leadline.types import (
    AgentResponse,
    Checked,
    Citation,
    Claim,
    Details,
    Quote,
    Source,
    State,
    Stop,
)
from leadline.values import replace

UNREACHED = "_No source could be reached: every search failed, so there is no answer._"
UNREAD = (
    "_No source could be read: every page that was tried was refused or lost, so there is no "
    "answer._"
)
_CUT_SHORT = frozenset({Stop.MAX_TIME, Stop.CANCELLED})  # there was no time to read

_MARK = re.compile(r"\[(\d{1,4})\]")
_CODE = re.compile(r"`[^`\n]+`")
_FENCE = re.compile(r"[>\s]*(?:```|~~~)")
_QUOTED_MARK = re.compile(r">\s*(?:\[\d{1,4}\]\s*)+$")

Numbers = Mapping[int, int]


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


# ── the numbers of sources ──────────────────────────────────────────────────────────────────


def renumbered(response: AgentResponse) -> AgentResponse:
    """`response` with its sources numbered as they are cited first, and listed in that order."""
    details = response.details
    texts = [response.final_answer, details.answer if details else ""]
    known = [one.id for one in (*response.sources, *(details.sources if details else ()))]
    others = [one.source for one in response.grounds] + [
        number for one in response.variants for number in (one.source, one.like)
    ]
    order = [number for text in texts for number in _cited(text) if number in known]
    numbers = {old: new for new, old in enumerate(dict.fromkeys([*order, *known, *others]), 1)}
    answer = _rewritten(response.final_answer, numbers)
    return replace(
        response,
        summary=answer,
        final_answer=answer,
        sources=_sorted(response.sources, numbers),
        claims=_claims(response.claims, numbers),
        dropped=_claims(response.dropped, numbers),
        disputes=tuple(
            replace(one, one=_quote(one.one, numbers), other=_quote(one.other, numbers))
            for one in response.disputes
        ),
        grounds=tuple(replace(one, source=numbers[one.source]) for one in response.grounds),
        variants=tuple(
            replace(one, source=numbers[one.source], like=numbers[one.like])
            for one in response.variants
        ),
        details=details
        and Details(
            _rewritten(details.answer, numbers),
            _claims(details.claims, numbers),
            _sorted(details.sources, numbers),
        ),
    )


def _cited(text: str) -> list[int]:
    return [int(mark[1]) for line in _open_lines(text) for mark in _MARK.finditer(line or "")]


def _rewritten(text: str, numbers: Numbers) -> str:
    def new(mark: re.Match[str]) -> str:
        return f"[{numbers.get(int(mark[1]), int(mark[1]))}]"

    lines = text.split("\n")
    for at, line in enumerate(_open_lines(text)):
        if line is not None:
            parts = re.split(f"({_CODE.pattern})", lines[at])
            lines[at] = "".join(
                part if odd % 2 else _MARK.sub(new, part) for odd, part in enumerate(parts)
            )
    return "\n".join(lines)


def _open_lines(text: str) -> list[str | None]:
    """The lines in which a number in brackets is a citation, without their code; None for the
    others: code, and quotations but for the mark below them."""
    found: list[str | None] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        quoted = line.startswith(">") and not _QUOTED_MARK.match(line)
        found.append(None if fenced or quoted else _CODE.sub("", line))
    return found


def _sorted(sources: Sequence[Citation], numbers: Numbers) -> tuple[Citation, ...]:
    new = (replace(one, id=numbers[one.id]) for one in sources)
    return tuple(sorted(new, key=lambda one: one.id))


def _claims(claims: Sequence[Claim], numbers: Numbers) -> tuple[Claim, ...]:
    return tuple(
        replace(
            one,
            sources=tuple(numbers.get(number, number) for number in one.sources),
            quote=one.quote and _quote(one.quote, numbers),
        )
        for one in claims
    )


def _quote(quote: Quote, numbers: Numbers) -> Quote:
    return replace(quote, source=numbers.get(quote.source, quote.source))
