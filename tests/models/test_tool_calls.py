"""Each dialect offers tools and reads calls as its server documents them (D5, L1)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from leadline.fakes.model import ScriptedModel
from leadline.models.anthropic import AnthropicDialect
from leadline.models.client import Endpoint, HttpModel
from leadline.models.google import GoogleDialect
from leadline.models.kept import CallBook, KeptModel
from leadline.models.ollama import OllamaDialect
from leadline.models.openai import OpenAIDialect
from leadline.models.wire import Dialect
from leadline.text.tokens import Counter
from leadline.types import Ask, Completion, Tool, ToolCall, Turn
from leadline.values import replace
from leadline.write.prompt_fit import tokens_of


@dataclass(frozen=True)
class Look:
    query: str
    k: int = 5


LOOK = Tool("look", "Look something up.", Look)
CALL = ToolCall("look", '{"query": "tides", "k": 2}')
TURNS = (
    Turn((CALL, CALL), ("r1: 2 hits", "asked before"), "Find out about tides."),
    Turn((ToolCall("look", "not json"),), ("r2: no JSON",)),
)
ASK = Ask("Be brief.", "What next?", tools=(LOOK,), turns=TURNS)
Answer = Callable[[dict[str, Any]], tuple[int, Any]]


def asked(dialect: Dialect, answer: Answer, ask: Ask = ASK, times: int = 1) -> Any:
    bodies: list[dict[str, Any]] = []

    def serve(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        status, body = answer(bodies[-1])
        return httpx2.Response(status, json=body)

    async def go() -> Completion:
        client = httpx2.AsyncClient(transport=httpx2.MockTransport(serve))
        model = HttpModel(Endpoint("m", "http://models.test/v1", 4096), dialect, client)
        for _ in range(times):
            done = await model.complete(ask)
        return done

    return asyncio.run(go()), bodies


def openai(message: dict[str, Any], reason: str = "tool_calls") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": reason}
    return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}


@pytest.mark.contract("D5", "L1")
def test_openai_is_offered_tools_and_its_calls_are_read() -> None:
    call = {"id": "call_a", "type": "function"}
    call["function"] = {"name": "look", "arguments": '{"query": "moon"}'}  # type: ignore[assignment]
    done, bodies = asked(
        OpenAIDialect("m"), lambda body: (200, openai({"content": None, "tool_calls": [call]}))
    )
    assert done.calls == (ToolCall("look", '{"query": "moon"}'),)
    assert done.text == ""
    function = bodies[0]["tools"][0]["function"]
    assert (function["name"], function["description"]) == ("look", "Look something up.")
    assert function["parameters"]["required"] == ["query"]
    assert set(function["parameters"]["properties"]) == {"query", "k"}
    roles = [message["role"] for message in bodies[0]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "tool", "user"]
    made, result = bodies[0]["messages"][2], bodies[0]["messages"][3]
    assert made["tool_calls"][0]["function"]["arguments"] == CALL.arguments
    assert made["tool_calls"][0]["id"] == result["tool_call_id"]
    assert bodies[0]["messages"][-1]["content"] == "What next?"


@pytest.mark.contract("D5", "L1")
def test_ollama_is_offered_tools_and_its_calls_are_read() -> None:
    message = {"role": "assistant", "content": ""}
    calls = [{"function": {"name": "look", "arguments": {"query": "moon"}}}]
    reply = {"message": message | {"tool_calls": calls}, "done": True, "prompt_eval_count": 5}
    done, bodies = asked(OllamaDialect("qwen3", 4096), lambda body: (200, reply))
    assert done.calls == (ToolCall("look", '{"query": "moon"}'),)
    made = bodies[0]["messages"][2]["tool_calls"][0]["function"]
    assert made == {"name": "look", "arguments": {"query": "tides", "k": 2}}
    told = {"role": "tool", "tool_name": "look", "content": "r1: 2 hits"}
    assert bodies[0]["messages"][3] == told
    assert bodies[0]["tools"][0]["function"]["name"] == "look"


@pytest.mark.contract("D5", "L1")
def test_anthropic_is_offered_tools_and_its_calls_are_read() -> None:
    used = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"query": "moon"}}
    content = [{"type": "text", "text": "Let me look."}, used]
    reply = {"content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 3}}
    done, bodies = asked(AnthropicDialect("claude"), lambda body: (200, reply))
    assert done.calls == (ToolCall("look", '{"query": "moon"}'),)
    messages = bodies[0]["messages"]
    assert [message["role"] for message in messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    ids = [part["id"] for part in messages[1]["content"]]
    assert [part["tool_use_id"] for part in messages[2]["content"]] == ids
    assert len(set(ids)) == 2
    last = messages[-1]["content"]
    assert [part["type"] for part in last] == ["tool_result", "text"]
    assert bodies[0]["tools"][0]["input_schema"]["required"] == ["query"]


@pytest.mark.contract("D5", "L1")
def test_google_is_offered_tools_and_its_calls_are_read() -> None:
    part = {"functionCall": {"name": "look", "args": {"query": "moon"}}, "thoughtSignature": "x"}
    reply = {"candidates": [{"content": {"role": "model", "parts": [part]}}]}
    done, bodies = asked(GoogleDialect("gemini"), lambda body: (200, reply))
    assert done.calls == (ToolCall("look", '{"query": "moon"}'),)
    declared = bodies[0]["tools"][0]["functionDeclarations"][0]
    assert declared["parametersJsonSchema"]["required"] == ["query"]
    contents = bodies[0]["contents"]
    assert [one["role"] for one in contents][:3] == ["user", "model", "user"]
    response = contents[2]["parts"][0]["functionResponse"]
    assert response == {"name": "look", "response": {"result": "r1: 2 hits"}}
    assert contents[-1]["parts"] == [{"text": "What next?"}]


DIALECTS: list[tuple[Dialect, dict[str, Any]]] = [
    (OpenAIDialect("m"), openai({"content": "Hello."}, "stop")),
    (OllamaDialect("m", 4096), {"message": {"content": "Hello."}, "done": True}),
    (AnthropicDialect("m"), {"content": [{"type": "text", "text": "Hello."}]}),
    (GoogleDialect("m"), {"candidates": [{"content": {"parts": [{"text": "Hello."}]}}]}),
]


@pytest.mark.contract("D5", "L3")
@pytest.mark.parametrize(("dialect", "reply"), DIALECTS)
def test_a_server_that_refuses_tools_is_told_of_them_in_words(
    dialect: Dialect, reply: dict[str, Any]
) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        refused = {"error": {"message": "this model does not support tools"}}
        return (400, refused) if "tools" in body else (200, reply)

    done, bodies = asked(dialect, answer, times=2)
    assert done.text == "Hello."
    assert ["tools" in body for body in bodies] == [True, False, False]
    sent = json.dumps(bodies[-1], ensure_ascii=False)
    assert "look" in sent
    assert "Look something up." in sent
    assert "r1: 2 hits" in sent
    assert "tool_result" not in sent
    assert "functionResponse" not in sent


@pytest.mark.contract("D5")
@pytest.mark.parametrize(("dialect", "reply"), DIALECTS)
def test_tools_are_told_in_words_from_the_start_where_that_is_wanted(
    dialect: Dialect, reply: dict[str, Any]
) -> None:
    _, bodies = asked(dialect, lambda body: (200, reply), replace(ASK, native=False))
    assert "tools" not in bodies[0]
    assert "Look something up." in json.dumps(bodies[0])


@pytest.mark.contract("D5")
def test_turns_without_tools_are_told_in_words() -> None:
    ask = replace(ASK, tools=())
    _, bodies = asked(OpenAIDialect("m"), lambda body: (200, openai({"content": "x"})), ask)
    assert [message["role"] for message in bodies[0]["messages"]] == ["system", "user"]
    assert "r1: 2 hits" in bodies[0]["messages"][1]["content"]


@pytest.mark.contract("L5")
@pytest.mark.parametrize(("dialect", "reply"), DIALECTS)
def test_tools_and_turns_are_counted_in_either_form(
    dialect: Dialect, reply: dict[str, Any]
) -> None:
    counter = Counter(margin=1.0)
    for ask in (ASK, replace(ASK, native=False)):
        _, bodies = asked(dialect, lambda body: (200, reply), ask)
        texts = " ".join(_texts(bodies[0]))
        assert tokens_of(ask, counter) >= counter.count(texts)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.items() for part in one for text in _texts(part)]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [str(value)] if isinstance(value, str) else []


@pytest.mark.contract("R9")
def test_calls_are_kept_and_read_back_and_other_turns_are_another_request(tmp_path: Path) -> None:
    script = ScriptedModel([Completion("", calls=(CALL,)), Completion("Done.")])

    async def go() -> list[Completion]:
        book = CallBook(tmp_path, "run")
        model = KeptModel(script, "producer", book)
        first = await model.complete(ASK)
        book.close()
        again = KeptModel(script, "producer", CallBook(tmp_path, "run"))
        return [first, await again.complete(ASK), await again.complete(replace(ASK, turns=()))]

    first, second, third = asyncio.run(go())
    assert first.calls == second.calls == (CALL,)
    assert third.text == "Done."
    assert len(script.asks) == 2
