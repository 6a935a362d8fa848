"""A server that speaks OpenAI's language, refuses prompts over its window, and logs every call."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], str]


@dataclass
class Log:
    """What the server saw: the tokens of each prompt, and how many it refused."""

    prompts: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    refused: int = 0


def tokens(text: str) -> int:
    """About what a common vocabulary makes of it; counted here by another rule than ours."""
    words = re.findall(r"[A-Za-z]+|\d|[^\sA-Za-z\d]", text)
    return sum(math.ceil(len(word) / 6) for word in words)


def answer(request: dict[str, Any]) -> str:
    """JSON by the schema, or prose that quotes each source it was shown."""
    prompt = request["messages"][-1]["content"]
    if "response_format" in request:
        properties = request["response_format"]["json_schema"]["schema"]["properties"]
        if "search_queries" in properties:
            queries = [
                {"query": f"{word} records", "intent": word}
                for word in ("harbour depth", "tide tables", "lighthouse keepers")
            ]
            return json.dumps({"search_queries": queries, "wanted_items": 0})
        return json.dumps({"sufficient": True, "confidence": 0.8, "gaps": [], "new_queries": []})
    lines = []
    for number, text in re.findall(r"^\[(\d+)\] [^\n]*\n(.+)$", prompt, re.MULTILINE):
        sentence = text.split(". ")[0].strip().rstrip(".")
        lines.append(f"{sentence}. [{number}]")
    return "\n".join(lines[:8])


@contextmanager
def serving(
    window: int, says: Answer = answer, tell_window: bool = True
) -> Iterator[tuple[str, Log]]:
    """The server's address and what it logs, while the block lasts."""
    log = Log()

    class Talk(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            told = {"max_model_len": window} if tell_window else {}
            body = {"data": [{"id": "small", **told}]} if self.path == "/v1/models" else {}
            self._send(200 if body else 404, body)

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = "\n".join(message["content"] for message in request["messages"])
            sent = prompt + json.dumps(request.get("response_format") or "")
            size = tokens(sent) + 16
            log.prompts.append(prompt)
            log.sizes.append(size + request["max_tokens"])
            if size + request["max_tokens"] > window:
                log.refused += 1
                said = f"This model's maximum context length is {window} tokens, got {size}."
                self._send(400, {"error": {"message": said}})
                return
            text = says(request)
            usage = {"prompt_tokens": size, "completion_tokens": tokens(text)}
            choice = {"message": {"content": text}, "finish_reason": "stop"}
            self._send(200, {"choices": [choice], "usage": usage})

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Talk)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", log
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
