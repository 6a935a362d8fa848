"""`bench injection`: how many attacks the scanner sees, and how often it cries wolf, by source.

Sources are never pooled: what a family of attacks teaches says little about another. A text counts
as caught when its verdict is not clean; `attack.SOURCE` is the share with the harder verdict. The
baseline is the list of phrases that most projects use. `kept.SOURCE` is how much of the text of
harmless sources is left when what was found is cut out.

`recall.door.SOURCE` and `fpr.door.SOURCE` are the shares of texts from which a door that strips
takes something. Where a text was pasted into a known one, `strip.attack_removed` is how many of
the characters of the attacks it found are gone, `strip.clean_lost` how many of those around them.
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
from leadline.bench.measures import mean
from leadline.bench.options import BenchOptions
from leadline.errors import BadInput
from leadline.guard.removed_spans import clean
from leadline.guard.scan import Scan, scan

NAIVE = re.compile(
    r"(?i)ignore (?:all |any )?(?:the |your )?(?:previous|prior|above|preceding)"
    r"|disregard (?:all |any )?(?:the |your )?(?:previous|prior|above)|system prompt|you are now"
    r"|jailbreak|developer mode|do anything now|pretend (?:to be|you are)|act as (?:if|an? )"
    r"|(?:reveal|repeat|print|show)[^.\n]{0,20}(?:your|the) (?:prompt|instructions)"
    r"|new instructions"
)


@dataclass(frozen=True)
class Case:
    text: str
    attack: bool
    source: str
    pasted: tuple[tuple[int, int], ...] = ()  # where the attack stands, when round it is clean text


@dataclass(frozen=True)
class Judged:
    case: Case
    found: Scan
    naive: bool
    left: float
    barred: tuple[tuple[int, int], ...]


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
    return figures | _stripped("strip", judged)


def load_cases(data: Path) -> tuple[Case, ...]:
    """The texts of a JSONL file (or of the first in a folder) with `text`, `label` and `source`."""
    path = one_of(data, "dev.jsonl*", "*.jsonl", "*.jsonl.gz") if data.is_dir() else data
    given = list(rows(path))
    clean = {line for row in given if row.get("label") == 0 for line in _lines(row.get("text"))}
    cases = []
    for number, row in enumerate(given, 1):
        if not isinstance(row.get("text"), str) or row.get("label") not in (0, 1):
            raise BadInput(
                f"{path}, line {number}: wanted an object with text, label (0 or 1) and source; "
                f"got the keys {', '.join(sorted(row)) or 'none'}"
            )
        spans = _pasted(row["text"], clean) if row.get("kind") == "embedded" else ()
        cases.append(Case(row["text"], bool(row["label"]), str(row.get("source") or "all"), spans))
    if not cases:
        raise BadInput(f"{path} holds no texts")
    return tuple(cases)


def _lines(text: object) -> list[str]:
    return [line.strip() for line in text.split("\n")] if isinstance(text, str) else []


def _pasted(text: str, clean: set[str]) -> tuple[tuple[int, int], ...]:
    """The lines of an attacked text that no clean one has."""
    spans, at = [], 0
    for line in text.split("\n"):
        if line.strip() and line.strip() not in clean:
            spans.append((at, at + len(line)))
        at += len(line) + 1
    return tuple(spans)


def _judged(case: Case, found: Scan) -> Judged:
    spots = [(spot.start, spot.end) for spot in found.spots]
    left = "".join(case.text[a:b] for a, b in clean(case.text, 0, len(case.text), spots))
    naive = bool(NAIVE.search(case.text))
    barred = tuple((spot.start, spot.end) for spot in found.attacks)
    return Judged(case, found, naive, len(left) / max(1, len(case.text)), barred)


def _stripped(name: str, judged: list[Judged]) -> dict[str, float]:
    """What a door that strips takes from pasted attacks it found, and from the text round them."""
    removed = whole = lost = clean = over = count = 0
    for one in judged:
        if not one.case.pasted or not one.barred:
            continue
        gone, own = bytearray(len(one.case.text)), bytearray(len(one.case.text))
        for marks, spans in ((gone, one.barred), (own, one.case.pasted)):
            for start, end in spans:
                marks[start:end] = b"\1" * (end - start)
        taken = sum(a & (1 - b) for a, b in zip(gone, own, strict=True))
        removed += sum(a & b for a, b in zip(gone, own, strict=True))
        whole += sum(own)
        lost += taken
        clean += len(own) - sum(own)
        over += taken > 0.05 * (len(own) - sum(own))
        count += 1
    if not count:
        return {}
    return {
        f"{name}.attack_removed": removed / max(1, whole),
        f"{name}.clean_lost": lost / max(1, clean),
        f"{name}.lost_over_5": over / count,
    }


def _figures(source: str, measure: str, own: list[Judged]) -> dict[str, float]:
    figures = {
        f"{measure}.{source}": _share([one.found.verdict != "clean" for one in own]),
        f"{measure}.attack.{source}": _share([one.found.verdict == "attack" for one in own]),
        f"{measure}.regex.{source}": _share([one.naive for one in own]),
        f"{measure}.door.{source}": _share([bool(one.barred) for one in own]),
    }
    if measure == "fpr":
        figures[f"kept.{source}"] = sum(one.left for one in own) / len(own)
    return figures | _stripped(f"strip.{source}", own)


def _share(values: list[bool]) -> float:
    return mean(values)
