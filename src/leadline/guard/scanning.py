"""Scanning a text: disguises undone, windows scored, and what is suspect cut down to sentences."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from leadline.frozen import frozen
from leadline.guard.disguises import Plain, plain
from leadline.guard.features import (
    Codes,
    Ints,
    Tokens,
    Weighed,
    Windows,
    codes_of,
    tokens,
    weighed,
    windows,
    windows_of,
)
from leadline.guard.hidden import Piece, decoded, seen_text, unseen
from leadline.guard.instruction_rules import Told, read, told, told_in
from leadline.guard.model import Floats, logits, rule_rows, shipped, sure_windows
from leadline.guard.removed_spans import MARK
from leadline.guard.rules import (
    BARE,
    DISGUISED,
    FLOOD,
    ODD,
    REASONS,
    Hit,
    anchored,
    hits,
    hits_at,
)
from leadline.guard.scan_result import ATTACK, LIKE, SUSPECT, Scan, Spot, Verdict
from leadline.guard.structure import floods, is_bare, odd_lines

TOLD = "reads like an instruction to a model"
SURE = 2.5  # what a strong rule, or three others together, are worth by themselves
SOLELY = 1.0  # what a text that is nothing but a question for instructions is worth: suspect
CONCEALED = 1.0  # what is hidden or disguised needs less to be suspect
OWN = -1.0  # a sentence of a suspect window goes when it scores this much by itself
GAP = 240  # characters between two suspect sentences that belong to the same attack
EXCERPT = 200
NONE = -9.0  # the score of a text that has none

_CUT = re.compile(r"\n+|(?<=[.!?。！？])[\"')\]”’]{0,3}[ \t]+|(?<=[。！？])")


@frozen
class _Looked:
    """A plain text with everything that was found out about it."""

    plain: Plain
    tokens: Tokens
    held: Weighed
    windows: Windows
    marks: tuple[Hit, ...]
    logits: Floats
    told: tuple[Told, ...] = ()


def scan(text: str, *, markup: bool = False) -> Scan:
    """Whether `text` gives instructions to its reader, and where. With `markup`, text is HTML, and
    what a browser would not show is looked at more strictly than the rest."""
    shown = seen_text(text) if markup else None
    main = _look(plain(text) if shown is None else _through(plain(shown.text), shown.origin))
    best = float(main.logits.max(initial=NONE))
    found: list[Spot] = []
    if best > 0:
        found.extend(_spots(text, main))
    for piece in (*decoded(text), *(unseen(text) if markup else ())):
        looked = _look(plain(piece.text))
        top = float(looked.logits.max(initial=NONE)) + CONCEALED
        best = max(best, top)
        if top > 0:
            found.append(_of_piece(text, piece, looked, top))
    ordered = tuple(sorted(found, key=lambda one: (one.start, one.end)))
    return _judged(text, best, ordered, main.plain, main.told)


def scans(texts: Sequence[str]) -> list[Scan]:
    """`scan` of each text. Short ones cost less together, for what is done on arrays takes as long
    for one as for all; those in which there is something are then looked at by themselves."""
    if not texts:
        return []
    forms = [plain(text) for text in texts]
    best, told = _looks(forms)
    return [
        scan(text) if top > 0 or decoded(text) else _judged(text, top, (), form, said)
        for text, form, top, said in zip(texts, forms, best, told, strict=True)
    ]


def _judged(
    text: str, best: float, spots: tuple[Spot, ...], form: Plain, told: Sequence[Told]
) -> Scan:
    score = _share(best)
    said = [(one.nearly, _said(text, form, one)) for one in told]
    like, near = (tuple(one for nearly, one in said if nearly is which) for which in (False, True))
    return Scan(_verdict(score), score, spots, like, near)


def strip(text: str, found: Scan) -> str:
    """`text` without what was found, and a mark in its place that a reader can see."""
    parts: list[str] = []
    at = 0
    for spot in found.spots:
        if spot.end <= at:
            continue
        parts.append(text[at : max(at, spot.start)])
        if not parts[-1].rstrip().endswith(MARK) or parts[-1] == "":
            parts.append(MARK)
        at = spot.end
    return "".join([*parts, text[at:]])


def _share(logit: float) -> float:
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, logit)))), 4)


def _verdict(score: float) -> Verdict:
    if score >= ATTACK:
        return "attack"
    return "suspect" if score >= SUSPECT else "clean"


def _through(form: Plain, origin: Ints) -> Plain:
    """`form` of a text that itself was taken from another, with the way back to that one."""
    return replace(form, origin=origin if form.origin is None else origin[form.origin])


def _look(form: Plain) -> _Looked:
    codes = codes_of(form.text)
    found = tokens(codes)
    seen = windows(found, len(codes))
    marks = marks_of(form, codes, found)
    held = weighed(shipped().words, found)
    spoken = told(form.text, codes, found)
    return _Looked(form, found, held, seen, marks, _scored(held, seen, marks), spoken)


def _looks(forms: Sequence[Plain]) -> tuple[list[float], list[tuple[Told, ...]]]:
    """The highest score and the sentences told of several plain texts, looked at as one: a line end
    between two of them parts their words, and no window reaches over it."""
    sizes = [len(form.text) for form in forms]
    begins = accumulate((size + 1 for size in sizes[:-1]), initial=0)
    places = list(zip(begins, sizes, strict=True))
    codes = codes_of("\n".join(form.text for form in forms))
    found = tokens(codes)
    cuts = np.searchsorted(found.start, [(at, at + size) for at, size in places]).tolist()
    anchors, held, flooded = anchored(found), read(codes, found), any(floods(codes, found))
    marks: list[Hit] = []
    told: list[tuple[Told, ...]] = []
    for form, (at, size), (first, last) in zip(forms, places, cuts, strict=True):
        low, high = (bisect_left(anchors, (n, 0)) for n in (first, last))
        here = [(held.start[n] - at, owners) for n, owners in anchors[low:high]]
        own = slice(first, last)
        part = Tokens(found.start[own] - at, found.end[own] - at, found.keys[own])
        spans = floods(codes[at : at + size], part) if flooded else ()
        some = _marks_by(form, hits_at(form.text, here), spans)
        marks += [Hit(one.rule, one.start + at, one.end + at) for one in some]
        told.append(told_in(form.text, held.part(first, last, at)))
    seen, owners = windows_of(found, places)
    best = np.full(len(forms), NONE, dtype=np.float32)
    np.maximum.at(best, owners, _scored(weighed(shipped().words, found), seen, marks))
    return best.tolist(), told


def marks_of(form: Plain, codes: Codes, found: Tokens) -> tuple[Hit, ...]:
    """What is found without the model: by rules, by its place, by repetition, by disguise."""
    marks = _marks_by(form, hits(form.text, found), floods(codes, found))
    return tuple(sorted(marks, key=lambda hit: hit.start))


def _marks_by(form: Plain, ruled: Sequence[Hit], flooded: Iterable[tuple[int, int]]) -> list[Hit]:
    marks = [*ruled, *(Hit(DISGUISED, at, at) for at in form.disguised)]
    marks += [Hit(ODD, start, end) for start, end in odd_lines(form.text)]
    marks += [Hit(FLOOD, start, end) for start, end in flooded]
    if is_bare(form.text):
        marks.append(Hit(BARE, 0, len(form.text)))
    return marks


def _scored(held: Weighed, seen: Windows, marks: Sequence[Hit]) -> Floats:
    """The model's score of each window, raised by strong rules, odd lines and disguises."""
    rows = rule_rows(marks, seen)
    values = logits(shipped(), held, seen, rows)
    values[rows.window[rows.bucket == DISGUISED]] += CONCEALED
    bare = rows.window[rows.bucket == BARE]
    values[bare] = np.maximum(values[bare], SOLELY)
    certain = sure_windows(rows, len(values))
    values[certain] = np.maximum(values[certain], SURE)
    return values


