"""The sentences of a checked report by number, and the report with some of them patched.

What no patch names stays as it is, letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import Literal

from leadline.check.claims import Part, Unit, cut
from leadline.types import Patch, Sentence

_NUMBERED = re.compile(r"\s*(\d{1,3})([.)])\s+")

Numbered = list[tuple[int, Part]]


def numbered_sentences(answer: str) -> tuple[Sentence, ...]:
    """Claims, notes and headings, each with the number that a patch calls it by."""
    units = cut(answer)
    return tuple(
        Sentence(number, part.text, part.ids, _kind(part, units[at]), at)
        for at, parts in enumerate(_numbered_parts(units))
        for number, part in parts
    )


def apply_patches(answer: str, patches: Sequence[Patch]) -> str:
    """`answer` with these sentences replaced, taken out or added (number 0)."""
    units = cut(answer)
    texts = {patch.sentence: patch.text for patch in patches if patch.sentence}
    lines: dict[int, str] = {}
    for at, parts in enumerate(_numbered_parts(units)):
        raw = units[at].raw
        line = _rewritten(units[at], parts, texts) if texts.keys() & dict(parts) else raw
        if line is not None:
            lines[at] = line
    added = [patch.text for patch in patches if not patch.sentence and patch.text]
    if added:
        place = _last_claim(units, lines)
        lines[place] = "\n".join([lines[place], *_as_more(units[place], added)])
    return "\n".join(lines.values())


def _numbered_parts(units: Sequence[Unit]) -> list[Numbered]:
    """The sentences of each unit, numbered through; code has none."""
    numbers = count(1)
    return [
        [
            (next(numbers), part)
            for stretch in unit.stretches
            for part in stretch
            if unit.kind not in ("code", "other")
        ]
        for unit in units
    ]


def _kind(part: Part, unit: Unit) -> Literal["claim", "note", "heading"]:
    if unit.kind == "heading":
        return "heading"
    missing = unit.missing and not part.ids
    return "claim" if part.asserted and not missing else "note"


def _rewritten(unit: Unit, parts: Numbered, texts: dict[int, str]) -> str | None:
    """The unit with those of its sentences changed that have a text; None when none is left."""
    if unit.kind in ("row", "quote"):  # patched as one, or not at all
        text = texts.get(parts[0][0], unit.raw)
        fits = unit.kind == "quote" or not text or text.lstrip().startswith("|")
        return (text or None) if fits else unit.raw
    sentences = [
        " ".join(texts[number].split()) if number in texts else _as_written(part)
        for number, part in parts
    ]
    left = [sentence for sentence in sentences if sentence]
    return unit.lead + " ".join(left) if left else None


def _as_written(part: Part) -> str:
    ids = "".join(f"[{number}]" for number in part.ids)
    return f"{part.text} {ids}" if ids else part.text


def _last_claim(units: Sequence[Unit], lines: dict[int, str]) -> int:
    """The last unit that claims something; what was not found stands after what was."""
    claiming = [
        at
        for at in lines
        if not units[at].missing
        and any(part.asserted for stretch in units[at].stretches for part in stretch)
    ]
    return claiming[-1] if claiming else max(lines)


def _as_more(unit: Unit, added: Sequence[str]) -> list[str]:
    """The added sentences as further items of a list, or as a paragraph of their own."""
    texts = [" ".join(text.split()) for text in added]
    if match := _NUMBERED.match(unit.lead):
        return [f"{n}{match[2]} {text}" for n, text in enumerate(texts, int(match[1]) + 1)]
    if unit.kind == "item":
        return [f"- {text}" for text in texts]
    return ["\n" + " ".join(texts)]
