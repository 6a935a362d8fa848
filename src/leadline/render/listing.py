"""Listings: search results as a person or a tool reads them."""

from __future__ import annotations

from collections.abc import Iterable

from leadline.types import Hit

RULE = "\n\n---\n\n"


def for_person(hits: Iterable[Hit]) -> str:
    """Title in bold, address, a blank line, the snippet; a rule between results."""
    return RULE.join(map(_entry, hits))


def _entry(hit: Hit) -> str:
    title = " ".join((hit.title or hit.url).split()).replace("*", "")
    return f"**{title}**\n{hit.url}\n\n{hit.text.strip()}"
