"""Chinese, Japanese and Korean characters, which stand without spaces between their words.

A class of many thousand characters takes milliseconds to compile, so there is one, and what only
texts that have such characters need is compiled when the first one comes.
"""

from __future__ import annotations

import re

RANGE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # for a class of one's own
CJK = re.compile(f"[{RANGE}]")


def has_cjk(text: str) -> bool:
    return not text.isascii() and CJK.search(text) is not None
