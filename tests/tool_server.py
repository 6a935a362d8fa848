"""A server that speaks OpenAI's language with tools: it looks things up, then answers."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from window_server import tokens

Body = dict[str, Any]
Policy = Callable[[Body], Body]


@dataclass
class Seen:
    """Every request that was answered, and the tokens of each with its answer."""

    bodies: list[Body] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    refused: int = 0


def call(name: str, **given: Any) -> Body:
    function = {"name": name, "arguments": json.dumps(given)}
    return {"content": None, "tool_calls": [{"id": "x", "type": "function", "function": function}]}


def looking(body: Body) -> Body:
    """Two searches, a look into the first document found, then an answer that quotes it."""
    text = "\n".join(str(message["content"]) for message in body["messages"])
    done = len(set(re.findall(r"\br(\d+):", text)))
    if "tools" not in body and "You can call these tools" not in text:
        return {"content": _answer(text)}
    moves = [
        call("search_docs", query="harbour depth fathoms", k=3),
        call("search_docs", query="lighthouse keeper watch", k=3),
        call("read_doc", doc="1", before=2, after=2),
    ]
    if done >= len(moves):
        return {"content": _answer(text)}
    if "tools" in body:
        return moves[done]
    function = moves[done]["tool_calls"][0]["function"]
    arguments = json.loads(function["arguments"])
    return {"content": json.dumps({"tool": function["name"], "arguments": arguments})}


def _answer(text: str) -> str:
    """The first sentence of each source that was shown, with its number."""
    shown = re.findall(r"^\[(\d+)\][^\n]*\n+(.+)$", text, re.MULTILINE)
    said = {number: sentence.split(". ")[0].strip().rstrip(".") for number, sentence in shown}
    return "\n\n".join(f"{sentence}. [{number}]" for number, sentence in said.items()) or "Nothing."


@contextmanager
def serving_tools(
    window: int = 32_768, policy: Policy = looking, *, refuse: bool = False
) -> Iterator[tuple[str, Seen]]:
    """The server's address and what it saw; with `refuse` it takes no tools."""
    seen = Seen()

    class Talk(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._send(200, {"data": [{"id": "small", "max_model_len": window}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if refuse and "tools" in body:
                seen.refused += 1
                self._send(400, {"error": {"message": "small does not support tools"}})
                return
            size = tokens(json.dumps([body["messages"], body.get("tools")], ensure_ascii=False))
            seen.bodies.append(body)
            seen.sizes.append(size + body["max_tokens"])
            if seen.sizes[-1] > window:
                self._send(400, {"error": {"message": "maximum context length exceeded"}})
                return
            message = {"role": "assistant"} | policy(body)
            usage = {"prompt_tokens": size, "completion_tokens": tokens(json.dumps(message))}
            self._send(200, {"choices": [{"message": message}], "usage": usage})

        def _send(self, status: int, body: Body) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Talk)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
