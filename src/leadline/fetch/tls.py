"""One set of trusted certificates a process: reading it takes 60 ms of processor time."""

from __future__ import annotations

import ssl
from functools import cache

import httpx2


@cache
def trusted() -> ssl.SSLContext:
    """The context that every client of this process verifies servers with."""
    return httpx2.create_ssl_context()
