"""`leadline doctor --model X` against a small server on loopback that speaks OpenAI's language."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fake_runs import Told

from brains import good, inventing
from leadline.models.profiles import Profile, read_profiles
from leadline.types import Ask, Completion

Call = Callable[..., Told]
pytestmark = pytest.mark.contract("L6")


class Served(BaseHTTPRequestHandler):
    """Answers by `brain`; takes no schema when `plain`."""

    brain: Callable[[Ask], Completion] = staticmethod(good)
    plain = False

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.plain and "response_format" in body:
            self._send(400, json.dumps({"error": {"message": "response_format is not supported"}}))
            return
        system, user = (message["content"] for message in body["messages"])
        shaped = Profile if "response_format" in body else None
        done = type(self).brain(Ask(system, user, shaped))
        pieces = [{"choices": [{"delta": {"content": word}}]} for word in done.text.split(" ")]
        for piece in pieces[1:]:
            delta = piece["choices"][0]["delta"]
            delta["content"] = " " + delta["content"]
        usage = {
            "prompt_tokens": done.prompt_tokens,
            "completion_tokens": done.completion_tokens,
        }
        events: list[Any] = [*pieces, {"choices": [], "usage": usage}]
        self._send(200, "".join(f"data: {json.dumps(event)}\n\n" for event in events))

    def do_GET(self) -> None:
        listed = {"data": [{"id": "small", "max_model_len": 2048}]}
        found = self.path == "/v1/models"
        self._send(200 if found else 404, json.dumps(listed) if found else "{}")

    def _send(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the test reads what the program says."""


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Start a server of a brain; its address."""
    servers: list[ThreadingHTTPServer] = []

    def start(brain: Callable[[Ask], Completion], *, plain: bool = False) -> str:
        kind = type("Kind", (Served,), {"brain": staticmethod(brain), "plain": plain})
        server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
        servers.append(server)
        Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_good_model_gets_a_profile_that_is_kept(
    call: Call, serve: Callable[..., str], tmp_path: Path
) -> None:
    told = call("doctor", "--model", "vllm:small", "--base-url", serve(good))
    assert told.code == 0
    assert "vllm:small, examined in" in told.out
    assert "ok    JSON by schema  3 of 3 valid at once" in told.out
    assert "claimed 2,048 tokens, really held 8,192" in told.out
    assert "RESEARCH_MODEL_WINDOW=8192" in told.out
    assert "citations: up to" in told.err
    assert "citations: up to" not in told.out
    assert read_profiles(tmp_path / "data" / "models.json")["vllm:small"].window == 8192


def test_the_findings_as_json(call: Call, serve: Callable[..., str]) -> None:
    told = call("doctor", "--model", "small", "--base-url", serve(good, plain=True), "--json")
    [found] = json.loads(told.out)
    assert found["model"] == "endpoint:small"
    assert found["takes_schema"] is False
    assert found["native"]["at_once"] == found["native"]["asked"] == 3
    assert found["profile"]["window"] == 8192
    assert found["settings"]["model_window"] == "8192"
    assert {line["name"] for line in found["lines"]} >= {"window", "thoughts", "citations"}


def test_something_bad_ends_with_exit_1(call: Call, serve: Callable[..., str]) -> None:
    told = call("doctor", "--model", "vllm:small", "--base-url", serve(inventing))
    assert told.code == 1
    assert (
        "BAD   citations       0 of 3 facts cited with their number; invented 1, 2, 3" in told.out
    )


def test_a_dead_server_is_told_with_what_to_do(call: Call, tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound and not listening: nobody answers there
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        told = call("doctor", "--model", "ollama:qwen3", "--base-url", address)
    assert told.code == 1
    assert "cannot connect" in told.err
    assert "ollama serve" in told.err
    assert "Traceback" not in told.err
    assert not told.out
    assert not (tmp_path / "data" / "models.json").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--model", "qwen3"), "ollama:qwen3"),
        (("--model", ""), "no model is named"),
        (("--model", "vllm:x", "--base-url", "nonsense"), "model_base_url"),
        (("--base-url", "http://127.0.0.1:1/v1"), "--model"),
        (("--model", "vllm:x", "--docs", "."), "--docs"),
    ],
)
def test_a_model_that_cannot_be_opened_is_refused(
    call: Call, given: tuple[str, ...], said: str
) -> None:
    told = call("doctor", *given)
    assert told.code == 2
    assert said in told.err
    assert not told.out


def test_a_cloud_model_needs_its_key(program: Call) -> None:
    told = program("doctor", "--model", "openai:gpt-5-mini")
    assert told.code == 2
    assert "RESEARCH_OPENAI_API_KEY" in told.err
