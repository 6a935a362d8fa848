"""Questions with regular expressions of their answers, and whether a text holds the answer."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.options import Figures, Options

T = TypeVar("T")

_PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " ", "`": ""})
_NOT_FOUND = re.compile(
    r"\bnot found\b"
    r"|\bno (?:answer|information|passage|evidence|mention|source)s?\b.{0,80}"
    r"\b(?:found|in|answers?|on|about)\b"
    r"|\bnothing (?:was |were )?found\b|\bfound nothing\b"
    r"|\b(?:could|can|did|does|do|was|were|is|are)(?: not|n't) "
    r"(?:be )?(?:find|found|contain|answer|say|state|mention|covered|included)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Question:
    """`parts` are patterns of the answer, one of each of which must match."""

    id: str
    text: str
    parts: tuple[tuple[str, ...], ...] = ()
    folder: str = ""
    answerable: bool = True


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def read_questions(path: Path) -> list[Question]:
    """`parts` where a row has them (each part must be answered), else its `gold`."""
    return [
        Question(
            row["id"],
            row["question"],
            tuple(tuple(part) for part in row.get("parts") or [row["gold"]]),
            row.get("folder", ""),
            row.get("kind") != "unanswerable",
        )
        for row in read_rows(path)
    ]


def drawn(items: Sequence[T], options: Options) -> list[T]:
    """All of them, or `--limit` of them by lot, in their order."""
    if not options.limit or options.limit >= len(items):
        return list(items)
    places = random.Random(options.seed).sample(range(len(items)), options.limit)
    return [items[place] for place in sorted(places)]


def plain(text: str) -> str:
    """Typographic quotes, code marks and white space made plain, as the patterns expect."""
    return re.sub(r"\s+", " ", text.translate(_PLAIN).replace("**", "")).strip()


def answers(question: Question, text: str) -> bool:
    """Whether a pattern of each part matches; an echo of the question is no answer."""
    shown = plain(text).replace(plain(question.text), "")
    flags = re.IGNORECASE | re.DOTALL
    return all(any(re.search(one, shown, flags) for one in part) for part in question.parts)


def refuses(found: bool, direct: str, report: str) -> bool:
    """Whether a reader is told that there is no answer."""
    return not found or bool(_NOT_FOUND.search(plain(direct)) or _NOT_FOUND.search(report[:300]))


def words_of(text: str) -> str:
    """The words in lower case, one space between and around; citations and markup do not count."""
    bare = re.sub(r"\[\d+\]|[`*_]", "", text.lower())
    return " " + " ".join(re.findall(r"\w+", bare)) + " "


def share_held(sentences: Sequence[str], text: str) -> float:
    """Share of the sentences that stand in the text, word for word."""
    shown = words_of(text)
    return sum(words_of(one) in shown for one in sentences) / len(sentences)


def mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 4) if numbers else 0.0


def tally(figures: Figures, variant: str, measures: dict[str, list[float]]) -> None:
    """Adds the mean of each measure as `measure.variant`."""
    figures |= {f"{name}.{variant}": mean(values) for name, values in measures.items()}
