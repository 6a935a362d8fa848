"""Which way a text runs, by the first letter that says so."""

from __future__ import annotations

import unicodedata


def right_to_left(text: str) -> bool:
    """Does this paragraph start at the right? As `dir=auto` decides it."""
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False
