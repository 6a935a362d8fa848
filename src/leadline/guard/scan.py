"""Scanning a text: disguises undone, windows scored, and what is suspect cut down to sentences."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from leadline.guard.classifier import Classifier, Windows, windows
from leadline.guard.disguises import Piece, Plain, decoded, plain

Verdict = Literal["clean", "suspect", "attack"]

SUSPECT, ATTACK = 0.5, 0.82
BY_WORDS = "reads like an instruction to a model"
BY_ITSELF = -1.0  # a sentence of a suspect stretch is part of the attack when it scores this much
GAP = 240  # characters between two suspect sentences that belong to the same attack
PARAGRAPH = 400  # characters of one that is looked at by itself as well
LOWEST = -9.0  # the score of a text that has none

_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_BREAK = re.compile(r"\n+|(?<=[.!?。！？])[\"')\]”’]{0,3}[ \t]+|(?<=[。！？])")


@dataclass(frozen=True)
class Spot:
    """`text[start:end]` speaks to the machine that reads; `score` is 0–1, 0.5 being the line."""

    start: int
    end: int
    score: float
    reason: str


@dataclass(frozen=True)
class Scan:
    """The verdict on a text and the spots that it rests on, in reading order."""

    verdict: Verdict
    score: float
    spots: tuple[Spot, ...] = ()

    @property
    def attacks(self) -> tuple[Spot, ...]:
        """The spots that are more than suspect."""
        return tuple(spot for spot in self.spots if spot.score >= ATTACK)


def verdict_on(score: float) -> Verdict:
    if score >= ATTACK:
        return "attack"
    return "suspect" if score >= SUSPECT else "clean"


def scan(text: str) -> Scan:
    """Whether `text` gives instructions to its reader, and where."""
    best, spots = _scan_plain(plain(text))
    for piece in decoded(text):
        score, inside = _scan_plain(plain(piece.text))
        best = max(best, score)
        if inside:
            spots.append(_of_piece(piece, score, inside))
    score = _share(best)
    spots.sort(key=lambda spot: (spot.start, spot.end))
    return Scan(verdict_on(score), score, tuple(spots))


def _scan_plain(form: Plain) -> tuple[float, list[Spot]]:
    """The best score of a window, and the suspect stretches cut down to sentences."""
    classifier = Classifier(form.text)
    seen = _with_paragraphs(windows(len(form.text)), form.text)
    scores = classifier.scores(seen)
    spots = [
        _spot(form, classifier, start, end, score)
        for first, last, score in _stretches(seen, scores)
        for start, end in _suspect_sentences(form.text, classifier, first, last)
    ]
    return float(scores.max(initial=LOWEST)), spots


def _with_paragraphs(seen: Windows, text: str) -> Windows:
    """The windows and every short paragraph: among much prose an order is diluted."""
    spans = [match.span() for match in _PARAGRAPH.finditer(text)]
    short = [span for span in spans if span[1] - span[0] <= PARAGRAPH]
    start, end = np.array(short, dtype=np.int64).reshape(-1, 2).T
    return Windows(
        np.concatenate([seen.start, start]),
        np.concatenate([seen.end, end]),
        np.concatenate([seen.scale, np.zeros_like(start)]),
    )


def _stretches(seen: Windows, scores: np.ndarray) -> list[tuple[int, int, float]]:
    """Suspect windows that touch, as one, with the best of their scores."""
    suspect = np.flatnonzero(scores > 0)
    stretches: list[tuple[int, int, float]] = []
    for n in suspect[np.argsort(seen.start[suspect], kind="stable")]:
        start, end, score = int(seen.start[n]), int(seen.end[n]), float(scores[n])
        if stretches and start <= stretches[-1][1]:
            first, last, best = stretches.pop()
            start, end, score = first, max(last, end), max(best, score)
        stretches.append((start, end, score))
    return stretches


def _suspect_sentences(
    text: str, classifier: Classifier, first: int, last: int
) -> list[tuple[int, int]]:
    """The sentences of a stretch that are suspect by themselves, joined where they are close; the
    best one when none is."""
    spans = _sentences(text, first, last)
    start, end = np.array(spans, dtype=np.int64).T
    smallest = windows(len(text)).scale.max()
    scores = classifier.scores(Windows(start, end, np.full(len(spans), smallest)))
    joined: list[tuple[int, int]] = []
    for n in np.flatnonzero(scores > min(BY_ITSELF, scores.max() - 1e-9)):
        begin, stop = spans[n]
        if joined and begin - joined[-1][1] <= GAP:
            begin, _ = joined.pop()
        joined.append((begin, stop))
    return joined


def _sentences(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """The sentences and lines of `text[first:last]`."""
    breaks = [match.span() for match in _BREAK.finditer(text, first, last)]
    edges = [(first, first), *breaks, (last, last)]
    spans = [(before[1], after[0]) for before, after in pairwise(edges)]
    return [(a, b) for a, b in spans if text[a:b].strip()] or [(first, last)]


def _spot(form: Plain, classifier: Classifier, start: int, end: int, score: float) -> Spot:
    reasons = [m.rule.reason for m in classifier.matches if m.start < end and m.end >= start]
    reason = "; ".join(dict.fromkeys(reasons)) or BY_WORDS
    if _share(score) >= ATTACK:
        start, end = _short_line(form.text, start, end)
    begin, stop = form.source_of(start, end)
    return Spot(begin, stop, _share(score), reason)


def _short_line(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole of a short line that holds an attack: what stands beside an order belongs to it."""
    low, high = text.rfind("\n", 0, start) + 1, text.find("\n", end) % (len(text) + 1)
    return (low, high) if high - low <= PARAGRAPH else (start, end)


def _of_piece(piece: Piece, score: float, inside: list[Spot]) -> Spot:
    """One spot for all that is hidden in a piece: it can only be cut out as a whole."""
    reasons = dict.fromkeys(spot.reason for spot in inside)
    reason = f"{piece.reason}: {'; '.join(reasons)}"
    return Spot(piece.start, piece.end, _share(score), reason)


def _share(score: float) -> float:
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, score)))), 4)
