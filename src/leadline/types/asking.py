"""What is asked: of providers, of a model, with its answers, and by a model that steers a run."""

from __future__ import annotations

from typing import Any, Literal

from leadline.types.kinds import Stop, TaskType, Tier
from leadline.values import Value


class Tool(Value):
    """Something a model may call: `takes` is a dataclass of its arguments."""

    name: str
    about: str
    takes: type[Any]


class ToolCall(Value):
    """What a model called, with its arguments as the JSON that it wrote."""

    name: str
    arguments: str = "{}"


class Turn(Value):
    """Calls that a model made earlier, one result a call; `asked` is what it was told before."""

    calls: tuple[ToolCall, ...]
    results: tuple[str, ...]
    asked: str = ""


class Ask(Value):
    """One request to a model. With a `schema`, a dataclass, the answer is to be JSON of it.

    `last` marks a call that writes the report: it may use what is kept back for that. With
    `tools` the answer may be calls of them; `turns` are the earlier calls, before `prompt`. Where
    not `native`, both are told in words.
    """

    system: str
    prompt: str
    schema: type[Any] | None = None
    max_tokens: int = 1024
    temperature: float = 0.0
    images: tuple[bytes, ...] = ()
    last: bool = False
    tools: tuple[Tool, ...] = ()
    turns: tuple[Turn, ...] = ()
    native: bool = True


class Completion(Value):
    """What a model answered and what it took. `cut` when it ran out of `max_tokens`."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    model: str = ""
    cut: bool = False
    seconds: float = 0.0
    calls: tuple[ToolCall, ...] = ()


class Call(Value):
    """One call as the trace and the bill show it; `error` is set when it brought nothing.

    `letters` is the weight of its prompt: with the tokens that it took, it tells how the model
    counts. It is 0 where the server did not say how many those were.
    """

    role: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    seconds: float
    error: str = ""
    letters: float = 0.0


class Made(Value):
    """How a step's result came about: which calls it took, and what went wrong on the way.

    `notes` are sentences for the report. `stop` is the limit that the next call would have passed.
    """

    calls: tuple[Call, ...] = ()
    notes: tuple[str, ...] = ()
    stop: Stop | None = None


BY_RULE = Made()  # no model had a part in it


class Query(Value):
    """What is sent to a provider, why, and which stage wrote it."""

    text: str
    intent: str = ""
    origin: Literal["plan", "gap", "reflect", "fallback", "agent"] = "plan"


class Plan(Value):
    """What the planner makes of a task. `opening` queries start at once, the rest wait."""

    search_queries: tuple[Query, ...]
    known_facts: tuple[str, ...] = ()
    knowledge_gaps: tuple[str, ...] = ()
    subtasks: tuple[str, ...] = ()
    tier: Tier = Tier.STANDARD
    task_type: TaskType = TaskType.RESEARCH
    language: str = "en"
    opening: int = 1
    wanted_items: int = 0
    made: Made = BY_RULE


class Told(Value):
    """What came of one tool call, as the model is told it. It is called `handle` afterwards.

    `parts` are shown while it is new, `line` ever after. Not `useful`: nothing was retrieved.
    """

    handle: str
    call: ToolCall
    line: str
    move: int = 0  # the move that it was called in
    parts: tuple[str, ...] = ()
    useful: bool = True


class SoFar(Value):
    """All that the model is shown before a move. The last `latest` of `told` are new.

    `notes` are the best words of earlier results. With `last` it must answer now.
    """

    task: str
    tools: tuple[Tool, ...]
    form: str = ""  # what the answer should look like
    told: tuple[Told, ...] = ()
    latest: int = 0
    notes: tuple[str, ...] = ()
    left: int = 1  # moves, this one included
    last: bool = False
    urged: bool = False  # it answered once without having looked anything up
    seconds: float | None = None


class Move(Value):
    """What the model does next: calls, or its answer; neither when it broke down."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    cut: bool = False
    model: str = ""
    made: Made = BY_RULE


class Figure(Value):
    """A worked out expression, or what is wrong with it."""

    expression: str
    value: str = ""
    wrong: str = ""
