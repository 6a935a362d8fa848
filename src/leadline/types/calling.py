"""What is asked of a language model, what comes back, and the record of one call."""

from __future__ import annotations

from typing import Any

from leadline.types.kinds import Stop
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
