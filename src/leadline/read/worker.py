"""The process that reads pages, so that parsing never holds up the event loop.

It takes one file at a time on its standard input and answers on its standard output: a line of JSON
about the file, then its bytes; a line of JSON about the page, then its text. It ends when its input
does, so it cannot outlive the process that started it. Whatever breaks it costs one page. The
scanner's process (`scanner.py`) serves in the same way.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO

from leadline.errors import SourceLost

MEMORY_BYTES = 2_000_000_000
NICE = 10

Answer = Callable[[bytes, dict[str, Any]], tuple[dict[str, Any], bytes]]  # about it, and the answer


def serve(load: Callable[[], None], answer: Answer) -> None:
    """Load what is needed, then answer until nobody asks any more."""
    source = sys.stdin.buffer
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break the protocol
    _settle()
    load()  # now, and not when somebody waits for it
    sink.write(b"{}\n")  # ready
    sink.flush()
    while line := source.readline():
        request = json.loads(line)
        data = source.read(request["size"])
        _write(sink, *answer(data, request))


def _load() -> None:
    for module in ("selectolax.lexbor", "trafilatura.xml", "leadline.read.webpage"):
        import_module(module)


def _settle() -> None:
    """Leave Ctrl-C to the parent, let it go first, and take no more memory than a page may need."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource

        os.nice(NICE)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(hard, MEMORY_BYTES)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def answer(data: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The page in `data`, or why there is none."""
    from leadline.read.webpage import read_web

    try:
        page = read_web(data, request["url"], request["type"])
    except SourceLost as error:
        return {"lost": str(error)}, b""
    except (RecursionError, MemoryError) as error:
        return {"lost": f"the page is too much to read ({type(error).__name__})"}, b""
    about = {"title": page.title, "author": page.author, "date": page.date}
    return about, page.text.encode("utf-8", "replace")


def _write(sink: BinaryIO, about: dict[str, Any], text: bytes) -> None:
    sink.write(json.dumps(about | {"size": len(text)}).encode() + b"\n")
    sink.write(text)
    sink.flush()


if __name__ == "__main__":
    serve(_load, answer)
    os._exit(0)  # there is nothing to tidy, and whoever ended the input waits
