"""`bench injection`: how many attacks the scanner sees, and how often it cries wolf, by source.

Sources are never pooled: what a family of attacks teaches says little about another. A text counts
as caught when its verdict is not clean; `attack.SOURCE` is the share with the harder verdict. The
baseline is the list of phrases that most projects use. `kept.SOURCE` is how much of the text of
harmless sources is left when what was found is cut out.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from leadline.bench.data import one_of, rows
from leadline.bench.options import BenchOptions
from leadline.errors import BadInput
from leadline.text.inject import MARK, Scan, scan, strip

NAIVE = re.compile(
    r"(?i)ignore (?:all |any )?(?:the |your )?(?:previous|prior|above|preceding)"
    r"|disregard (?:all |any )?(?:the |your )?(?:previous|prior|above)|system prompt|you are now"
    r"|jailbreak|developer mode|do anything now|pretend (?:to be|you are)|act as (?:if|an? )"
    r"|(?:reveal|repeat|print|show)[^.\n]{0,20}(?:your|the) (?:prompt|instructions)"
    r"|new instructions"
)


@dataclass(frozen=True, slots=True)
class Case:
    text: str
    attack: bool
    source: str


@dataclass(frozen=True, slots=True)
class Judged:
    case: Case
    found: Scan
    naive: bool
    left: float


def run(data: Path, options: BenchOptions) -> dict[str, Any]:
    """The figures by source, the naive pattern beside them, and the speed."""
    cases = load_cases(data)
    if options.limit:
        cases = tuple(Random(options.seed).sample(cases, min(options.limit, len(cases))))  # noqa: S311
    began = time.process_time()
    found = [scan(case.text) for case in cases]
    spent = time.process_time() - began
    judged = [_judged(case, one) for case, one in zip(cases, found, strict=True)]
    chars = sum(len(case.text) for case in cases)
    figures: dict[str, Any] = {"n": len(cases), "mb_s": chars / 1e6 / max(spent, 1e-9)}
    for (source, attack), count in sorted(Counter((c.source, c.attack) for c in cases).items()):
        own = [one for one in judged if (one.case.source, one.case.attack) == (source, attack)]
        figures |= _figures(source, "recall" if attack else "fpr", own)
        figures[f"n.{'attack' if attack else 'clean'}.{source}"] = count
    return figures


def load_cases(data: Path) -> tuple[Case, ...]:
    """The texts of a JSONL file (or of the first in a folder) with `text`, `label` and `source`."""
    path = one_of(data, "dev.jsonl*", "*.jsonl", "*.jsonl.gz") if data.is_dir() else data
    cases = []
    for number, row in enumerate(rows(path), 1):
        if not isinstance(row.get("text"), str) or row.get("label") not in (0, 1):
            raise BadInput(
                f"{path}, line {number}: wanted an object with text, label (0 or 1) and source; "
                f"got the keys {', '.join(sorted(row)) or 'none'}"
            )
        cases.append(Case(row["text"], bool(row["label"]), str(row.get("source") or "all")))
    if not cases:
        raise BadInput(f"{path} holds no texts")
    return tuple(cases)


def _judged(case: Case, found: Scan) -> Judged:
    left = strip(case.text, found).replace(MARK, "")
    return Judged(case, found, bool(NAIVE.search(case.text)), len(left) / max(1, len(case.text)))


def _figures(source: str, measure: str, own: list[Judged]) -> dict[str, float]:
    figures = {
        f"{measure}.{source}": _share([one.found.verdict != "clean" for one in own]),
        f"{measure}.attack.{source}": _share([one.found.verdict == "attack" for one in own]),
        f"{measure}.regex.{source}": _share([one.naive for one in own]),
    }
    if measure == "fpr":
        figures[f"kept.{source}"] = sum(one.left for one in own) / len(own)
    return figures


def _share(values: list[bool]) -> float:
    return sum(values) / len(values)
