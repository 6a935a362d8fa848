"""The one assembler: builds every prompt, counted and fitted to the model's window beforehand.

A prompt is a file with blanks. Short values of our own fill some; sections fill the others. When
not everything fits, room is shared among the sections and each keeps its best texts, whole or cut
after a sentence. Outside text is fenced.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.errors import ReasonerFailed
from leadline.guard.prompt_fence import MARK_CHARS, fenced, mark_for, rule, without_ids
from leadline.prompts import Prompt
from leadline.text import images as image_text
from leadline.text.sentences import sentences
from leadline.text.shape import schema_text, shape_of
from leadline.text.tokens import Counter
from leadline.types import Ask, Tool, Turn
from leadline.values import replace

MESSAGE_TOKENS = 16  # what chat templates put around two messages
TOOLS_TOKENS = 350  # what servers put round tools, and ours for telling them in words
IMAGE_TOKENS = 1600  # the dearest of the common vision models takes about this for a large image
ANSWER_SHARE = 3  # an answer may take one part in three of a window that is too small for it
CUT = " […]"
ROUNDING = 1e-6  # sums of fractions of tokens may differ in the last place


@dataclass(frozen=True)
class Section:
    """What fills one blank: texts, best first.

    `share` is its part of the room when there is too little for all. `edges` puts the best text
    last and the second best first, where models look most. `needed` text is cut in the middle of
    a sentence rather than left out. Text that is not `outside` is ours or the user's own.
    """

    blank: str
    texts: tuple[str, ...]
    share: float = 1.0
    outside: bool = True
    edges: bool = False
    needed: bool = False
    empty: str = "(none)"


def section(blank: str, *texts: str, **options: Any) -> Section:
    """A section of those texts that say anything."""
    return Section(blank, tuple(text for text in texts if text.strip()), **options)


def assemble(
    prompt: Prompt,
    given: Mapping[str, str],
    sections: Sequence[Section],
    *,
    window: int,
    counter: Counter,
    max_tokens: int,
    salt: str = "",
    **options: Any,
) -> Ask:
    """The request that `prompt` makes of these values, never over `window` with its answer.

    `options` are further fields of `Ask`.
    """
    max_tokens = min(max_tokens, max(1, window // ANSWER_SHARE))
    blank = Ask("", "", max_tokens=max_tokens, **options)
    room = window - max_tokens - _weight(blank, counter) - 1
    system, user = _filled(prompt, given, sections, [()] * len(sections), salt)
    free = room - counter.weigh(system) - counter.weigh(user)
    if free < 0:
        raise ReasonerFailed(
            f"the prompt {prompt.name} does not fit: it takes {room - free:.0f} tokens without any "
            f"material, and the model's window of {window} leaves {room:.0f}",
            type="overlong",
        )
    system, user = _filled(prompt, given, sections, _chosen(sections, free, counter), salt)
    return replace(blank, system=system, prompt=user)


def tokens_of(ask: Ask, counter: Counter) -> int:
    """What a request is counted at before it is sent."""
    return math.ceil(_weight(ask, counter))


def _weight(ask: Ask, counter: Counter) -> float:
    shape = f"{schema_text(ask.schema)}{shape_of(ask.schema)}" if ask.schema else ""
    shape += "".join(map(_tool_text, ask.tools)) + "".join(map(_turn_text, ask.turns))
    words = counter.weigh(ask.system) + counter.weigh(ask.prompt) + counter.weigh(shape)
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


# ── choosing ────────────────────────────────────────────────────────────────────────────────

Chosen = tuple[str, ...]  # of the texts of a section, best first, each as it is shown


def _chosen(sections: Sequence[Section], free: float, counter: Counter) -> list[Chosen]:
    fences = [_fence_cost(one, counter) for one in sections]
    wanted = [
        sum(_cost(text, counter) for text in one.texts) + fence
        for one, fence in zip(sections, fences, strict=True)
    ]
    rooms = share_out(free, wanted, [one.share for one in sections])
    return [
        _best(one, room - fence, counter)
        for one, room, fence in zip(sections, rooms, fences, strict=True)
    ]


def _cost(text: str, counter: Counter) -> float:
    return counter.weigh(text.strip()) + counter.weigh("\n\n")


def _fence_cost(one: Section, counter: Counter) -> float:
    fence = fenced("m" * MARK_CHARS, one.blank, ()) if one.outside and one.texts else ""
    return counter.weigh(fence)


def share_out(free: float, wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Room for each, by weight; what one does not need goes to the others."""
    given = [0.0] * len(wanted)
    left = sum(weights)
    for at in sorted(range(len(wanted)), key=lambda at: wanted[at] / weights[at]):
        given[at] = min(wanted[at], max(free, 0.0) * weights[at] / left)
        free -= given[at]
        left = max(left - weights[at], ROUNDING)
    return given


