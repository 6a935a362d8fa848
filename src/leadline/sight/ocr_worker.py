"""The process that reads the text of one image: bytes on its input, lines of text on its output.

A process of its own, since reading takes seconds of processor time and 600 MB: the event loop is
not held up, the memory goes when it ends, and an image that breaks it costs only itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leadline.errors import SourceLost
from leadline.sight.images import decode
from leadline.sight.reading_order import in_reading_order

if TYPE_CHECKING:
    from PIL.Image import Image

MEMORY_BYTES = 4_000_000_000
NICE = 10
SMALL = 736  # pixels of the shorter side below which an image is enlarged to find its text
LARGE = 1280  # of the longer side: text is looked for in an image of this size, read in the whole
LONGEST = 2000  # pixels of a side that are read at once
OVERLAP = 0.1  # of two tiles of an image that is far longer than wide
NEAR = 20  # pixels between two readings of one text in two tiles
UNSURE = 0.88  # mean confidence: pages that stand right have .95 and more, on their heads .76


def main() -> None:
    """Read one image and answer with one line of JSON."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break the answer
    _settle()
    try:
        answer = {"text": read_text(sys.stdin.buffer.read())}
    except SourceLost as lost:
        answer = {"lost": str(lost)}
    except MemoryError:
        answer = {"lost": "it takes too much memory to read"}
    sink.write(json.dumps(answer).encode() + b"\n")
    sink.flush()


def _settle() -> None:
    """Leave Ctrl-C to the parent, let it go first, take no more memory than this, no network."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.addaudithook(_offline)
    if sys.platform != "win32":
        import resource

        os.nice(NICE)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(hard, MEMORY_BYTES)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _offline(event: str, _: tuple[Any, ...]) -> None:
    """The reader's library would fetch a model it misses; ours are in its package."""
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SourceLost("the models of the text reader are not installed; nothing is downloaded")


def read_text(data: bytes) -> str:
    """The text of an image, row by row."""
    image = decode(data)
    found, sure = _found(image)
    if found and sure < UNSURE:
        turned, surer = _found(image.rotate(180))
        found = turned if surer > sure else found
    return in_reading_order(found)


Corners = Sequence[tuple[float, float]]
Found = list[tuple[str, Corners]]


def _found(image: Image) -> tuple[Found, float]:
    """Texts with their corners, and how sure the reader is of them."""
    found: Found = []
    scores: list[float] = []
    for top, tile in _tiles(image):
        for text, corners, score in _read(tile):
            if not any(_same(text, corners, top, one) for one in found):
                found.append((text, [(x, y + top) for x, y in corners]))
                scores.append(score)
    return found, sum(scores) / len(scores) if scores else 0.0


def _same(text: str, corners: Corners, top: int, one: tuple[str, Corners]) -> bool:
    """Whether a text of a tile was already read in the tile above it."""
    (x, y), (other_x, other_y) = corners[0], one[1][0]
    return text == one[0] and abs(other_x - x) + abs(other_y - y - top) < NEAR


def _tiles(image: Image) -> list[tuple[int, Image]]:
    """The image, or squarer pieces of one that would be shrunk till nothing can be read."""
    if image.height <= max(LONGEST, 3 * image.width):
        return [(0, image)]
    tall = max(2 * image.width, LARGE)
    step = int(tall * (1 - OVERLAP))
    tops = range(0, max(1, image.height - (tall - step)), step)
    return [(top, image.crop((0, top, image.width, min(image.height, top + tall)))) for top in tops]


def _read(image: Image) -> list[tuple[str, list[tuple[float, float]], float]]:
    import numpy as np

    engine = _engine(large=max(image.size) > LARGE)
    result = engine(np.asarray(image)[:, :, ::-1])  # it wants blue first
    if result.boxes is None or not result.txts:
        return []
    return [
        (str(text), [(float(x), float(y)) for x, y in box], float(score))
        for text, box, score in zip(result.txts, result.boxes, result.scores, strict=True)
    ]


def _engine(*, large: bool) -> Any:
    from rapidocr import RapidOCR

    size = {"Det.limit_type": "max", "Det.limit_side_len": LARGE}
    small = {"Det.limit_type": "min", "Det.limit_side_len": SMALL}
    # Lines are not turned one by one: that turned short ones that stood right.
    shared = {"Global.log_level": "critical", "Global.use_cls": False}
    return RapidOCR(params=shared | (size if large else small))


if __name__ == "__main__":
    main()
