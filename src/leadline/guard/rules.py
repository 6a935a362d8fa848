"""Rules: what an instruction to a machine that reads looks like; the patterns are in `rules.toml`.

A pattern runs only round its anchor words, and every gap in it is bounded, so the time is linear in
the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from leadline.frozen import frozen
from leadline.guard.features import Known, Tokens, keys_of
from leadline.guard.shipped import data_of

BEFORE, AFTER = 120, 200  # how far round the start of an anchor a pattern looks


@frozen
class Rule:
    name: str
    reason: str
    anchors: tuple[str, ...]
    pattern: str
    strong: bool = False
    before: int = BEFORE
    after: int = AFTER


@frozen
class Hit:
    """`plain[start:end]` is what rule number `rule` found."""

    rule: int
    start: int
    end: int


def _read() -> tuple[Rule, ...]:
    said = data_of("rules.toml").decode("utf-8")
    return tuple(_rule(name, row) for name, row in tomllib.loads(said).items())


def _rule(name: str, row: dict[str, Any]) -> Rule:
    pattern = row["pattern"].replace("\n", "").replace("~", r"[^.\n]")
    anchors = tuple(part for word in row["anchors"].split() for part in word.split("_"))
    more = {key: row[key] for key in ("strong", "before", "after") if key in row}
    return Rule(name, row["reason"], anchors, pattern, **more)


RULES = _read()
NAMES = tuple(rule.name for rule in RULES)
ODD, FLOOD, DISGUISED, BARE = range(len(RULES), len(RULES) + 4)  # what is found by other means
STRONG = (*(n for n, rule in enumerate(RULES) if rule.strong), ODD, FLOOD)
REASONS = (
    *(rule.reason for rule in RULES),
    "stands alone among rows of data",
    "says the same over and over",
    "is disguised",
    "asks for instructions and for nothing else",
)


@lru_cache(maxsize=1)
def _anchors() -> Known:
    """All anchor words with the rules that each belongs to, as bits."""
    owners: dict[int, int] = {}
    for number, rule in enumerate(RULES):
        for key in keys_of(rule.anchors):
            owners[key] = owners.get(key, 0) | 1 << number
    return Known(owners)


@lru_cache(maxsize=256)
def _numbers(owners: int) -> tuple[int, ...]:
    return tuple(number for number in range(len(RULES)) if owners >> number & 1)


@lru_cache(maxsize=len(RULES))
def _pattern(number: int) -> re.Pattern[str]:
    """The pattern of a rule, made when an anchor of it is met for the first time."""
    return re.compile(RULES[number].pattern)


def compile_all() -> None:
    """Make all patterns, for whoever has the time."""
    for number in range(len(RULES)):
        _pattern(number)


_ALL = (1 << len(RULES)) - 1
_STRONG = sum(1 << n for n, rule in enumerate(RULES) if rule.strong)


def hits(text: str, found: Tokens, strong: bool = False) -> tuple[Hit, ...]:
    """Everything the rules find in a plain text, or only the `strong` ones."""
    which = _STRONG if strong else _ALL
    anchors = [(int(found.start[n]), owners & which) for n, owners in anchored(found)]
    return hits_at(text, anchors)


def anchored(found: Tokens) -> list[tuple[int, int]]:
    """The numbers of the tokens that are anchors, and the rules that each belongs to."""
    return _anchors().among(found)


def hits_at(text: str, anchors: Sequence[tuple[int, int]]) -> tuple[Hit, ...]:
    """The same, where it is known at which places anchors stand."""
    return tuple(sorted(_hits(text, anchors), key=lambda hit: (hit.start, hit.end, hit.rule)))


def _hits(text: str, anchors: Sequence[tuple[int, int]]) -> Iterator[Hit]:
    stretches: dict[int, list[list[int]]] = {}
    for start, owners in anchors:
        for number in _numbers(owners):
            rule = RULES[number]
            low, high = max(0, start - rule.before), start + rule.after
            spans = stretches.setdefault(number, [])
            if spans and low <= spans[-1][1]:
                spans[-1][1] = high
            else:
                spans.append([low, high])
    for number in sorted(stretches):
        pattern = _pattern(number)
        for low, high in stretches[number]:
            for match in pattern.finditer(text, low, high):
                yield Hit(number, match.start(), match.end())
