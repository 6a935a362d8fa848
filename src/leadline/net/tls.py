"""One set of trusted certificates a process, read when the first server is to be verified.

Reading it takes 60 ms of processor time, which nobody should pay who speaks to no such server.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from functools import cache
from typing import Any


class OnDemand(ssl.SSLContext):
    """Stands for the context that verifies servers, and has it made when one is to be verified.

    It trusts nobody itself: what is not handed on fails.
    """

    _protocols: tuple[str, ...] = ()

    def set_alpn_protocols(self, alpn_protocols: Iterable[str]) -> None:
        self._protocols = tuple(alpn_protocols)

    def wrap_bio(self, *args: Any, **named: Any) -> ssl.SSLObject:
        return self._made().wrap_bio(*args, **named)

    def wrap_socket(self, *args: Any, **named: Any) -> ssl.SSLSocket:
        return self._made().wrap_socket(*args, **named)

    def _made(self) -> ssl.SSLContext:
        made = _read()
        if self._protocols:
            made.set_alpn_protocols(self._protocols)
        return made


@cache
def trusted() -> ssl.SSLContext:
    """The context that every client of this process verifies servers with."""
    return OnDemand(ssl.PROTOCOL_TLS_CLIENT)


@cache
def _read() -> ssl.SSLContext:
    from httpx2 import create_ssl_context  # which knows where each system keeps them

    return create_ssl_context()
