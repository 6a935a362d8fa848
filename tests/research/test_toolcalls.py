"""Calls in the forms that models write them in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.text.tool_calls import read_calls
from leadline.types import ToolCall

TOOLS = ("look", "open")
CALL = {"query": "tides", "k": 2}
WANTED = [("look", CALL)]


def pairs(text: str) -> list[tuple[str, object]]:
    return [(call.name, json.loads(call.arguments)) for call in read_calls(text, TOOLS)[1]]


@pytest.mark.contract("D5", "L3")
@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"tool": "look", "arguments": CALL}),
        json.dumps({"name": "look", "parameters": CALL}),
        json.dumps({"action": "look", "action_input": json.dumps(CALL)}),
        json.dumps({"function": {"name": "look", "arguments": json.dumps(CALL)}}),
        json.dumps({"type": "function", "function": {"name": "look", "arguments": CALL}}),
        json.dumps({"tool_calls": [{"name": "look", "arguments": CALL}]}),
        json.dumps([{"tool": "look", "arguments": CALL}]),
        json.dumps({"look": CALL}),
        json.dumps({"tool": "look"} | CALL),
        "```json\n" + json.dumps({"tool": "look", "arguments": CALL}) + "\n```",
        "<tool_call>\n" + json.dumps({"name": "look", "arguments": CALL}) + "\n</tool_call>",
        "<think>{'tool': 'open'}</think>" + json.dumps({"tool": "look", "arguments": CALL}),
        "I will look that up. " + json.dumps({"tool": "look", "arguments": CALL}),
        "{'tool': 'look', 'arguments': {'query': 'tides', 'k': 2,},}",
        '{"tool": "look", "arguments": {"query": "tides", "k": 2',
    ],
)
def test_a_call_is_read_whatever_it_is_wrapped_in(text: str) -> None:
    assert pairs(text) == WANTED


@pytest.mark.contract("D5")
def test_several_calls_are_read_in_their_order_and_each_once() -> None:
    one, two = {"tool": "look", "arguments": CALL}, {"tool": "open", "arguments": {"page": "3"}}
    text = f"{json.dumps([one, two])}\n{json.dumps(one)}"
    assert pairs(text) == [("look", CALL), ("open", {"page": "3"})]


@pytest.mark.contract("D5")
@pytest.mark.parametrize(
    "text",
    [
        "The tide is high [1].",
        'The setting is {"name": "max_connections", "value": 100} [2].',
        "Lists look like [1, 2, 3] in Python [4].",
        'It is {"look": "nice", "and": "warm"} [1].',
        "A long answer about tides and the moon. " * 20
        + json.dumps({"tool": "look", "arguments": CALL}),
    ],
)
def test_an_answer_that_shows_json_is_no_call(text: str) -> None:
    assert read_calls(text, TOOLS) == (text.strip(), ())


@pytest.mark.contract("D5")
@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"answer": "High [1]."}),
        json.dumps({"tool": "final_answer", "arguments": {"answer": "High [1]."}}),
        json.dumps({"name": "finish", "arguments": {"text": "High [1].", "n": 1}}),
    ],
)
def test_an_answer_wrapped_like_a_call_is_an_answer(text: str) -> None:
    assert read_calls(text, TOOLS) == ("High [1].", ())


def test_an_unknown_tool_is_still_a_call_so_that_it_can_be_told() -> None:
    _, calls = read_calls('{"tool": "rm", "arguments": {"path": "/"}}', TOOLS)
    assert calls == (ToolCall("rm", '{"path": "/"}'),)


@given(st.text(alphabet='{}[]":,look toarguments0\n<>', max_size=120))
def test_any_text_gives_calls_or_words_and_never_fails(text: str) -> None:
    words, calls = read_calls(text, TOOLS)
    assert not (calls and words)
    for call in calls:
        assert isinstance(json.loads(call.arguments), dict)