def _best(one: Section, room: float, counter: Counter) -> Chosen:
    """Best texts first while they fit; the first that does not is cut after a sentence."""
    chosen: list[str] = []
    has_cut = False
    for text in map(str.strip, one.texts):
        if _cost(text, counter) > room + ROUNDING:
            text = "" if has_cut else _cut(text, room, counter, anywhere=one.needed)  # noqa: PLW2901
            has_cut = has_cut or bool(text)
        if text:
            chosen.append(text)
            room -= _cost(text, counter)
    return tuple(chosen)


def _cut(text: str, room: float, counter: Counter, *, anywhere: bool) -> str:
    """The sentences that fit; `anywhere` a part of the first, where not even that does."""
    room -= _cost(CUT, counter) + counter.weigh(" ")
    end, used = 0, 0.0
    for span in sentences(text):
        used += counter.weigh(text[end : span.end])
        if used > room:
            break
        end = span.end
    if not end and anywhere:
        end = len(text)
        while end and counter.weigh(text[:end]) > room:
            end = end * 9 // 10
    return text[:end].rstrip() + CUT if end else ""


# ── showing ─────────────────────────────────────────────────────────────────────────────────


def _filled(
    prompt: Prompt,
    given: Mapping[str, str],
    sections: Sequence[Section],
    chosen: Sequence[Chosen],
    salt: str,
) -> tuple[str, str]:
    """The two messages. What rules they need goes by what there is and not by what fits, so that
    they are counted before anything is fitted."""
    shown = list(zip(sections, chosen, strict=True))
    mark = mark_for(salt, [text for one, texts in shown if one.outside for text in texts])
    blocks = {one.blank: _block(one, texts, mark) for one, texts in shown}
    system, user = prompt.fill({**given, **blocks})
    user = re.sub(r"\n{3,}", "\n\n", user).strip()  # where a section that is empty stood
    if any(one.outside and one.texts for one in sections):
        system = f"{system}\n\n{rule(mark)}"
    own = (text for one in sections if not one.outside for text in one.texts)
    if any(image_text.MARK in text for text in (*given.values(), *own)):
        system = f"{system}\n\n{image_text.RULE}"
    return system, user


def _block(one: Section, chosen: Chosen, mark: str) -> str:
    if not chosen:
        return one.empty
    texts = at_the_edges(chosen) if one.edges else list(chosen)
    return fenced(mark, one.blank, texts) if one.outside else "\n".join(texts)


def at_the_edges(ranked: Sequence[str]) -> list[str]:
    """Best last, second best first, and so on towards the middle."""
    return [*ranked[1::2], *ranked[0::2][::-1]]


def numbered(number: int, title: str, text: str) -> str:
    """A source's text as a model sees it: its id and its title once, the words below."""
    name = " ".join(title.split())
    first, _, rest = text.strip().partition("\n")
    if re.sub(r"^#+\s*|\*\*", "", first).strip() in (name, ""):
        text = rest
    return f"[{number}] {name}".rstrip() + f"\n{without_ids(text.strip())}"
