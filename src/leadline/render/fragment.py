"""Links that open a page at the quoted words: `#:~:text=start,end`."""

from __future__ import annotations

import re
from urllib.parse import quote as percent

from leadline.text.quotes import plain

WHOLE_CHARS = 90  # a quote up to this long is sought as it is, a longer one by its two ends
END_WORDS = 5
END_CHARS = 16  # for scripts without spaces
_SPLIT = re.compile(r"\s*[|`]+\s*|\s*\n\s*\n\s*")


def to_words(url: str, quoted: str) -> str:
    """`url` with a fragment that finds `quoted` in the page; anything but a web address as it is.

    What a page shows in cells or blocks of its own is no single run of text there, so such a quote
    is named by its first and its last words.
    """
    if not url.startswith(("http://", "https://")):
        return url
    base, _, _ = url.partition(":~:")
    base = base.removesuffix("#")
    text = _directive(quoted)
    if not text:
        return base
    return f"{base}{'' if '#' in base else '#'}:~:text={text}"


def _directive(quoted: str) -> str:
    runs = [run for run in (plain(part) for part in _SPLIT.split(quoted)) if run.strip("-: ")]
    if not runs:
        return ""
    if len(runs) == 1 and len(runs[0]) <= WHOLE_CHARS:
        return _encoded(runs[0])
    first, last = _beginning(runs[0]), _ending(runs[-1])
    return f"{_encoded(first)},{_encoded(last)}"


def _beginning(text: str) -> str:
    words = text.split()
    few = " ".join(words[:END_WORDS])
    return few if len(words) > 1 and len(few) <= WHOLE_CHARS else text[:END_CHARS].strip()


def _ending(text: str) -> str:
    words = text.split()
    few = " ".join(words[-END_WORDS:])
    return few if len(words) > 1 and len(few) <= WHOLE_CHARS else text[-END_CHARS:].strip()


def _encoded(text: str) -> str:
    """Percent-encoded; `-`, `,` and `&` have a meaning of their own in a text directive."""
    return percent(text.encode("utf-8", "replace"), safe="").replace("-", "%2D")