def _spots(text: str, looked: _Looked) -> Iterator[Spot]:
    """The suspect stretches, each cut down to the sentences that make it so."""
    for first, last, top in _stretches(looked):
        for start, end in _sentences(looked, first, last):
            source = looked.plain.source_of(start, end)
            reason = _reason(looked, start, end)
            yield Spot(*source, _share(top), reason, _excerpt(text, *source))


def _said(text: str, form: Plain, one: Told) -> Spot:
    """A sentence that reads like an instruction, whatever the verdict on the text round it."""
    source = form.source_of(one.start, one.end)
    return Spot(*source, LIKE, TOLD, _excerpt(text, *source))


def _of_piece(text: str, piece: Piece, looked: _Looked, top: float) -> Spot:
    reason = f"{piece.reason}: {_reason(looked, 0, len(looked.plain.text))}"
    return Spot(piece.start, piece.end, _share(top), reason, _excerpt(piece.text, 0, EXCERPT))


def _stretches(looked: _Looked) -> Iterator[tuple[int, int, float]]:
    """Suspect windows that touch, as one; large ones only where no small one is."""
    seen, values = looked.windows, looked.logits
    suspect = values > 0
    small = suspect & (seen.scale == seen.scale.max(initial=0))
    order = [n for n in np.flatnonzero(suspect).tolist() if small[n] or not _has(seen, small, n)]
    order.sort(key=lambda n: int(seen.start[n]))
    current: list[float] | None = None
    for n in order:
        start, end = int(seen.start[n]), int(seen.end[n])
        # A larger window may say more than the small one that stands for it: without its score
        # an attack would have no spot that a door could strip.
        value = float(values[(seen.start < end) & (seen.end > start)].max())
        if current is None or start > current[1]:
            if current is not None:
                yield int(current[0]), int(current[1]), current[2]
            current = [start, end, value]
        else:
            current[1], current[2] = max(current[1], end), max(current[2], value)
    if current is not None:
        yield int(current[0]), int(current[1]), current[2]


