"""Compaction: older results in short for whoever reads the whole state; their text stays on record.

The state itself keeps every result, so that ranking, the gate and quotations work on whole texts;
`in_short` is what a reasoner is shown. A handle leads from a gist back to the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leadline.ports import Row, Run
from leadline.text.sentences import sentences
from leadline.text.words import content_words
from leadline.types import Compaction, Gist, Hit, Rules, State, content_id
from leadline.values import replace

GIST_CHARS = 320
LOW_BUDGET = 0.25  # of the tokens at the start


def handle_of(hit: Hit) -> str:
    """What finds the whole text of a result again."""
    return f"hit:{content_id(hit.url, str(hit.start), hit.text)}"


def in_short(state: State) -> State:
    """The state with the gist of every result that was compacted."""
    if not state.compacted:
        return state
    gists = {gist.handle: gist.text for gist in state.compacted}
    shown = (_shown(hit, gists) for hit in state.search_results)
    return replace(state, search_results=tuple(shown))


def _shown(hit: Hit, gists: dict[str, str]) -> Hit:
    text = gists.get(handle_of(hit))
    return hit if text is None else replace(hit, text=text)


async def compacted(state: State, rules: Rules, run: Run, *, writing: bool = False) -> State:
    """The state after compaction where it is due. Before writing it is looked at in any case."""
    if not writing and not (is_due(state, rules) and _older(state, rules)):
        return state
    made = await run.last_step("compact", compact, state, rules)
    return replace(state, compacted=state.compacted + made.gists)


def is_due(state: State, rules: Rules) -> bool:
    """Whether tokens run low, or the results as they are shown pass the limit."""
    spent = state.usage.prompt_tokens + state.usage.completion_tokens
    low = state.token_budget and spent > (1 - LOW_BUDGET) * state.token_budget
    return bool(low) or size_of(in_short(state)) > rules.compact_tokens


def size_of(state: State) -> int:
    """Tokens of the results and the knowledge, which are nearly all of a state."""
    from leadline.text.tokens import count_tokens  # not before the first search

    told = (f"{hit.title}{hit.url}{hit.text}" for hit in state.search_results)
    return count_tokens(state.knowledge.text) + sum(map(count_tokens, told))


async def compact(state: State, rules: Rules) -> Compaction:
    """Gists of the older results, where compaction is due; else nothing changes."""
    before = size_of(in_short(state))
    if not is_due(state, rules):
        return Compaction(before, before)
    wanted = set(content_words(" ".join([state.task, *state.gaps])))
    gists = tuple(Gist(handle_of(hit), gist(hit.text, wanted)) for hit in _older(state, rules))
    short = replace(state, compacted=state.compacted + gists)
    return Compaction(before, size_of(in_short(short)), gists)


def _older(state: State, rules: Rules) -> list[Hit]:
    """Results before the newest that are long and not in short yet."""
    known = {gist.handle for gist in state.compacted}
    older = state.search_results[: max(len(state.search_results) - rules.compact_keep, 0)]
    return [hit for hit in older if len(hit.text) > GIST_CHARS and handle_of(hit) not in known]


def gist(text: str, wanted: set[str]) -> str:
    """The sentences with the most wanted words, in their order; never a cut one but the first."""
    spans = [span.text for span in sentences(text)] or [text]
    told = [len(wanted & set(content_words(span))) for span in spans]
    chosen: list[int] = []
    room = GIST_CHARS
    for at in sorted(range(len(spans)), key=lambda at: (-told[at], at)):
        if len(spans[at]) + 1 <= room:
            chosen.append(at)
            room -= len(spans[at]) + 1
    if not chosen:
        return text[:GIST_CHARS].rsplit(" ", 1)[0]
    return " ".join(spans[at] for at in sorted(chosen))


# ── back to the whole text ──────────────────────────────────────────────────────────────────


def resolve(handle: str, rows: Iterable[Row]) -> str | None:
    """The whole text that `hit:…` or `page:…` stands for, from the journal of the run."""
    kind, _, key = handle.partition(":")
    for row in rows:
        for text, name in _texts(row, kind):
            if name == key:
                return text
    return None


def _texts(row: Row, kind: str) -> Sequence[tuple[str, str]]:
    if not isinstance(row.value, dict):
        return ()
    if kind == "hit" and row.name == "search":
        hits = [Hit(**hit) for hit in row.value.get("hits") or ()]
        return [(hit.text, handle_of(hit).partition(":")[2]) for hit in hits]
    if kind == "page" and row.name == "read":
        text = str(row.value.get("text", ""))
        return [(text, content_id(text))]
    return ()
