"""A wire to a server on this machine that can be cut without either end hearing of it."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Wire:
    """Passes bytes on while it is `whole`; what comes meanwhile is kept until it is again."""

    def __init__(self, port: int) -> None:
        self._to = port
        self.whole = threading.Event()
        self.whole.set()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.whole.set()
        self._door.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError), one, other:
            while data := one.recv(65_536):
                self.whole.wait()
                other.sendall(data)
