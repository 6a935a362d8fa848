"""Rules: what an instruction to a machine that reads looks like; the patterns are in `rules.toml`.

A pattern runs only round its anchor words, and every gap in it is bounded, so the time is linear in
the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from leadline.text.inject.features import Tokens, key_of

BEFORE, AFTER = 120, 200  # how far round an anchor a pattern looks


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    reason: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """`plain[start:end]` is what rule number `rule` found."""

    rule: int
    start: int
    end: int


def _read() -> tuple[Rule, ...]:
    said = files("leadline.text.inject").joinpath("rules.toml").read_text("utf-8")
    return tuple(_rule(name, row) for name, row in tomllib.loads(said).items())


def _rule(name: str, row: dict[str, Any]) -> Rule:
    pattern = row["pattern"].replace("\n", "").replace("~", r"[^.\n]")
    anchors = tuple(row["anchors"].split())
    return Rule(name, row["reason"], anchors, re.compile(pattern), row.get("strong", False))


RULES = _read()
NAMES = tuple(rule.name for rule in RULES)
ODD, FLOOD, DISGUISED = range(len(RULES), len(RULES) + 3)  # what is found by other means
STRONG = (*(n for n, rule in enumerate(RULES) if rule.strong), ODD, FLOOD)
REASONS = (
    *(rule.reason for rule in RULES),
    "stands alone among rows of data",
    "says the same over and over",
    "is disguised",
)


@lru_cache(maxsize=1)
def _anchors() -> tuple[np.ndarray, list[list[int]]]:
    """The keys of all anchor words, sorted, and the rules that each belongs to."""
    owners: dict[int, list[int]] = {}
    for number, rule in enumerate(RULES):
        for word in rule.anchors:
            for part in word.split("_"):
                owners.setdefault(key_of(part), []).append(number)
    keys = np.array(sorted(owners), dtype=np.uint64)
    return keys, [sorted(set(owners[int(key)])) for key in keys]


def hits(text: str, found: Tokens) -> tuple[Hit, ...]:
    """Everything the rules find in a plain text."""
    return tuple(sorted(_hits(text, found), key=lambda hit: (hit.start, hit.end, hit.rule)))


def _hits(text: str, found: Tokens) -> Iterator[Hit]:
    keys, owners = _anchors()
    if not len(found.keys):
        return
    where = np.minimum(np.searchsorted(keys, found.keys), len(keys) - 1)
    met = np.flatnonzero(keys[where] == found.keys)
    stretches: dict[int, list[list[int]]] = {}
    for start, which in zip(found.start[met].tolist(), where[met].tolist(), strict=True):
        low, high = max(0, start - BEFORE), start + AFTER
        for number in owners[which]:
            spans = stretches.setdefault(number, [])
            if spans and low <= spans[-1][1]:
                spans[-1][1] = high
            else:
                spans.append([low, high])
    for number in sorted(stretches):
        pattern = RULES[number].pattern
        for low, high in stretches[number]:
            for match in pattern.finditer(text, low, high):
                yield Hit(number, match.start(), match.end())
