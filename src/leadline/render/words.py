"""The sentences every face uses to say how a run went: plain counts, limits, why it stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leadline.types import AgentResponse, Call, Claim, GateVerdict, Injection, Loss, Stop, Verdict

STOPPED = {
    Stop.SUFFICIENT: "reflection found the evidence sufficient",
    Stop.SATURATED: "the last results repeated what was already known",
    Stop.MAX_ITERS: "the limit on iterations was reached",
    Stop.MAX_QUERIES: "the limit on searches was reached",
    Stop.MAX_SOURCES: "the limit on sources was reached",
    Stop.MAX_TIME: "the time limit was reached",
    Stop.TOKEN_BUDGET: "the token budget was spent",
    Stop.MAX_COST: "the limit on cost was reached",
    Stop.DEGRADED: "too many searches failed, or no page could be read",
    Stop.CANCELLED: "the report was asked for before the search was over",
    Stop.ERROR: "an error ended it",
}

MENDED = 3  # notes on what went wrong and was mended, in a short report
SUSPECT = 0.5  # of an injection's score; below it a sentence is only worded like an order
_CHOSEN = frozenset({Stop.SUFFICIENT, Stop.SATURATED})


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 search`, `2 searches`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


# What went wrong on the way and was mended, or is only told: no answer is the worse for it.
_MENDED = frozenset({"merge", "retry", "fallback", "simpler"})


def unreached(response: AgentResponse) -> str:
    """Why there is no answer at all, in one line."""
    pages = [loss for loss in response.error_log if loss.stage == "read"]
    if pages:
        return f"no source could be read: {pages[0].what}: {pages[0].why}{_more(pages)}"
    searches = [loss for loss in response.error_log if loss.stage == "search"]
    if searches:
        first = f"the search {searches[0].what!r}: {searches[0].why}"
        return f"no source could be reached: {first}{_more(searches)}"
    lost = response.error_log[0].why if response.error_log else "no provider answered"
    return f"no source could be reached: {lost}"


def _more(losses: Sequence[Loss]) -> str:
    return f" (and {len(losses) - 1} more)" if len(losses) > 1 else ""


def memory_line(response: AgentResponse) -> str:
    """What came from earlier runs, in one sentence; "" where nothing did."""
    return f"From memory: {'; '.join(response.from_memory)}." if response.from_memory else ""


def limits_title(response: AgentResponse) -> str:
    """The heading of what `limits_met` and `lost` tell."""
    return "What limited this answer" if response.reached else "Why there is no answer"


def limits_met(response: AgentResponse) -> list[str]:
    """What kept the answer from being better, or from being there, one sentence each."""
    said: list[str] = [] if response.reached else _failed(response)
    if response.degraded and response.reached:
        said.append("Search was limited: the answer rests on partial information.")
    told = _CHOSEN if response.reached else _CHOSEN | {Stop.DEGRADED}
    if response.stop_reason not in told:
        said.append(f"The search ended early: {STOPPED[response.stop_reason]}.")
    return said


def _failed(response: AgentResponse) -> list[str]:
    """How many searches and pages could not be had, where nothing else was found."""
    searches = len({loss.what for loss in response.error_log if loss.stage == "search"})
    pages = len({loss.what for loss in response.error_log if loss.stage == "read"})
    said: list[str] = []
    if searches:
        made = max(searches, response.usage.searches)
        said.append(f"{searches} of {counted(made, 'search', 'searches')} failed.")
    if pages:
        tried = counted(pages + response.usage.pages, "page")
        said.append(f"{pages} of {tried} could not be read.")
    return said


def proof_lines(claims: Sequence[Claim]) -> list[str]:
    """How many claims are proven, and by what; that the others are only sourced, where any is."""
    counts = Counter(claim.verdict for claim in claims)
    quoted, judged = counts[Verdict.QUOTED], counts[Verdict.JUDGED]
    told: list[str] = []
    if quoted:
        told.append(f"{counted(quoted, 'claim is', 'claims are')} quoted: the words stand there.")
    if judged:
        told.append(
            f"{counted(judged, 'claim is', 'claims are')} judged: a model that passed its "
            "examination says that the sources say it."
        )
    if sourced := counts[Verdict.SOURCED]:
        told.append(
            f"{counted(sourced, 'claim is', 'claims are')} only sourced: names, numbers and dates "
            "stand in the sources, and nobody judged how they are related."
        )
    return told


def progress(response: AgentResponse) -> list[str]:
    """The run in plain counts; repetition is told, coverage is never claimed."""
    usage = response.usage
    hits = sum(verdict.hits for verdict in response.verdicts)
    counts = (
        f"{counted(usage.searches, 'search', 'searches')}, {counted(hits, 'result')}, "
        f"{counted(usage.pages, 'source')} read, {len(response.sources)} cited"
    )
    lines = ["; ".join([counts, *repetition(response.verdicts)]) + "."]
    if left := left_out(response):
        lines.append("Left out: " + "; ".join(left) + ".")
    lines += mended(response)
    lines += flagged(response)
    if response.stop_reason in _CHOSEN and response.details:
        lines.append(f"The search ended because {STOPPED[response.stop_reason]}.")
    lines += spent(response)
    asked = response.task.strip(" .?")  # where it is answered, not all of it is open
    gaps = [gap for gap in response.gaps if not response.found or gap.strip(" .?") != asked]
    if gaps:
        lines.append("No accepted passage supports yet: " + "; ".join(gaps) + ".")
    return lines


_LEFT = {
    "filter": "filtered out in {} by your lists and dates",
    "quota": "over the quota of a site in {}",
    "copy": "{} of what another source says",
    "said": "{} not read, the snippet being known",
    "memory": "{} not made, the answer being known from earlier runs",
}
_COUNTED = {
    "filter": ("search", "searches"),
    "quota": ("search", "searches"),
    "copy": ("copy", "copies"),
    "said": ("source", ""),
    "memory": ("search", "searches"),
}


def left_out(response: AgentResponse) -> list[str]:
    """How many results were skipped for which reason; nothing when none was."""
    counts = Counter[str](skip.kind for skip in response.skipped)
    return [
        _LEFT[kind].format(counted(counts[kind], *_COUNTED[kind]))
        for kind in _LEFT
        if kind in counts
    ]


def lost(response: AgentResponse) -> tuple[Loss, ...]:
    """All that could not be had or was kept out, each told once however often it was met."""
    cost = (loss for loss in response.error_log if loss.stage not in _MENDED)
    return tuple(dict.fromkeys((*cost, *removed(response))))


def mended(response: AgentResponse) -> list[str]:
    """What went wrong and was mended, or is to be known of the sources; each told once."""
    notes = [loss for loss in dict.fromkeys(response.error_log) if loss.stage in _MENDED]
    most = len(notes) if response.details else MENDED
    lines = [f"{loss.what}: {loss.why}." for loss in notes[:most]]
    if more := len(notes) - len(lines):
        lines.append(f"{counted(more, 'more note')} of this kind.")
    return lines


def removed(response: AgentResponse) -> tuple[Loss, ...]:
    """What was kept out because it gave orders to its reader, by where it came from."""
    by_source: dict[tuple[str, str], list[Injection]] = {}
    for one in response.injections:
        if one.done != "flagged":
            by_source.setdefault((one.door, one.source), []).append(one)
    return tuple(
        Loss(door, source, f"{_gone(found)}: {', '.join(dict.fromkeys(o.reason for o in found))}")
        for (door, source), found in by_source.items()
    )


def _gone(found: Sequence[Injection]) -> str:
    if any(one.done == "refused" for one in found):
        return "left out, as it gives orders to its reader"
    return f"{counted(len(found), 'passage that gives', 'passages that give')} orders removed"


def flagged(response: AgentResponse) -> list[str]:
    """How many texts were let in that may give orders to their reader."""
    found = [one for one in response.injections if one.done == "flagged"]
    suspect = {one.source for one in found if one.score >= SUSPECT}
    # Most of these are harmless: say it calmly, and not of the user's own manuals.
    worded = {one.source for one in found if one.door != "documents"} - suspect
    told: list[str] = []
    if suspect:
        told.append(
            f"{counted(len(suspect), 'source holds', 'sources hold')} text that reads like an "
            "instruction to a model; none of it is quoted."
        )
    if worded:
        told.append(
            f"{counted(len(worded), 'source has', 'sources have')} sentences worded like "
            "instructions to their reader; they were treated as data."
        )
    return told


def variants(response: AgentResponse) -> list[str]:
    """Sources that say the same with other numbers, by their numbers in the list of sources."""
    return [
        f"[{one.source}] says the same as [{one.like}] with other numbers"
        + (f" ({', '.join(one.numbers)} and {', '.join(one.others)})" if one.others else "")
        for one in response.variants
    ]


def spent(response: AgentResponse) -> list[str]:
    """What models took, in all and by role; nothing where none was asked."""
    if not response.calls:
        return []
    roles = dict.fromkeys(call.role for call in response.calls)
    parts = [
        _role_spent(role, [one for one in response.calls if one.role == role]) for role in roles
    ]
    usage = response.usage
    money = f" for ${usage.cost:.4f}" if usage.cost else ""
    return [
        f"{counted(usage.calls, 'model call')} took {usage.prompt_tokens:,} prompt and "
        f"{usage.completion_tokens:,} answer tokens{money} ({'; '.join(parts)})."
    ]


def _role_spent(role: str, calls: Sequence[Call]) -> str:
    models = ", ".join(dict.fromkeys(call.model for call in calls))
    return f"{role}: {len(calls)} by {models}"


def repetition(verdicts: tuple[GateVerdict, ...]) -> list[str]:
    """How much of the last batch had been seen before, once something could be repeated."""
    judged = [verdict for verdict in verdicts if verdict.hits]
    if len(judged) < 2:
        return []
    share = round(100 * judged[-1].repeated)
    return [f"{share} % of the last batch had been seen before (repetition)"]
