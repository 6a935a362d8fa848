"""Reads tool calls out of what a model wrote, for models that have no other way to call a tool.

They are told a form and write many: fenced, wrapped, named otherwise, as a list, between tags.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from leadline.text.model_json import json_values, without_thoughts
from leadline.types import ToolCall

MOST_PROSE = 400  # characters around calls: "Let me look that up first: …"
_NAMES = ("tool", "name", "tool_name", "function", "action", "function_name")
_GIVEN = ("arguments", "parameters", "args", "input", "action_input", "params")
_WRAPPED = ("tool_calls", "tools", "calls", "tool_call", "function_call")
_ANSWERS = ("answer", "final_answer", "final", "finish", "respond")


def read_calls(text: str, tools: Collection[str]) -> tuple[str, tuple[ToolCall, ...]]:
    """The words of an answer without thoughts, or else the calls in it. `tools` are the names.

    JSON that names none of them is a call only where it also gives arguments; and none is where
    it stands in a longer text, which is then an answer that shows some.
    """
    plain = without_thoughts(text)
    begins = min((at for at in (plain.find("{"), plain.find("[")) if at >= 0), default=len(plain))
    ends = max(plain.rfind("}"), plain.rfind("]")) + 1
    json_size = (ends if ends > begins else len(plain)) - begins
    if len(plain) - json_size > max(MOST_PROSE, json_size):
        return plain, ()
    calls: dict[ToolCall, None] = {}
    for value in _objects(json_values(plain)):
        name, given = _named(value, tools)
        words = [word for word in given.values() if isinstance(word, str)]
        if name in _ANSWERS and words and not calls:
            return max(words, key=len), ()
        if name in tools or (name and any(key in value for key in _GIVEN)):
            calls[ToolCall(name, json.dumps(given, ensure_ascii=False))] = None
    return ("", tuple(calls)) if calls else (plain, ())


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in lists and wrappings."""
    if isinstance(value, list):
        for item in value:
            yield from _objects(item)
    elif isinstance(value, dict):
        wrapped = [value[name] for name in _WRAPPED if isinstance(value.get(name), list | dict)]
        if wrapped and not any(isinstance(value.get(name), str) for name in _NAMES):
            yield from _objects(wrapped)
        else:
            yield value


def _named(value: dict[str, Any], tools: Collection[str]) -> tuple[str, dict[str, Any]]:
    """The name that an object calls, "" where it names none, and what it gives."""
    inner = value.get("function")
    places = [inner, value] if isinstance(inner, dict) else [value]
    for place in places:
        name = next((str(place[key]).strip() for key in _NAMES if _is_word(place.get(key))), "")
        if name:
            given = next((one[key] for one in places for key in _GIVEN if key in one), None)
            rest = {key: held for key, held in value.items() if key not in (*_NAMES, "id", "type")}
            return name, _object(rest if given is None else given)
    if len(value) == 1:  # {"search_docs": {"query": …}}, {"answer": "…"}
        name, given = next(iter(value.items()))
        if name in _ANSWERS:
            return name, value
        if name in tools:
            return name, _object(given)
    return "", {}


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _object(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = next(iter(json_values(value)), {"query": value})
    return value if isinstance(value, dict) else {}
