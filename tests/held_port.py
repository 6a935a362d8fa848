"""A port for a server of another process, which nobody else is given before it listens there."""

from __future__ import annotations

import socket


class HeldPort:
    """Bound without listening: a server that may reuse addresses listens there all the same."""

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number = int(self._socket.getsockname()[1])

    def give_up(self) -> None:
        self._socket.close()
