"""Listings: search results as a person or a tool reads them, and as the writer does.

The writer never sees an address: it cites `[n]`, and code joins address and number afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable

from leadline.types import Hit

RULE = "\n\n---\n\n"


def for_person(hits: Iterable[Hit]) -> str:
    """Title in bold, address, a blank line, the snippet; a rule between results."""
    return RULE.join(_entry(hit.title or hit.url, hit.url, hit.text) for hit in hits)


def for_writer(numbered: Iterable[tuple[int, Hit]]) -> str:
    """The same with the number of the source in place of the address."""
    return RULE.join(
        _entry(hit.title or "Untitled", f"[{number}]", hit.text) for number, hit in numbered
    )


def _entry(title: str, where: str, text: str) -> str:
    one_line = " ".join(title.split()).replace("*", "")
    return f"**{one_line}**\n{where}\n\n{text.strip()}"
