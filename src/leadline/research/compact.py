"""Compaction: older results in short for whoever reads the whole state; their text stays on record.

The state itself keeps every result, so that ranking, the gate and quotations work on whole texts;
`in_short` is what a reasoner is shown. A handle leads from a gist back to the journal.
"""

from __future__ import annotations

from collections.abc import Iterable

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
    shown = (replace(hit, text=gists.get(handle_of(hit), hit.text)) for hit in state.search_results)
    return replace(state, search_results=tuple(shown))


async def compacted(state: State, rules: Rules, run: Run) -> State:
    """The state after compaction, where tokens run low or the results as shown pass the limit."""
    spent = state.usage.prompt_tokens + state.usage.completion_tokens
    low = state.token_budget and spent > (1 - LOW_BUDGET) * state.token_budget
    if not (low or size_of(in_short(state)) > rules.compact_tokens) or not _older(state, rules):
        return state
    made = await run.last_step("compact", compact, state, rules)
    return replace(state, compacted=state.compacted + made.gists)


async def compact(state: State, rules: Rules) -> Compaction:
    """Gists of the older results."""
    wanted = set(content_words(" ".join([state.task, *state.gaps])))
    gists = tuple(Gist(handle_of(hit), gist(hit.text, wanted)) for hit in _older(state, rules))
    short = replace(state, compacted=state.compacted + gists)
    return Compaction(size_of(in_short(state)), size_of(in_short(short)), gists)


def size_of(state: State) -> int:
    """Tokens of the results and the knowledge, which are nearly all of a state."""
    from leadline.text.tokens import count_tokens  # not before the first search

    texts = [f"{hit.title}{hit.url}{hit.text}" for hit in state.search_results]
    return sum(map(count_tokens, [state.knowledge.text, *texts]))


def _older(state: State, rules: Rules) -> list[Hit]:
    """Results before the newest that are long and not in short yet."""
    known = {gist.handle for gist in state.compacted}
    older = state.search_results[: max(len(state.search_results) - rules.compact_keep, 0)]
    return [hit for hit in older if len(hit.text) > GIST_CHARS and handle_of(hit) not in known]


def gist(text: str, wanted: set[str]) -> str:
    """The sentences with the most wanted words, in their order; never a cut one but the first."""
    spans = [span.text for span in sentences(text)]
    weights = [len(wanted & set(content_words(span))) for span in spans]
    chosen: list[int] = []
    room = GIST_CHARS
    for at in sorted(range(len(spans)), key=lambda at: (-weights[at], at)):
        if len(spans[at]) < room:
            chosen.append(at)
            room -= len(spans[at]) + 1
    return " ".join(spans[at] for at in sorted(chosen)) or text[:GIST_CHARS].rsplit(" ", 1)[0]


def resolve(handle: str, rows: Iterable[Row]) -> str | None:
    """The whole text that `hit:…` or `page:…` stands for, from the journal of the run."""
    for row in rows:
        if row.name == "search" and isinstance(row.value, dict):
            for hit in (Hit(**one) for one in row.value.get("hits") or ()):
                if handle_of(hit) == handle:
                    return hit.text
        if row.name == "read" and isinstance(row.value, dict):
            text = str(row.value.get("text", ""))
            if f"page:{content_id(text)}" == handle:
                return text
    return None
