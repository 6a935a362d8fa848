"""The process that reads pages, so that parsing never holds up the event loop.

It takes one file after another on its standard input and answers on its standard output: the
length of a message, then the message. It ends when its input does, so it cannot outlive the process
that started it. Whatever breaks it costs one page.
"""

from __future__ import annotations

import os
import signal
import sys

import msgspec

from leadline.errors import SourceLost
from leadline.read.webpage import read_web
from leadline.values import replace
from leadline.web.workers import SIZE_BYTES

MEMORY_BYTES = 2_000_000_000
NICE = 10


def main() -> None:
    """Answer until nobody asks any more."""
    source = sys.stdin.buffer
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break the protocol
    _limit_itself()
    while size := source.read(SIZE_BYTES):
        reply = answer(source.read(int.from_bytes(size, "big")))
        sink.write(len(reply).to_bytes(SIZE_BYTES, "big") + reply)
        sink.flush()


def answer(request: bytes) -> bytes:
    """The page in the file that is asked about, or why there is none."""
    data, url, content_type = msgspec.msgpack.decode(request, type=tuple[bytes, str, str])
    try:
        page = read_web(data, url, content_type)
        texts = {name: getattr(page, name) for name in ("title", "author", "date", "text")}
        # Half a pair of a surrogate cannot be sent.
        sendable = {name: text.encode("utf-8", "replace").decode() for name, text in texts.items()}
        return msgspec.msgpack.encode(replace(page, **sendable))
    except SourceLost as error:
        return msgspec.msgpack.encode(str(error))
    except (RecursionError, MemoryError) as error:
        return msgspec.msgpack.encode(f"the page is too much to read ({type(error).__name__})")


def _limit_itself() -> None:
    """Leave Ctrl-C to the parent, let it go first, and take no more memory than a page may need."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource

        os.nice(NICE)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(hard, MEMORY_BYTES)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


if __name__ == "__main__":
    main()
