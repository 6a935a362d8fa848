"""Can a model call tools: natively, or when it is told of them in words?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from leadline.models.probe_asks import Examined
from leadline.prompts import load
from leadline.text.model_json import Unreadable, parse
from leadline.text.tool_calls import read_calls
from leadline.types import Ask, Tool
from leadline.values import replace

TASK = "How warm is it in Graufeld right now?"


@dataclass(frozen=True)
class Weather:
    place: Annotated[str, Meta(description="name of a town", min_length=1)]


TOOL = Tool("weather_now", "The weather of a town at this moment.", Weather)


@dataclass(frozen=True)
class Calling:
    """Whether it called the right tool with arguments that can be used; None was not asked."""

    native: bool | None = None
    in_words: bool | None = None

    @property
    def better_in_words(self) -> bool:
        return self.native is False and self.in_words is True


UNASKED = Calling()


async def calls_natively(model: Examined, room: int) -> bool:
    return await _calls(model, _ask(room))


async def calls_in_words(model: Examined, room: int) -> bool:
    return await _calls(model, replace(_ask(room), native=False))


def _ask(room: int) -> Ask:
    system, prompt = load("probe_tools").fill({"task": TASK})
    return Ask(system, prompt, None, room, tools=(TOOL,))


async def _calls(model: Examined, ask: Ask) -> bool:
    done = await model.complete(ask)
    calls = done.calls or read_calls(done.text, (TOOL.name,))[1]
    return any(call.name == TOOL.name and _usable(call.arguments) for call in calls)


def _usable(arguments: str) -> bool:
    try:
        return bool(parse(arguments, Weather).place.strip())
    except Unreadable:
        return False
