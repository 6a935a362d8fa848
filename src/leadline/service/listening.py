"""A socket to listen on, or a plain word on why there is none."""

from __future__ import annotations

from socket import AF_INET, AF_INET6, create_server
from socket import socket as Socket  # noqa: N812 - a class, as its name should say

from leadline.errors import BadInput

BACKLOG = 2048


def bound(host: str, port: int) -> Socket:
    """A socket that listens; uvicorn would end the process where there can be none."""
    family = AF_INET6 if ":" in host else AF_INET
    try:
        return create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise BadInput(
            f"cannot listen on {host}:{port}: {error.strerror}; is something else there? "
            "choose another port with --port"
        ) from error
