"""The one assembler: builds every prompt, counted and fitted to the model's window beforehand.

A prompt is a file with blanks. Short values of our own fill some; sections fill the others. When
not everything fits, room is shared among the sections and each keeps its best pieces, whole or cut
after a sentence. Outside text is fenced. What was left out is told, so that nothing is lost in
silence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from leadline.errors import ReasonerFailed
from leadline.frozen import frozen
from leadline.guard.prompt_fence import MARK_CHARS, fenced, mark_for, rule, without_ids
from leadline.prompts import Prompt
from leadline.text import images as image_text
from leadline.text.sentences import sentences
from leadline.text.shape import schema_text, shape_of
from leadline.text.tokens import Counter
from leadline.types import Ask, Tool, Turn

MESSAGE_TOKENS = 16  # what chat templates put around two messages
TOOLS_TOKENS = 350  # what servers put round tools, and ours for telling them in words
IMAGE_TOKENS = 1600  # the dearest of the common vision models takes about this for a large image
ANSWER_SHARE = 3  # an answer may take one part in three of a window that is too small for it
CUT = " […]"
ROUNDING = 1e-6  # sums of fractions of tokens may differ in the last place


@frozen
class Piece:
    """One thing a section may hold. `key` names it among those that were kept or left out."""

    text: str
    key: str = ""


@frozen
class Section:
    """What fills one blank: pieces, best first.

    `share` is its part of the room when there is too little for all. `edges` puts the best piece
    last and the second best first, where models look most. `needed` text is cut in the middle of
    a sentence rather than left out. Text that is not `outside` is ours or the user's own.
    """

    blank: str
    pieces: tuple[Piece, ...]
    share: float = 1.0
    outside: bool = True
    edges: bool = False
    needed: bool = False
    empty: str = "(none)"


@frozen
class Assembled:
    """A prompt ready to send, what it is counted at, and which pieces it holds."""

    ask: Ask
    tokens: int
    kept: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def section(blank: str, *texts: str, **options: Any) -> Section:
    """A section of texts that need no key."""
    return Section(blank, tuple(Piece(text) for text in texts if text.strip()), **options)


def assemble(
    prompt: Prompt,
    given: Mapping[str, str],
    sections: Sequence[Section],
    *,
    window: int,
    counter: Counter,
    max_tokens: int,
    schema: type[Any] | None = None,
    temperature: float = 0.0,
    images: tuple[bytes, ...] = (),
    salt: str = "",
    last: bool = False,
    tools: tuple[Tool, ...] = (),
    turns: tuple[Turn, ...] = (),
    native: bool = True,
) -> Assembled:
    """The request that `prompt` makes of these values, never over `window` with its answer."""
    max_tokens = min(max_tokens, max(1, window // ANSWER_SHARE))
    blank = Ask("", "", schema, max_tokens, temperature, images, last, tools, turns, native)
    room = window - max_tokens - _weight(blank, counter) - 1
    bare = _fill(prompt, given, sections, [()] * len(sections), salt)
    free = room - _size(bare, counter)
    if free < 0:
        raise ReasonerFailed(
            f"the prompt {prompt.name} does not fit: it takes {room - free:.0f} tokens without any "
            f"material, and the model's window of {window} leaves {room:.0f}",
            type="overlong",
        )
    filled = _fill(prompt, given, sections, _choose(sections, free, counter), salt)
    ask = replace(blank, system=filled.system, prompt=filled.user)
    return Assembled(ask, tokens_of(ask, counter), filled.kept, filled.left_out)


def tokens_of(ask: Ask, counter: Counter) -> int:
    """What a request is counted at before it is sent."""
    return math.ceil(_weight(ask, counter))


def _weight(ask: Ask, counter: Counter) -> float:
    told = f"{schema_text(ask.schema)}{shape_of(ask.schema)}" if ask.schema else ""
    told += "".join(map(_tool_text, ask.tools)) + "".join(map(_turn_text, ask.turns))
    words = counter.weigh(ask.system) + counter.weigh(ask.prompt) + counter.weigh(told)
    calls = sum(len(turn.calls) for turn in ask.turns)
    around = MESSAGE_TOKENS * (1 + len(ask.turns) + 2 * calls + len(ask.tools))
    around += TOOLS_TOKENS if ask.tools else 0
    return around + words + IMAGE_TOKENS * len(ask.images)


def _tool_text(tool: Tool) -> str:
    """Natively or in words: both are counted, since the server decides which it will be."""
    return f"{tool.name}{tool.about}" * 2 + f"{schema_text(tool.takes)}{shape_of(tool.takes)}"


def _turn_text(turn: Turn) -> str:
    calls = (f"{call.name}{call.arguments}" for call in turn.calls)
    return "".join([turn.asked, *calls, *turn.results])


def _size(filled: _Filled, counter: Counter) -> float:
    return counter.weigh(filled.system) + counter.weigh(filled.user)


# ── choosing ────────────────────────────────────────────────────────────────────────────────

Chosen = tuple[tuple[int, str], ...]  # which pieces of a section, best first, each as it is shown


def _choose(sections: Sequence[Section], free: float, counter: Counter) -> list[Chosen]:
    costs = [
        [counter.weigh(piece.text.strip()) + counter.weigh("\n\n") for piece in one.pieces]
        for one in sections
    ]
    fences = [_fence_cost(one, counter) if one.pieces else 0.0 for one in sections]
    wanted = [sum(cost) + fence for cost, fence in zip(costs, fences, strict=True)]
    shares = share_out(free, wanted, [one.share for one in sections])
    return [
        _best(one, cost, allowed - fence, counter)
        for one, cost, fence, allowed in zip(sections, costs, fences, shares, strict=True)
    ]


def share_out(free: float, wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Room for each, by weight; what one does not need goes to the others."""
    given = [0.0] * len(wanted)
    hungry = [i for i, want in enumerate(wanted) if want > 0 and weights[i] > 0]
    while hungry and free > 0:
        unit = free / sum(weights[i] for i in hungry)
        modest = [i for i in hungry if wanted[i] <= unit * weights[i]]
        for i in modest or hungry:
            given[i] = wanted[i] if modest else unit * weights[i]
        free -= sum(given[i] for i in modest or hungry)
        hungry = [i for i in hungry if i not in modest] if modest else []
    return given


