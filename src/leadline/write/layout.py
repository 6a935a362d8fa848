"""Puts the checked units of a report together again: lists counted and numbered anew, no heading
without text under it, no run of blank lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.check.claims import Unit

_NUMBERED = re.compile(r"(\s*)(\d{1,3})([.)])(\s+)")
_HEADED = re.compile(r"\s{0,3}#{1,6}\s+\d{1,3}[.)]\s")

Line = tuple[Unit, str | None]


@dataclass(frozen=True)
class Listed:
    """The text, how many items it lists, and the items beyond those asked for."""

    text: str
    items: int = 0
    short: bool = False  # fewer items than were asked for
    surplus: tuple[str, ...] = ()


def tidy(lines: Sequence[Line], wanted: int = 0) -> Listed:
    """The units that ship, as one text. `wanted` is how many items the question asks for."""
    kept = _renumbered(lines)
    counted = _items(kept)
    surplus = tuple(counted[wanted:]) if wanted else ()
    kept = [(unit, text) for unit, text in kept if text not in surplus]
    items = len(counted) - len(surplus)
    return Listed(_joined(_with_heads(kept)), items, bool(counted) and items < wanted, surplus)


def _items(kept: Sequence[tuple[Unit, str]]) -> list[str]:
    """The items of the answer's list: numbered ones, numbered headings, else the first bullets."""
    numbered = [text for unit, text in kept if unit.kind == "item" and _top_number(text)]
    if numbered:
        return numbered
    headed = [text for unit, text in kept if unit.kind == "heading" and _HEADED.match(text)]
    if headed:
        return headed
    bullets: list[str] = []
    for unit, text in kept:
        if unit.kind == "item" and not unit.missing and not text[0].isspace():
            bullets.append(text)
        elif bullets and text.strip():
            break
    return bullets


def _top_number(text: str) -> bool:
    match = _NUMBERED.match(text)
    return match is not None and not match[1]


def _renumbered(lines: Sequence[Line]) -> list[tuple[Unit, str]]:
    """What ships, the items of a list numbered without the gaps that dropped ones leave."""
    kept: list[tuple[Unit, str]] = []
    lost = 0
    for unit, text in lines:
        match = _NUMBERED.match(unit.raw) if unit.kind == "item" else None
        if match and match[2] == "1":
            lost = 0
        if text is None:
            lost += bool(match)
        else:
            shipped = _NUMBERED.match(text) if match and lost else None
            if match and shipped:
                number = int(match[2]) - lost
                lead = f"{match[1]}{number}{match[3]}{match[4]}"
                kept.append((unit, lead + text[shipped.end() :]))
            else:
                kept.append((unit, text))
    return kept


def _with_heads(kept: Sequence[tuple[Unit, str]]) -> list[str]:
    """The texts, without tables that lost their rows and headings that lost what was under them."""
    texts: list[str] = []
    following: Unit | None = None
    for at, (unit, text) in reversed(list(enumerate(kept))):
        if unit.kind == "heading" and (following is None or _same_level(unit, following)):
            continue
        if text.lstrip().startswith("|") and unit.kind == "other" and not _has_rows(kept, at):
            continue
        texts.append(text)
        following = unit if text.strip() else following
    return texts[::-1]


def _same_level(unit: Unit, other: Unit) -> bool:
    return other.kind == "heading" and other.lead.count("#") <= unit.lead.count("#")


def _has_rows(kept: Sequence[tuple[Unit, str]], at: int) -> bool:
    for unit, text in kept[at:]:
        if unit.kind == "row":
            return True
        if not text.lstrip().startswith("|"):
            return False
    return False


def _joined(texts: Sequence[str]) -> str:
    lines: list[str] = []
    for text in texts:
        if text.strip() or (lines and lines[-1].strip()):
            lines.append(text)
    return "\n".join(lines).strip()
