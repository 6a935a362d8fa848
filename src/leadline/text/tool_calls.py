"""Reads tool calls out of what a model wrote, for models that have no other way to call a tool.

They are told a form and write many: fenced, wrapped, named otherwise, as a list, between tags.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from leadline.text.model_json import json_values, without_thoughts
from leadline.types import ToolCall

MOST_PROSE = 400  # characters around calls: "Let me look that up first: …"
_NAMES = ("tool", "name", "tool_name", "function", "action", "function_name")
_GIVEN = ("arguments", "parameters", "args", "input", "action_input", "params")
_WRAPPED = ("tool_calls", "tools", "calls", "tool_call", "function_call")
_ANSWERS = ("answer", "final_answer", "final", "finish", "respond")


@dataclass(frozen=True)
class Said:
    """What a model said: calls, or an answer in words."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


def read_calls(text: str, tools: Collection[str]) -> Said:
    """The calls in `text`, else its words without thoughts. `tools` are the names there are.

    JSON that names none of them is a call only where it also gives arguments; and none is where
    it stands in a longer text, which is then an answer that shows some.
    """
    plain = without_thoughts(text)
    begins = min((at for at in (plain.find("{"), plain.find("[")) if at >= 0), default=len(plain))
    ends = max(plain.rfind("}"), plain.rfind("]")) + 1
    json_size = (ends if ends > begins else len(plain)) - begins
    if len(plain) - json_size > max(MOST_PROSE, json_size):
        return Said(plain)
    calls: list[ToolCall] = []
    for one in _inside(json_values(plain)):
        if isinstance(answer := _answer(one), str) and answer and not calls:
            return Said(answer)
        if (call := _call(one, tools)) is not None:
            calls.append(call)
    return Said(calls=tuple(dict.fromkeys(calls))) if calls else Said(plain)


def _inside(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for one in value:
            yield from _inside(one)
    elif isinstance(value, dict):
        wrapped = [value[name] for name in _WRAPPED if isinstance(value.get(name), list | dict)]
        if wrapped and not any(isinstance(value.get(name), str) for name in _NAMES):
            for one in wrapped:
                yield from _inside(one)
        else:
            yield value


def _answer(value: dict[str, Any]) -> str | None:
    """The words of an answer that was wrapped up like a call."""
    name = _name(value)
    if name in _ANSWERS:
        given = _given(value)
        words = [one for one in given.values() if isinstance(one, str)]
        return max(words, key=len, default=None)
    if name is None and len(value) == 1:
        key, words_only = next(iter(value.items()))
        return words_only if key in _ANSWERS and isinstance(words_only, str) else None
    return None


def _call(value: dict[str, Any], tools: Collection[str]) -> ToolCall | None:
    name = _name(value)
    if name is None:  # {"search_docs": {"query": …}}
        known = [key for key in value if key in tools]
        if len(known) != 1 or len(value) != 1:
            return None
        return _made(known[0], value[known[0]])
    if name not in tools and not any(key in value for key in _GIVEN):
        return None
    return _made(name, _given(value))


def _name(value: dict[str, Any]) -> str | None:
    for key in _NAMES:
        held = value.get(key)
        if isinstance(held, str) and held.strip():
            return held.strip()
        if isinstance(held, dict) and isinstance(held.get("name"), str):
            return str(held["name"]).strip()
    return None


def _given(value: dict[str, Any]) -> dict[str, Any]:
    inner = value.get("function")
    places = [inner, value] if isinstance(inner, dict) else [value]
    for place in places:
        for key in _GIVEN:
            if key in place:
                return _object(place[key])
    return {key: held for key, held in value.items() if key not in (*_NAMES, "id", "type")}


def _object(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = next(iter(json_values(value)), {"query": value})
    return value if isinstance(value, dict) else {}


def _made(name: str, given: Any) -> ToolCall:
    return ToolCall(name, json.dumps(_object(given), ensure_ascii=False))
