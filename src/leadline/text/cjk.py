"""Chinese, Japanese and Korean characters, which stand without spaces between their words.

A class of many thousand characters takes milliseconds to compile, so one is shared, and it is
compiled when the first text comes that may have such characters.
"""

from __future__ import annotations

import re
from functools import cache

RANGE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # for a class of one's own


_FIRST = "\u3040"


def has_cjk(text: str) -> bool:
    return _may_have(text) and _cjk().search(text) is not None


def count_cjk(text: str) -> int:
    return len(_cjk().findall(text)) if _may_have(text) else 0


def without_cjk(text: str) -> str:
    """`text` with a space for each of them, so that all else stays in its place."""
    return _cjk().sub(" ", text) if _may_have(text) else text


def _may_have(text: str) -> bool:
    """Dashes, quotation marks and accents need no class; where there is one it is quicker."""
    return not text.isascii() and (_cjk.cache_info().currsize > 0 or max(text) >= _FIRST)


@cache
def _cjk() -> re.Pattern[str]:
    return re.compile(f"[{RANGE}]")
