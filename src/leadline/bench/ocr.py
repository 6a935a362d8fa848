"""`bench ocr`: how many of the words in images are read, and in which order.

Data: images with a CSV of the same name, a line of text each: eight coordinates, then the text.
`recall` counts words (letters and digits, case aside) as often as they stand there; `strict` counts
what stands between blanks, with every comma and colon; `order` counts pairs of words that follow
one another. Beside ours stand the same reader as it comes, in its own order (`.plain`), and ours on
the image at half its size (`.half`).
"""

from __future__ import annotations

import asyncio
import io
import re
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from leadline.bench.options import BenchOptions
from leadline.errors import BadInput, SourceLost, with_extra
from leadline.sight.ocr import OcrSight, ocr_installed
from leadline.text.images import SUFFIXES

_WORD = re.compile(r"[^\W_]+")
_COLUMNS = 8
_UNUSED = datetime(2000, 1, 1, tzinfo=UTC)
Read = Callable[[bytes], str]


@dataclass(frozen=True)
class Case:
    """An image and the lines that stand in it."""

    name: str
    image: bytes
    lines: tuple[str, ...]


def run(data: Path, options: BenchOptions) -> dict[str, Any]:
    """The figures of our reader and its baselines, and ours for each image."""
    if not ocr_installed():
        raise BadInput(f"this bench needs an extra; {with_extra('ocr')}")
    cases = load(data)
    if options.limit:
        cases = Random(options.seed).sample(cases, min(options.limit, len(cases)))  # noqa: S311
    began = time.perf_counter()
    ours = [_see(case.image) for case in cases]
    seconds = (time.perf_counter() - began) / len(cases)
    memory = _peak_mb()
    figures: dict[str, Any] = {"n": len(cases)} | _figures("", cases, ours)
    figures |= {"s_per_image": round(seconds, 2), "peak_mb": memory}
    plain = _plain()
    figures |= _figures(".plain", cases, [plain(case.image) for case in cases])
    figures |= _figures(".half", cases, [_see(_half(case.image)) for case in cases])
    for case, text in zip(cases, ours, strict=True):
        figures[f"recall.{case.name}"] = _recall([_words(case.lines)], [_words([text])])
    return figures


def load(data: Path) -> list[Case]:
    """The images of a folder that have a file of gold text."""
    cases = []
    for path in sorted(data.iterdir()) if data.is_dir() else ():
        gold = path.with_suffix(".csv")
        if path.suffix.lower() in SUFFIXES and gold.is_file():
            cases.append(Case(path.stem, path.read_bytes(), _lines(gold)))
    if not cases:
        raise BadInput(f"{data} holds no images with a .csv of the same name beside them")
    return cases


def _lines(gold: Path) -> tuple[str, ...]:
    rows = [row.split(",", _COLUMNS) for row in gold.read_text("utf-8", "replace").splitlines()]
    if short := [row for row in rows if row != [""] and len(row) <= _COLUMNS]:
        raise BadInput(f"{gold} wants eight coordinates and a text in each line; got {short[0]}")
    return tuple(row[_COLUMNS] for row in rows if len(row) > _COLUMNS)


def _figures(suffix: str, cases: Sequence[Case], texts: Sequence[str]) -> dict[str, Any]:
    gold = [_words(case.lines) for case in cases]
    read = [_words([text]) for text in texts]
    strict = [" ".join(case.lines).lower().split() for case in cases]
    whole = [text.lower().replace(" | ", " ").split() for text in texts]
    return {
        f"recall{suffix}": _recall(gold, read),
        f"strict{suffix}": _recall(strict, whole),
        f"order{suffix}": _recall(map(list, map(pairwise, gold)), map(list, map(pairwise, read))),
    }


def _words(lines: Iterable[str]) -> list[str]:
    return _WORD.findall(" ".join(lines).lower())


def _recall(gold: Iterable[Sequence[Hashable]], read: Iterable[Sequence[Hashable]]) -> float:
    """The share of all that stands in `gold` that stands in `read` too, as often."""
    pairs = [(Counter(one), Counter(other)) for one, other in zip(gold, read, strict=True)]
    found = sum((one & other).total() for one, other in pairs)
    return round(found / max(1, sum(one.total() for one, _ in pairs)), 4)


def _see(image: bytes) -> str:
    try:
        return asyncio.run(OcrSight().see(image, "", _UNUSED))
    except SourceLost:
        return ""


def _half(image: bytes) -> bytes:
    from leadline.sight.picture import decode

    whole = decode(image)
    sink = io.BytesIO()
    whole.resize((max(1, whole.width // 2), max(1, whole.height // 2))).save(sink, "PNG")
    return sink.getvalue()


def _plain() -> Read:
    from rapidocr import RapidOCR

    engine: Any = RapidOCR(params={"Global.log_level": "critical"})
    return lambda image: "\n".join(engine(image).txts or ())


def _peak_mb() -> int:
    """The most memory that one reading took."""
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
