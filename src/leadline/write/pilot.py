"""The model that steers a run: one prompt a move, built anew from what was done so far.

What was just retrieved stands last, right before the question. Of older results there is one line
each, as turns, and the best of their words; all of it is fitted to the window by the assembler.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from leadline.ports import Model
from leadline.text.tokens import Counter
from leadline.types import Ask, Completion, Move, SoFar, Told, ToolCall, Turn
from leadline.values import replace
from leadline.write.ask_model import Tally, Ways, attempt, called, request, task_section
from leadline.write.prompt_fit import section

ROLE = "producer"
MOVE_TOKENS = 1000  # of calls, and what a model thinks aloud before them
MOST_TOKENS = 24_000  # of a prompt with its answer: every move is paid for anew
TURNS_SHARE = 4  # one part in four of the window may go to the lines of earlier calls
LINE_CHARS = 600
OPENING = "Research the question below with your tools."
_URGED = (
    "You were done without having looked anything up, so nothing can be proven. Call a tool first. "
)


class ModelPilot:
    """Satisfies `ports.Pilot` over one model."""

    def __init__(self, model: Model, ways: Ways) -> None:
        self._model, self._ways = model, ways
        self.name = model.name

    async def decide(self, so_far: SoFar) -> Move:
        """The next calls, or words when it is done; one that gives neither is told in `made`."""
        tools = tuple(tool.name for tool in so_far.tools)

        async def ask(model: Tally) -> Completion:
            return await called(model, lambda window: self._request(model, so_far, window), tools)

        tally = Tally(self._model, ROLE, self._ways)
        done, made = await attempt(tally, ask, "The model could not go on", so_far.seconds)
        if done is None:
            return Move(made=made)
        return Move(done.text, done.calls, done.cut, done.model or self.name, made)

    def _request(self, model: Tally, so_far: SoFar, window: int) -> Ask:
        window = min(window, model.window, MOST_TOKENS)
        new = so_far.told[len(so_far.told) - so_far.latest :]
        results = [part for told in new for part in told.parts]
        urged = _URGED if so_far.urged and not so_far.told else ""
        build = request(
            model,
            "agent",
            [
                section("notes", *so_far.notes, share=2.0, empty="(nothing)"),
                section("results", *results, share=5.0, empty="(nothing)"),
                task_section(so_far.task),
            ],
            self._ways,
            about=so_far.task,
            max_tokens=MOVE_TOKENS,
            given={"next": f"{urged}Moves left, this one included: {so_far.left}."},
            temperature=self._ways.temperature(ROLE, 0.2),
            tools=so_far.tools,
            turns=turns_of(so_far.told, Counter(model.chars_per_token), window // TURNS_SHARE),
            native=not so_far.urged,
        )
        return build(window)


def turns_of(told: Sequence[Told], counter: Counter, room: int) -> tuple[Turn, ...]:
    """The calls so far, a line for each result; the oldest go where there is no room."""
    turns: list[Turn] = []
    moves = [list(some) for _, some in groupby(told, key=lambda one: one.move)]
    for some in reversed(moves):
        turn = Turn(tuple(_short(one.call) for one in some), tuple(_line(one) for one in some))
        words = [call.name + call.arguments for call in turn.calls]
        room -= counter.count("".join([*words, *turn.results])) + 40 * len(some)
        if room < 0:
            break
        turns.insert(0, turn)
    return (replace(turns[0], asked=OPENING), *turns[1:]) if turns else ()


def _line(told: Told) -> str:
    line = " ".join(told.line.split())
    return line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 2] + " …"


def _short(call: ToolCall) -> ToolCall:
    """Arguments beyond all reason are not shown again."""
    return call if len(call.arguments) <= LINE_CHARS else replace(call, arguments="{}")
