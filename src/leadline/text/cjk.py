"""Chinese, Japanese and Korean characters, which stand without spaces between their words."""

from __future__ import annotations

import re
from functools import cache

RANGE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # for a class of one's own


def has_cjk(text: str) -> bool:
    return not text.isascii() and _cjk().search(text) is not None


def count_cjk(text: str) -> int:
    return 0 if text.isascii() else len(_cjk().findall(text))


def without_cjk(text: str) -> str:
    """`text` with a space for each of them, so that all else stays in its place."""
    return text if text.isascii() else _cjk().sub(" ", text)


@cache  # a class of so many characters takes 10 ms to compile, which most texts do not need
def _cjk() -> re.Pattern[str]:
    return re.compile(f"[{RANGE}]")
