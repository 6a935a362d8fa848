"""The sentences of a checked report by number, and the report with some of them patched.

What no patch names stays as it is, letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leadline.check.claims import Part, Unit, cut
from leadline.types import Patch, Sentence

_NUMBERED = re.compile(r"\s*(\d{1,3})([.)])\s+")
_WHOLE = ("row", "quote")  # patched as one, or not at all


def numbered(answer: str) -> tuple[Sentence, ...]:
    """Claims, notes and headings, each with the number that a patch calls it by."""
    return tuple(_sentence(number, part, unit, at) for number, at, unit, part in _walk(cut(answer)))


def patched(answer: str, patches: Sequence[Patch]) -> str:
    """`answer` with these sentences replaced, taken out or added (number 0)."""
    units = cut(answer)
    wanted = {patch.sentence: patch.text for patch in patches if patch.sentence}
    changed: dict[int, dict[int, str]] = {}
    for number, at, _, _ in _walk(units):
        if number in wanted:
            changed.setdefault(at, {})[number] = wanted[number]
    lines = {at: unit.raw for at, unit in enumerate(units)}
    numbers = _numbers(units)
    for at, texts in changed.items():
        told = _retold(units[at], [texts.get(number) for number in numbers[at]])
        if told is None:
            del lines[at]
        else:
            lines[at] = told
    added = [patch.text for patch in patches if not patch.sentence and patch.text]
    if added:
        place = _last_claim(units, lines)
        lines[place] = "\n".join([lines[place], *_grown(units[place], added)])
    return "\n".join(lines[at] for at in sorted(lines))


def _walk(units: Sequence[Unit]) -> Iterator[tuple[int, int, Unit, Part]]:
    number = 0
    for at, unit in enumerate(units):
        if unit.kind in ("code", "other"):
            continue
        for stretch in unit.stretches:
            for part in stretch:
                number += 1
                yield number, at, unit, part


def _numbers(units: Sequence[Unit]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, at, _, _ in _walk(units):
        found.setdefault(at, []).append(number)
    return found


def _sentence(number: int, part: Part, unit: Unit, at: int) -> Sentence:
    if unit.kind == "heading":
        return Sentence(number, part.text, part.ids, "heading", at)
    missing = unit.missing and not part.ids
    return Sentence(number, part.text, part.ids, "claim" if _claims(part, missing) else "note", at)


def _claims(part: Part, missing: bool) -> bool:
    return part.asserted and not missing


def _retold(unit: Unit, texts: Sequence[str | None]) -> str | None:
    """The unit with those of its sentences changed that have a text; None when none is left."""
    parts = [part for stretch in unit.stretches for part in stretch]
    if unit.kind in _WHOLE:
        text = texts[0]
        if text is None or (unit.kind == "row" and text and not text.lstrip().startswith("|")):
            return unit.raw
        return text or None
    said = [
        _told(part) if text is None else " ".join(text.split())
        for part, text in zip(parts, texts, strict=True)
    ]
    left = [one for one in said if one]
    return unit.lead + " ".join(left) if left else None


def _told(part: Part) -> str:
    ids = "".join(f"[{number}]" for number in part.ids)
    return f"{part.text} {ids}" if ids else part.text


def _last_claim(units: Sequence[Unit], lines: dict[int, str]) -> int:
    """The last unit that claims something; what was not found stands after what was."""
    claiming = [
        at
        for at, unit in enumerate(units)
        if at in lines
        and not unit.missing
        and any(part.asserted for stretch in unit.stretches for part in stretch)
    ]
    return claiming[-1] if claiming else max(lines)


def _grown(unit: Unit, added: Sequence[str]) -> Iterator[str]:
    """The added sentences as further items of a list, or as a paragraph of their own."""
    texts = [" ".join(text.split()) for text in added]
    if match := _NUMBERED.match(unit.lead):
        first = int(match[1]) + 1
        yield from (f"{number}{match[2]} {text}" for number, text in enumerate(texts, first))
    elif unit.kind == "item":
        yield from (f"- {text}" for text in texts)
    else:
        yield "\n" + " ".join(texts)
