"""Each dialect builds the request its server wants and reads the reply it gives (L1, L5)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from leadline.errors import ReasonerFailed
from leadline.models.anthropic import AnthropicDialect
from leadline.models.client import Endpoint, HttpModel
from leadline.models.google import GoogleDialect
from leadline.models.ollama import OllamaDialect
from leadline.models.openai import OpenAIDialect
from leadline.models.wire import Dialect, Secret
from leadline.types import Ask, Completion

KEY = Secret("sk-very-secret-0123456789")
PNG = b"\x89PNG\r\n\x1a\n0000"


@dataclass(frozen=True)
class Reply:
    query: str
    done: bool = False


ASK = Ask("Be brief.", "What next?", max_tokens=77, temperature=0.3)
Answering = Callable[[dict[str, Any]], tuple[int, Any]]


class Server:
    """Answers requests by a function of their body and keeps them."""

    def __init__(self, answer: Answering) -> None:
        self._answer = answer
        self.requests: list[httpx2.Request] = []
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        self.bodies.append(json.loads(request.content))
        status, body = self._answer(self.bodies[-1])
        if isinstance(body, str):
            return httpx2.Response(status, text=body)
        return httpx2.Response(status, json=body)


def model(dialect: Dialect, server: Server, timeout_s: float = 5.0) -> HttpModel:
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(server))
    endpoint = Endpoint("test:model", "http://models.test/v1", 4096, timeout_s, KEY)
    return HttpModel(endpoint, dialect, client)


def complete(dialect: Dialect, server: Server, ask: Ask = ASK) -> Completion:
    return asyncio.run(model(dialect, server).complete(ask))


def streamed(dialect: Dialect, server: Server, ask: Ask = ASK) -> list[str | Completion]:
    async def collect() -> list[str | Completion]:
        return [piece async for piece in model(dialect, server).stream(ask)]

    return asyncio.run(collect())


def openai_reply(text: str, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}} | more
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {"model": "m", "choices": [choice], "usage": usage}


OPENAI, OLLAMA = OpenAIDialect("m", KEY), OllamaDialect("qwen3", 4096, "10m")
ANTHROPIC, GOOGLE = AnthropicDialect("claude", KEY), GoogleDialect("gemini", KEY)


# ── OpenAI and what speaks like it ──────────────────────────────────────────────────────────


@pytest.mark.contract("L1", "L4")
def test_openai_is_asked_and_read() -> None:
    server = Server(lambda body: (200, openai_reply("Search.", finish_reason="length")))
    assert complete(OPENAI, server) == Completion("Search.", 12, 3, 0.0, "test:model", cut=True)
    assert str(server.requests[0].url) == "http://models.test/v1/chat/completions"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.bodies[0] == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What next?"},
        ],
        "max_tokens": 77,
        "temperature": 0.3,
    }


@pytest.mark.contract("L3")
def test_openai_is_given_the_schema() -> None:
    server = Server(lambda body: (200, openai_reply('{"query": "x"}')))
    complete(OPENAI, server, Ask("Be brief.", "What next?", Reply))
    form = server.bodies[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"]["required"] == ["query", "done"]
    assert server.bodies[0]["messages"][0]["content"] == "Be brief."


@pytest.mark.contract("L3")
@pytest.mark.parametrize(
    "refusal",
    [
        {"error": {"message": "response_format.type must be text or json_object"}},
        {"detail": [{"msg": "Extra inputs are not permitted", "loc": ["response_format"]}]},
        "Bad Request",
    ],
)
def test_an_endpoint_without_schemas_is_told_in_words_and_remembered(refusal: Any) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        return (400, refusal) if "response_format" in body else (200, openai_reply("{}"))

    async def twice(asked: HttpModel) -> None:
        await asked.complete(Ask("Be brief.", "What next?", Reply))
        await asked.complete(Ask("Be brief.", "And then?", Reply))

    server = Server(answer)
    asyncio.run(twice(model(OPENAI, server)))
    assert len(server.bodies) == 3
    assert '{"query": "text", "done": true}' in server.bodies[1]["messages"][0]["content"]
    assert "response_format" not in server.bodies[2]


@pytest.mark.contract("L1")
def test_an_endpoint_that_wants_other_names_gets_them() -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        if "max_tokens" in body:
            said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return 400, {"error": {"message": said}}
        if "temperature" in body:
            return 400, {"error": {"message": "'temperature' does not support 0.3"}}
        return 200, openai_reply("ok")

    server = Server(answer)
    assert complete(OPENAI, server).text == "ok"
    assert server.bodies[-1]["max_completion_tokens"] == 77


@pytest.mark.contract("V1")
def test_openai_sees_images() -> None:
    server = Server(lambda body: (200, openai_reply("A chart.")))
    complete(OPENAI, server, Ask("", "Describe.", images=(PNG,)))
    text, image = server.bodies[0]["messages"][1]["content"]
    assert text == {"type": "text", "text": "Describe."}
    assert image["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


@pytest.mark.contract("L1", "L4")
def test_openai_streams_and_counts_at_the_end() -> None:
    events = [
        {"choices": [{"delta": {"role": "assistant", "content": ""}}]},
        {"choices": [{"delta": {"content": "The "}}]},
        {"choices": [{"delta": {"content": "end."}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.01}},
    ]
    lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    server = Server(lambda body: (200, f": ping\n\n{lines}data: [DONE]\n\n"))
    assert streamed(OPENAI, server) == [
        "The ",
        "end.",
        Completion("The end.", 9, 2, 0.01, "test:model"),
    ]
    assert server.bodies[0]["stream"] is True


# ── Ollama ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L1", "L5")
def test_ollama_is_told_its_context_length_and_how_long_to_stay() -> None:
    said = {"message": {"role": "assistant", "content": "Search."}, "done_reason": "stop"}
    counts = {"done": True, "prompt_eval_count": 12, "eval_count": 3}
    server = Server(lambda body: (200, said | counts))
    done = complete(OLLAMA, server, Ask("Be brief.", "What next?", Reply, 77, 0.3, (PNG,)))
    assert done == Completion("Search.", 12, 3, 0.0, "test:model")
    body = server.bodies[0]
    assert str(server.requests[0].url).endswith("/api/chat")
    assert body["options"] == {"num_ctx": 4096, "num_predict": 77, "temperature": 0.3}
    assert body["keep_alive"] == "10m"
    assert body["format"]["required"] == ["query", "done"]
    assert body["messages"][1]["images"][0].startswith("iVBOR")
    assert body["stream"] is False


@pytest.mark.contract("L1")
def test_ollama_streams_lines() -> None:
    lines = [
        {"message": {"content": "The "}, "done": False},
        {"message": {"content": "end."}, "done": False},
        {"message": {"content": ""}, "done": True, "prompt_eval_count": 9, "eval_count": 2},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    pieces = streamed(OLLAMA, Server(lambda body: (200, text)))
    assert pieces == ["The ", "end.", Completion("The end.", 9, 2, 0.0, "test:model")]


def test_an_error_in_the_middle_of_a_stream_is_a_failure() -> None:
    text = '{"message": {"content": "The "}}\n{"error": "out of memory"}\n'
    with pytest.raises(ReasonerFailed, match="out of memory"):
        streamed(OLLAMA, Server(lambda body: (200, text)))


# ── Anthropic ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L1", "L4")
def test_anthropic_is_asked_and_read() -> None:
    said = {
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Search."}],
        "stop_reason": "max_tokens",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 2, "output_tokens": 3},
    }
    server = Server(lambda body: (200, said))
    done = complete(ANTHROPIC, server, Ask("Be brief.", "What next?", Reply, images=(PNG,)))
    assert done == Completion("Search.", 12, 3, 0.0, "test:model", cut=True)
    assert server.requests[0].headers["x-api-key"] == KEY
    assert server.requests[0].headers["anthropic-version"]
    body = server.bodies[0]
    assert body["system"] == "Be brief."
    assert body["output_config"]["format"]["schema"]["required"] == ["query", "done"]
    assert [part["type"] for part in body["messages"][0]["content"]] == ["image", "text"]


@pytest.mark.contract("L1")
def test_anthropic_streams() -> None:
    events = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "The end."}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ]
    text = "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in events)
    pieces = streamed(ANTHROPIC, Server(lambda body: (200, text)))
    assert pieces == ["The end.", Completion("The end.", 9, 2, 0.0, "test:model")]


def test_a_model_that_declines_is_a_failure_and_not_an_answer() -> None:
    said = {"content": [], "stop_reason": "refusal", "usage": {}}
    with pytest.raises(ReasonerFailed, match="declined") as failed:
        complete(ANTHROPIC, Server(lambda body: (200, said)))
    assert failed.value.type == "refused"


# ── Google ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L1", "L4")
def test_google_is_asked_and_read() -> None:
    parts = [{"text": "hm", "thought": True}, {"text": "Search."}]
    said = {
        "candidates": [{"content": {"parts": parts}, "finishReason": "MAX_TOKENS"}],
        "usageMetadata": {
            "promptTokenCount": 12,
            "candidatesTokenCount": 2,
            "thoughtsTokenCount": 1,
        },
    }
    server = Server(lambda body: (200, said))
    done = complete(GOOGLE, server, Ask("Be brief.", "What next?", Reply, images=(PNG,)))
    assert done == Completion("Search.", 12, 3, 0.0, "test:model", cut=True)
    url = server.requests[0].url
    assert url.path.endswith("/v1beta/models/gemini:generateContent")
    assert KEY not in str(url)
    assert server.requests[0].headers["x-goog-api-key"] == KEY
    config = server.bodies[0]["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"]["required"] == ["query", "done"]


@pytest.mark.contract("L1")
def test_google_streams() -> None:
    events = [
        {"candidates": [{"content": {"parts": [{"text": "The "}]}}]},
        {
            "candidates": [{"content": {"parts": [{"text": "end."}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2},
        },
    ]
    text = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events)
    server = Server(lambda body: (200, text))
    assert streamed(GOOGLE, server)[-1] == Completion("The end.", 9, 2, 0.0, "test:model")
    assert server.requests[0].url.query == b"alt=sse"


def test_a_prompt_that_google_blocks_is_a_failure() -> None:
    said = {"promptFeedback": {"blockReason": "SAFETY"}}
    with pytest.raises(ReasonerFailed, match="SAFETY"):
        complete(GOOGLE, Server(lambda body: (200, said)))


# ── what goes wrong ─────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L3", "L5")
@pytest.mark.parametrize(
    ("status", "said", "type", "retryable"),
    [
        (401, "bad key", "refused", False),
        (402, "Insufficient credits", "refused", False),
        (404, "model 'm' not found", "missing", False),
        (400, "The model `m` does not exist", "missing", False),
        (400, "This model's maximum context length is 4096 tokens", "overlong", False),
        (
            400,
            "the request exceeds the available context size, try increasing it",
            "overlong",
            False,
        ),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "overlong", False),
        (413, "input is too large", "overlong", False),
        (429, "slow down", "busy", True),
        (529, "overloaded", "busy", True),
        (503, "", "busy", True),
        (418, "a teapot", "failed", False),
        (307, "", "failed", False),
    ],
)
def test_a_refusal_is_typed(status: int, said: str, type: str, retryable: bool) -> None:
    server = Server(lambda body: (status, {"error": {"message": said}}))
    with pytest.raises(ReasonerFailed) as failed:
        complete(OPENAI, server)
    assert (failed.value.type, failed.value.retryable) == (type, retryable)
    assert str(failed.value).startswith("test:model: ")
    assert len(server.bodies) == 1


@pytest.mark.contract("X2")
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_a_key_is_never_in_an_error(status: int) -> None:
    said = {"error": {"message": f"the key {KEY} is wrong"}}
    with pytest.raises(ReasonerFailed) as failed:
        complete(OPENAI, Server(lambda body: (status, said)))
    shown = f"{failed.value!r}{failed.value}{failed.value.__cause__!r}"
    assert KEY not in shown
    assert KEY not in repr(OPENAI)
    assert KEY not in repr(OPENAI.request(ASK, frozenset(), stream=False))


@pytest.mark.contract("L3")
@pytest.mark.parametrize("body", ["<html>", "{}", "[]", '{"choices": []}', "null", '"text"'])
def test_a_reply_of_an_unknown_shape_is_a_failure(body: str) -> None:
    with pytest.raises(ReasonerFailed, match="shape we do not know"):
        complete(OPENAI, Server(lambda _: (200, body)))


@pytest.mark.parametrize(
    ("raised", "type"),
    [
        (httpx2.ConnectError("no"), "unreachable"),
        (httpx2.ReadTimeout("no"), "timeout"),
        (httpx2.RemoteProtocolError("no"), "busy"),
    ],
)
def test_a_broken_connection_is_typed(raised: httpx2.TransportError, type: str) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        raise raised

    with pytest.raises(ReasonerFailed) as failed:
        complete(OPENAI, Server(answer))
    assert (failed.value.type, failed.value.retryable) == (type, True)
    with pytest.raises(ReasonerFailed):
        streamed(OPENAI, Server(answer))


@pytest.mark.contract("R7")
def test_an_answer_that_takes_too_long_is_given_up() -> None:
    async def never(request: httpx2.Request) -> httpx2.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async def ask(streaming: bool) -> None:
        client = httpx2.AsyncClient(transport=httpx2.MockTransport(never))
        asked = HttpModel(Endpoint("test:model", "http://m.test", 4096, 0.05), OPENAI, client)
        if streaming:
            assert not [piece async for piece in asked.stream(ASK)]
        else:
            await asked.complete(ASK)

    for streaming in (False, True):
        with pytest.raises(ReasonerFailed, match=r"within 0.05 s") as failed:
            asyncio.run(ask(streaming))
        assert failed.value.type == "timeout"
