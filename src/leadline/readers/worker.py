"""The process that reads pages, so that parsing never holds up the event loop.

It takes one file at a time on its standard input and answers on its standard output: a line of JSON
about the file, then its bytes; a line of JSON about the page, then its text. Or it takes a list of
texts and answers with what the scanner says of each. It ends when its input does, so it cannot
outlive the process that started it. Whatever breaks it costs one page.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module
from typing import Any, BinaryIO

from leadline.errors import SourceLost
from leadline.readers.web import read_web

MEMORY_BYTES = 2_000_000_000
NICE = 10
SCANS = "scans"  # the argument with which it loads the scanner ahead of time
_SENTENCE = "The harbour freezes in February, and ships wait for the thaw."  # as good as any


def main() -> None:
    """Read files until there are no more."""
    source = sys.stdin.buffer
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break the protocol
    _settle()
    if SCANS in sys.argv[1:]:
        _scan(json.dumps([_SENTENCE]).encode())  # results come before pages
    for module in ("selectolax.lexbor", "leadline.readers.article"):
        import_module(module)  # now, and not when the first page waits for it
    sink.write(b"{}\n")  # ready
    sink.flush()
    while line := source.readline():
        request = json.loads(line)
        data = source.read(request["size"])
        _answer(sink, *(_scan(data) if request.get("scan") else _read(data, request)))


def _settle() -> None:
    """Leave Ctrl-C to the parent, let it go first, and take no more memory than a page may need."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource

        os.nice(NICE)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(hard, MEMORY_BYTES)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _read(data: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    try:
        page = read_web(data, request["url"], request["type"])
    except SourceLost as error:
        return {"lost": str(error)}, b""
    except (RecursionError, MemoryError) as error:
        return {"lost": f"the page is too much to read ({type(error).__name__})"}, b""
    about = {"title": page.title, "author": page.author, "date": page.date}
    return about, page.text.encode("utf-8", "replace")


def _scan(data: bytes) -> tuple[dict[str, Any], bytes]:
    """What the scanner says of a list of texts. Whoever asked can scan them as well."""
    from leadline.text.doors import scanned
    from leadline.text.spots import packed

    try:
        return {}, json.dumps([packed(scanned(text)) for text in json.loads(data)]).encode()
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        return {"lost": f"it cannot be scanned here ({type(error).__name__})"}, b""


def _answer(sink: BinaryIO, about: dict[str, Any], text: bytes) -> None:
    sink.write(json.dumps(about | {"size": len(text)}).encode() + b"\n")
    sink.write(text)
    sink.flush()


if __name__ == "__main__":
    main()
    os._exit(0)  # there is nothing to tidy, and whoever ended the input waits
