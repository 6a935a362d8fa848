"""Rules: what an instruction to a machine that reads looks like; the patterns are in `rules.toml`.

A pattern runs only round its anchor words, and every gap in it is bounded, so the time is linear in
the text.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pkgutil import get_data
from typing import Any

BEFORE, AFTER = 120, 200  # how far round the start of an anchor a pattern looks
CERTAIN, SUSPECT = 2.5, 1.0  # the least scores that a rule can assure; zero is the line
_LEAST = {"weak": 0.0, "suspect": SUSPECT, "strong": CERTAIN}


@dataclass(frozen=True)
class Rule:
    """`least` is what a window in which the pattern is found scores at least, where above zero."""

    name: str
    reason: str
    anchors: tuple[str, ...] = ()
    pattern: str = ""
    least: float = 0.0
    before: int = BEFORE
    after: int = AFTER


@dataclass(frozen=True)
class Match:
    """`text[start:end]` is what a rule found in a plain text."""

    rule: Rule
    start: int
    end: int


def shipped_file(name: str) -> bytes:
    """The bytes of a file of this package. Raises `OSError` where it is missing."""
    data = get_data("leadline.guard", name)
    if data is None:
        raise OSError(f"{name} cannot be read from where leadline is installed")
    return data


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """The rules of `rules.toml`, in its order."""
    rows = tomllib.loads(shipped_file("rules.toml").decode("utf-8"))
    return tuple(_rule(name, row) for name, row in rows.items())


def _rule(name: str, row: dict[str, Any]) -> Rule:
    return Rule(
        name,
        row["reason"],
        tuple(row["anchors"].split()),
        row["pattern"].replace("\n", "").replace("~", r"[^.\n]"),
        _LEAST[row.get("strength", "weak")],
        row.get("before", BEFORE),
        row.get("after", AFTER),
    )


@lru_cache(maxsize=1)
def _rules_by_anchor() -> dict[str, list[Rule]]:
    owners: dict[str, list[Rule]] = defaultdict(list)
    for rule in all_rules():
        for anchor in rule.anchors:
            owners[anchor].append(rule)
    return dict(owners)


def find_matches(text: str, words: Iterable[tuple[int, str]]) -> tuple[Match, ...]:
    """Everything that the rules find in a plain text, by the places and letters of its words."""
    found = [*_by_pattern(text, words), *_sentences_among_rows(text)]
    return tuple(sorted(found, key=lambda match: (match.start, match.end)))


def _by_pattern(text: str, words: Iterable[tuple[int, str]]) -> Iterator[Match]:
    by_anchor = _rules_by_anchor()
    stretches: dict[Rule, list[tuple[int, int]]] = defaultdict(list)
    for start, word in words:
        for rule in by_anchor.get(word, ()):
            _extend(stretches[rule], max(0, start - rule.before), start + rule.after)
    for rule, spans in stretches.items():
        pattern = re.compile(rule.pattern)
        for low, high in spans:
            for match in pattern.finditer(text, low, high):
                yield Match(rule, *match.span())


def _extend(spans: list[tuple[int, int]], low: int, high: int) -> None:
    """Add a span, joined with the last one where they touch."""
    if spans and low <= spans[-1][1]:
        spans[-1] = spans[-1][0], high
    else:
        spans.append((low, high))


_AMONG_ROWS = Rule("among_rows", "stands alone among rows of data", least=CERTAIN)
_ROW = re.compile(r"[ \t]{0,8}\|[^\n|]*\|[^\n]*\|[ \t]{0,8}")
_SENTENCE = re.compile(r"\s{0,8}\w[^|\n]{6,500}[.?!][\"')\]*_]{0,3}\s{0,8}")


def _sentences_among_rows(text: str) -> Iterator[Match]:
    """Sentences right between the rows of a table: nobody writes one there for people."""
    if text.count("|") < 6:
        return
    lines = text.split("\n")
    is_row = [line.count("|") > 1 and _ROW.fullmatch(line) is not None for line in lines]
    start = 0
    for number, line in enumerate(lines):
        beside = any(is_row[max(0, number - 1) : number + 2])
        near = sum(is_row[max(0, number - 2) : number + 3])
        if beside and near > 1 and not is_row[number] and _SENTENCE.fullmatch(line):
            yield Match(_AMONG_ROWS, start, start + len(line))
        start += len(line) + 1