def _best(one: Section, costs: Sequence[float], room: float, counter: Counter) -> Chosen:
    """Best pieces first while they fit; the first that does not is cut after a sentence."""
    chosen: list[tuple[int, str]] = []
    for number, (piece, cost) in enumerate(zip(one.pieces, costs, strict=True)):
        if cost <= room + ROUNDING:
            chosen.append((number, piece.text.strip()))
            room -= cost
        elif not any(text.endswith(CUT) for _, text in chosen):
            text, taken = _cut(piece.text.strip(), room, counter, anywhere=one.needed)
            if text:
                chosen.append((number, text))
                room -= taken
    return tuple(chosen)


def _cut(text: str, room: float, counter: Counter, *, anywhere: bool) -> tuple[str, float]:
    room -= counter.weigh(CUT) + counter.weigh("\n\n")
    end, used = 0, 0.0
    for span in sentences(text):
        used += counter.weigh(text[end : span.end])
        if used > room:
            break
        end = span.end
    if not end and anywhere:
        end = _letters_that_fit(text, room, counter)
    if not end:
        return "", 0.0
    cut = text[:end].rstrip() + CUT
    return cut, counter.weigh(cut) + counter.weigh("\n\n")


def _letters_that_fit(text: str, room: float, counter: Counter) -> int:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if counter.weigh(text[:middle]) <= room else (low, middle - 1)
    return low


# ── showing ─────────────────────────────────────────────────────────────────────────────────


@frozen
class _Filled:
    system: str
    user: str
    kept: tuple[str, ...]
    left_out: tuple[str, ...]


def _fill(
    prompt: Prompt,
    given: Mapping[str, str],
    sections: Sequence[Section],
    chosen: Sequence[Chosen],
    salt: str,
) -> _Filled:
    outside = [
        text
        for one, picked in zip(sections, chosen, strict=True)
        if one.outside
        for _, text in picked
    ]
    mark = mark_for(salt, outside)
    values = dict(given)
    kept: list[str] = []
    left_out: list[str] = []
    for one, picked in zip(sections, chosen, strict=True):
        values[one.blank] = _block(one, picked, mark)
        held = {number for number, _ in picked}
        for number, piece in enumerate(one.pieces):
            (kept if number in held else left_out).append(piece.key)
    system, user = prompt.fill(values)
    if any(one.outside and one.pieces for one in sections):
        system = f"{system}\n\n{rule(mark)}"
    # By what there is and not by what fits, so that it is counted before anything is fitted.
    own = (piece.text for one in sections if not one.outside for piece in one.pieces)
    if any(image_text.MARK in text for text in (*given.values(), *own)):
        system = f"{system}\n\n{image_text.RULE}"
    return _Filled(system, user, tuple(filter(None, kept)), tuple(filter(None, left_out)))


def _block(one: Section, picked: Chosen, mark: str) -> str:
    if not picked:
        return one.empty
    texts = [text for _, text in (at_the_edges(picked) if one.edges else picked)]
    return fenced(mark, one.blank, texts) if one.outside else "\n".join(texts)


def at_the_edges(ranked: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Best last, second best first, and so on towards the middle."""
    return [*ranked[1::2], *ranked[0::2][::-1]]


def _fence_cost(one: Section, counter: Counter) -> float:
    return counter.weigh(fenced("m" * MARK_CHARS, one.blank, ())) if one.outside else 0.0


def numbered(number: int, title: str, text: str, section_name: str = "") -> str:
    """A source's text as the writer sees it: title in bold, its id, a blank line, the words."""
    named = " ".join(f"{title} · {section_name}".split() if section_name else title.split())
    return f"**{named.replace('*', '') or 'Untitled'}**\n[{number}]\n\n{without_ids(text.strip())}"
