"""HTML to a tree, unless it is nested so deep that parsing would take for ever."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leadline.errors import SourceLost

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MANY_TAGS = 20_000
MAX_DEPTH = 3000  # parsing takes time in the square of the depth: 0.1 s here, 5 min at 200,000
_NESTING = re.compile(
    r"<(/?)(?:div|span|section|article|main|ul|ol|blockquote|center|table|font|b|i|em|strong)\b",
    re.IGNORECASE,
)


def parse_html(html: str) -> LexborHTMLParser:
    """The tree of a page. Raises `SourceLost` when its elements are nested beyond reason."""
    from selectolax.lexbor import LexborHTMLParser

    if html.count("<") > MANY_TAGS and depth(html) > MAX_DEPTH:
        raise SourceLost(f"its elements are nested more than {MAX_DEPTH:,} deep")
    return LexborHTMLParser(html)


def depth(html: str) -> int:
    """How deep elements are nested, by the tags alone."""
    deepest = here = 0
    for match in _NESTING.finditer(html):
        here = here + 1 if not match.group(1) else max(0, here - 1)
        deepest = max(deepest, here)
    return deepest