def _has(seen: Windows, small: np.ndarray, n: int) -> bool:
    """Whether a suspect small window lies in window `n`."""
    return bool(np.any(small & (seen.start < seen.end[n]) & (seen.end > seen.start[n])))


def _sentences(looked: _Looked, first: int, last: int) -> list[tuple[int, int]]:
    """The sentences of a stretch that are suspect by themselves, joined where they are close; the
    best one when none is."""
    spans = _spans(looked.plain.text, first, last)
    start = np.array([span[0] for span in spans], dtype=np.int64)
    end = np.array([span[1] for span in spans], dtype=np.int64)
    own = Windows(
        start,
        end,
        np.searchsorted(looked.tokens.start, start),
        np.searchsorted(looked.tokens.end, end, side="right"),
        np.full(len(spans), int(looked.windows.scale.max(initial=0))),
    )
    values = _scored(looked.held, own, _marks(looked, spans[0][0], spans[-1][1]))
    chosen = np.flatnonzero(values > OWN).tolist() or [int(values.argmax())]
    joined: list[tuple[int, int]] = []
    for n in chosen:
        if joined and spans[n][0] - joined[-1][1] <= GAP:
            joined[-1] = (joined[-1][0], spans[n][1])
        else:
            joined.append(spans[n])
    return joined


def _spans(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """The sentences and lines that `text[first:last]` touches, whole, as far as they are short."""
    begin = max((m.end() for m in _CUT.finditer(text, max(0, first - 400), first)), default=None)
    begin = max(0, first - 400) if begin is None else begin
    after = _CUT.search(text, last, last + 400)
    finish = after.start() if after else min(len(text), last + 400)
    spans = []
    at = begin
    for match in [*_CUT.finditer(text, begin, finish), None]:
        end = match.start() if match else finish
        if text[at:end].strip():
            spans.append((at, end))
        at = match.end() if match else finish
    return spans or [(first, last)]


def _marks(looked: _Looked, start: int, end: int) -> tuple[Hit, ...]:
    """The marks that touch a span."""
    low = bisect_left(looked.marks, start - 600, key=lambda hit: hit.start)
    high = bisect_left(looked.marks, end, key=lambda hit: hit.start)
    return tuple(hit for hit in looked.marks[low:high] if hit.end >= start)


def _reason(looked: _Looked, start: int, end: int) -> str:
    names = dict.fromkeys(REASONS[hit.rule] for hit in _marks(looked, start, end))
    return "; ".join(names) or TOLD


def _excerpt(text: str, start: int, end: int) -> str:
    said = " ".join(text[start : min(end, start + 2 * EXCERPT)].split())
    return said if len(said) <= EXCERPT else said[: EXCERPT - 1] + "…"
