"""The model that steers a run: one prompt a move, built anew from what was done so far.

What was just retrieved stands last, right before the question. Of older results there is one line
each, as turns, and the best of their words; all of it is fitted to the window by the assembler.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from leadline.errors import BudgetSpent
from leadline.ports import Model
from leadline.text.tokens import Counter
from leadline.types import Ask, Completion, Move, SoFar, Told, ToolCall, Turn
from leadline.values import replace
from leadline.write.ask_model import (
    Build,
    Tally,
    Ways,
    attempt,
    called,
    request,
    task_section,
)
from leadline.write.by_model import REPORT_TOKENS, SMALLER
from leadline.write.prompt_fit import Section, section

ROLE = "producer"
MOST_TOKENS = 24_000  # of a prompt with its answer: every move is paid for anew
TURNS_SHARE = 4  # one part in four of the window may go to the lines of earlier calls
LINE_CHARS = 600
OPENING = "Research the question below with your tools."
_LAST = "No tool can be called any more. Answer now from what was found."
_URGED = (
    "You answered without having looked anything up, so nothing of it can be proven. "
    "Call a tool first."
)


class ModelPilot:
    """Satisfies `ports.Pilot` over one model."""

    def __init__(self, model: Model, ways: Ways) -> None:
        self._model, self._ways = model, ways
        self.name = model.name

    async def decide(self, so_far: SoFar) -> Move:
        """The next calls, or the answer; a model that gives neither is told of in `made`."""
        done, made = await attempt(
            self._model,
            ROLE,
            lambda model: self._asked(model, so_far),
            "The model could not go on",
            so_far.seconds,
        )
        if done is None:
            return Move(made=made)
        return Move(done.text, done.calls, done.cut, done.model or self.name, made)

    async def _asked(self, model: Tally, so_far: SoFar) -> Completion:
        tools = () if so_far.last else tuple(tool.name for tool in so_far.tools)
        for share in SMALLER if so_far.last else SMALLER[:1]:
            try:
                return await called(model, self._request(model, so_far, share), tools)
            except BudgetSpent as spent:
                refused = spent
        raise refused

    def _request(self, model: Tally, so_far: SoFar, share: float) -> Build:
        counter = Counter(model.chars_per_token)
        most = int(min(model.window, MOST_TOKENS) * share)

        def build(window: int) -> Ask:
            window = min(window, most)
            return request(
                model,
                "agent",
                _sections(so_far),
                self._ways,
                about=so_far.task,
                max_tokens=REPORT_TOKENS,
                given={"form": so_far.form, "next": _next(so_far)},
                temperature=self._ways.temperature(ROLE, 0.2),
                last=so_far.last,
                tools=() if so_far.last else so_far.tools,
                turns=turns_of(so_far.told, counter, window // TURNS_SHARE),
                native=not so_far.urged,
            )(window)

        return build


def _next(so_far: SoFar) -> str:
    if so_far.last:
        return _LAST
    left = f"Moves left, this one and the answer included: {so_far.left}."
    return f"{_URGED} {left}" if so_far.urged and not so_far.told else left


def _sections(so_far: SoFar) -> list[Section]:
    """The best of what was found earlier, then what is new, then the question."""
    new = so_far.told[len(so_far.told) - so_far.latest :]
    parts = tuple(part for told in new for part in told.parts)
    return [
        section("notes", *so_far.notes, share=2.0, empty="(nothing)"),
        Section("results", parts, share=5.0, empty="(nothing)"),
        task_section(so_far.task),
    ]


def turns_of(told: Sequence[Told], counter: Counter, room: int) -> tuple[Turn, ...]:
    """The calls so far, a line for each result; the oldest go where there is no room."""
    turns: list[Turn] = []
    grouped = [list(some) for _, some in groupby(told, key=lambda one: one.move)]
    for some in reversed(grouped):
        turn = Turn(tuple(_short(one.call) for one in some), tuple(_line(one) for one in some))
        words = [call.name + call.arguments for call in turn.calls]
        room -= counter.count("".join([*words, *turn.results])) + 40 * len(some)
        if room < 0:
            break
        turns.insert(0, turn)
    if not turns:
        return ()
    return (replace(turns[0], asked=OPENING), *turns[1:])


def _line(told: Told) -> str:
    line = " ".join(told.line.split())
    return line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 2] + " …"


def _short(call: ToolCall) -> ToolCall:
    """Arguments beyond all reason are not shown again."""
    return call if len(call.arguments) <= LINE_CHARS else replace(call, arguments="{}")
