"""Answers that were prepared, for whatever asks over an HTTP client."""

from __future__ import annotations

from collections.abc import Sequence

import httpx2


class FakeServer(httpx2.AsyncClient):
    """A client that is given these bodies one after another, the last for ever; `asked` is what
    was sent."""

    def __init__(self, bodies: Sequence[bytes] = (b"{}",)) -> None:
        self._bodies = list(bodies)
        self.asked: list[httpx2.Request] = []
        super().__init__(transport=httpx2.MockTransport(self._answer))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        body = self._bodies.pop(0) if len(self._bodies) > 1 else self._bodies[0]
        return httpx2.Response(200, content=body)
