"""The body of a broad report: paragraphs of the sources under the parts of the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from leadline.ports import Embedder
from leadline.question.analyse import as_asked
from leadline.rank.excerpts import Excerpt, excerpts
from leadline.text.quotes import plain
from leadline.types import Citation, Draft, Passage, State, TaskType, Tier
from leadline.write.wordings import Phrases, phrases
from leadline.write.writing import as_heading

ROOM = {Tier.SIMPLE: 0, Tier.STANDARD: 9000, Tier.DEEP: 15_000}  # characters of excerpts
BROAD = frozenset({TaskType.RESEARCH, TaskType.BEST_PRACTICES, TaskType.COMPARISON})
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"(\s*(?:[-*+]|\d{1,3}[.)])\s+)(.*)")
_ENOUGH = 2  # times the room: less text than that is told sentence by sentence


def with_excerpts(
    draft: Draft, state: State, passages: Sequence[Passage], embedder: Embedder
) -> Draft:
    """`draft` with its body replaced by excerpts, where the question is broad and there is text."""
    room = ROOM[state.plan.tier]
    text = sum(len(passage.text) for passage in passages)
    if not draft.found or state.plan.task_type not in BROAD or text < _ENOUGH * room or not room:
        return draft
    aspects = state.plan.knowledge_gaps
    own = frozenset(source.id for source in state.sources if source.kind == "document")
    chosen = excerpts(passages, state.task, aspects, embedder, room, own)
    if not chosen:
        return draft
    head, notes = _around(draft.answer)
    say = phrases(state.plan.language)
    body = _body(chosen, passages, state.task, aspects, notes, say)
    used = {passages[one.passage].source for one in chosen}
    return replace(
        draft,
        answer="\n\n".join(part for part in (head, *body, *notes) if part),
        citations=_cited(state, used, draft.citations),
    )


def _around(answer: str) -> tuple[str, list[str]]:
    """The direct answer before the first heading, and the notes after the last claim."""
    blocks = answer.split("\n\n")
    first = next((i for i, block in enumerate(blocks) if block.startswith("## ")), len(blocks))
    notes = [block for block in blocks[first:] if not re.match(r"## |- |>", block)]
    return "\n\n".join(blocks[:first]), notes


def _body(
    chosen: Sequence[Excerpt],
    passages: Sequence[Passage],
    task: str,
    aspects: Sequence[str],
    notes: list[str],
    say: Phrases,
) -> list[str]:
    """Under each part of the question the excerpts chosen for it, the best source's first.

    A note that a part was not found is taken from the `notes`: it belongs above what is nearest.
    """
    blocks: list[str] = []
    for aspect, label in enumerate(("", *aspects)):
        mine = _best_first([one for one in chosen if one.aspect == aspect], passages)
        if mine and len(aspects) > 1:
            heading = as_heading(as_asked(label, task))
            blocks.append(f"## {heading}")
            note = say.missing.format(what=heading)
            if note in notes:
                notes.remove(note)
                blocks += [note, f"_{say.nearest}_"]
        blocks += [_block(one, passages) for one in mine]
    return blocks


def _best_first(some: Sequence[Excerpt], passages: Sequence[Passage]) -> list[Excerpt]:
    """Sources by the worth of their best excerpt; those of one source in reading order."""
    best: dict[int, float] = {}
    for one in some:
        source = passages[one.passage].source
        best[source] = max(best.get(source, one.worth), one.worth)

    def place(one: Excerpt) -> tuple[float, int, int, int]:
        source = passages[one.passage].source
        return -best[source], source, one.passage, one.start

    return sorted(some, key=place)


def _block(one: Excerpt, passages: Sequence[Passage]) -> str:
    """The excerpt as a block quote that keeps its lines, with the number of its source."""
    passage = passages[one.passage]
    lines = list(_lines(passage.text[one.start : one.end]))
    quoted = [f"> {line}".rstrip() for line in lines]
    return "\n".join([*quoted, f"> [{passage.source}]"])


def _lines(text: str) -> list[str]:
    """The lines as a reader sees them: links and emphasis gone, lists and code kept."""
    shown: list[str] = []
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            shown.append(line.strip())
        elif fenced:
            shown.append(line)
        elif item := _ITEM.match(line):
            shown.append(item[1] + plain(item[2]))
        else:
            shown.append(plain(line))
    if fenced:
        shown.append("```")
    return shown


def _cited(state: State, used: set[int], before: Sequence[Citation]) -> tuple[Citation, ...]:
    known = used | {citation.id for citation in before}
    return tuple(
        Citation(source.id, source.title, source.kind, source.url)
        for source in state.sources
        if source.id in known
    )
