"""What passes between a run and the model that steers it: tool calls, results, moves."""

from __future__ import annotations

from leadline.frozen import frozen
from leadline.types.calling import BY_RULE, Made, Tool, ToolCall


@frozen
class Told:
    """What came of one tool call, as the model is told it. It is called `handle` afterwards.

    `parts` are shown while it is new, `line` ever after. Not `useful`: nothing was retrieved.
    """

    handle: str
    call: ToolCall
    line: str
    move: int = 0  # the move that it was called in
    parts: tuple[str, ...] = ()
    useful: bool = True


@frozen
class SoFar:
    """All that the model is shown before a move. The last `latest` of `told` are new.

    `notes` are the best words of earlier results.
    """

    task: str
    tools: tuple[Tool, ...]
    told: tuple[Told, ...] = ()
    latest: int = 0
    notes: tuple[str, ...] = ()
    left: int = 1  # moves, this one included
    urged: bool = False  # it was done once without having looked anything up
    seconds: float | None = None


@frozen
class Move:
    """What the model does next: calls, or words when it has enough; neither, it broke down."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    cut: bool = False
    model: str = ""
    made: Made = BY_RULE


@frozen
class Figure:
    """A worked out expression, or what is wrong with it."""

    expression: str
    value: str = ""
    wrong: str = ""
