"""The chunker: which parts of a long page enter the context, whole sentences only.

A page with sections is read in the order in which sections matter; any other page by the pieces
nearest to the task. The lengths of the pieces add up to at most the budget; what joins them in a
prompt is the caller's to count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leadline.ports import Embedder
from leadline.text.sentences import Span, sentences

BUDGET = 12_000
PIECE, OVERLAP = 600, 80
STRUCTURED = 3  # headings of the second and third level that make a page a structured one
WIDE_GAP = 200  # more than this between two sentences and they are not one piece
LITTLE = 0.02  # the share of the budget that is not worth filling from yet another section

# Kinds of sections in the order in which they matter, each with the words that name it.
_KINDS = (
    "abstract summary tldr synopsis",
    "conclusion conclusions concluding takeaway takeaways",
    "introduction background overview",
    "result results",
    "finding findings",
    "method methods methodology materials",
    "discussion discussions limitation limitations",
)
_RANK = {word: rank for rank, line in enumerate(_KINDS) for word in line.split()}
_OTHER = len(_KINDS)
_COMPANY = frozenset("key main our executive experimental general final and the".split())  # noqa: SIM905
_NUMBER = re.compile(r"^(?:chapter |section |part )?[\dIVX]+(?:\.\d+)*[.):]?\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Piece:
    """A part of a page: `page[start:end] == text`, and the heading above it."""

    text: str
    start: int
    end: int
    section: str = ""


class _Window(NamedTuple):
    """Sentences of one section that make a piece, and their cosine to the task and each aspect."""

    section: range
    sentences: range
    scores: tuple[float, ...]


def best_pieces(
    page: str,
    task: str,
    budget: int = BUDGET,
    embedder: Embedder | None = None,
    aspects: Sequence[str] = (),
) -> tuple[Piece, ...]:
    """The parts of `page` that best serve `task`, within `budget` characters.

    Sections come in the contract's order. Those it does not name give their pieces by cosine: the
    best for the task, the best for each of its `aspects`, then the second best of each. Without an
    embedder, what comes first is taken first.
    """
    spans = sentences(page)
    if not spans or budget <= 0:
        return ()
    ranks = {range(len(spans)): _OTHER}
    if sum(_level(span) in {2, 3} for span in spans) >= STRUCTURED:
        ranks = _sections(spans)
    windows = _windows(page, spans, list(ranks), (task, *aspects), embedder)
    best = dict.fromkeys(ranks, 0.0)
    for section, _, scores in windows:
        best[section] = max(best[section], scores[0])
    order = sorted(ranks, key=lambda one: (ranks[one], -best[one] * (ranks[one] == _OTHER)))
    others = [section for section in order if ranks[section] == _OTHER]
    groups = [*([section] for section in order if ranks[section] < _OTHER), others]
    taken = _taken(spans, groups, windows, budget)
    titles = _titles(spans)
    return tuple(
        Piece(page[start:end], start, end, titles[first])
        for section in order
        for first, start, end in _joined(spans, section, taken)
    )


def _sections(spans: Sequence[Span]) -> dict[range, int]:
    """The page cut at its `##` and `###` headings, and how early each comes. A `###` that has no
    kind of its own has that of the `##` above it; what stands before the first has the kind that a
    `#` names, if one does."""
    sections: dict[range, int] = {}
    first, rank, above = 0, _OTHER, _OTHER
    for number, span in enumerate(spans):
        level = _level(span)
        if level == 1 and not sections and rank == _OTHER:
            rank = _rank(span.text)
        if level in {2, 3}:
            if first < number:
                sections[range(first, number)] = rank
            own = _rank(span.text)
            above = own if level == 2 else above
            first, rank = number, own if own < _OTHER else above
    sections[range(first, len(spans))] = rank
    return sections


def _level(span: Span) -> int:
    if span.kind != "heading":
        return 0
    marks = len(span.text) - len(span.text.lstrip("#"))
    return marks or 2  # a title with a rule below it


def _rank(heading: str) -> int:
    """How early a section comes by its name. It must be the name itself: a manual's "Overview of
    FTS5" or "Query results" is a section like any other, and would take the whole budget."""
    bare = _NUMBER.sub("", heading.strip("#*_:¶ \t"), count=1)
    named = _WORD.findall(bare.lower().replace("tl;dr", "tldr"))
    if not _COMPANY.issuperset(word for word in named if word not in _RANK):
        return _OTHER
    return min((_RANK[word] for word in named if word in _RANK), default=_OTHER)


def _titles(spans: Sequence[Span]) -> list[str]:
    """For each sentence the heading that it stands under."""
    titles, title = [], ""
    for span in spans:
        title = span.text.strip("# \t") if span.kind == "heading" else title
        titles.append(title)
    return titles


def _windows(
    page: str,
    spans: Sequence[Span],
    sections: Sequence[range],
    tasks: Sequence[str],
    embedder: Embedder | None,
) -> list[_Window]:
    """The sections in pieces, each measured with the heading that it stands under."""
    runs = [(section, run) for section in sections for run in _runs(spans, section)]
    if embedder is None:
        return [_Window(section, run, (0.0,)) for section, run in runs]
    above = _titles(spans) if len(sections) > 1 else [""] * len(spans)
    texts = [f"{above[r[0]]}\n{page[spans[r[0]].start : spans[r[-1]].end]}" for _, r in runs]
    rows = embedder.embed([*tasks, *texts])
    cosines = rows[len(tasks) :] @ rows[: len(tasks)].T
    return [
        _Window(section, run, tuple(map(float, row)))
        for (section, run), row in zip(runs, cosines, strict=True)
    ]


def _runs(spans: Sequence[Span], section: range) -> Iterator[range]:
    """Runs of whole sentences of about `PIECE` characters that overlap by up to `OVERLAP`."""
    begin = section.start
    while begin < section.stop:
        end = begin + 1
        while end < section.stop and spans[end].end - spans[begin].start <= PIECE:
            end += 1
        yield range(begin, end)
        if end == section.stop:
            return
        back = end
        while back - 1 > begin and spans[end - 1].end - spans[back - 1].start <= OVERLAP:
            back -= 1
        begin = back


def _taken(
    spans: Sequence[Span],
    groups: Sequence[Sequence[range]],
    windows: Sequence[_Window],
    budget: int,
) -> set[int]:
    """The sentences that fit: of each group all, else its best windows, else their sentences."""
    costs = [len(span.text) + _gap(spans, number + 1) for number, span in enumerate(spans)]
    taken: set[int] = set()
    room = budget
    for sections in groups:
        best = _in_turn([window for window in windows if window.section in sections])
        loose = [
            [number]
            for run in best
            for number in run
            if spans[number].kind not in {"heading", "markup"}
        ]
        whole = [number for section in sections for number in section]
        for run in [whole, *best, *loose] if room > LITTLE * budget else []:
            cost = sum(costs[number] for number in run if number not in taken)
            if cost <= room:
                room -= cost
                taken.update(run)
    return taken


def _gap(spans: Sequence[Span], right: int) -> int:
    """The characters between a sentence and the one before, where they make one piece."""
    gap = spans[right].start - spans[right - 1].end if right < len(spans) else 0
    return gap if gap <= WIDE_GAP else 0


def _in_turn(windows: Sequence[_Window]) -> list[range]:
    """The best for the task, the best for each aspect, then the next best of each."""
    aspects = range(len(windows[0].scores)) if windows else ()
    orders = [sorted(windows, key=lambda one: -one.scores[aspect]) for aspect in aspects]
    return list(dict.fromkeys(one.sentences for turn in zip(*orders, strict=True) for one in turn))


def _joined(
    spans: Sequence[Span], section: range, taken: set[int]
) -> Iterator[tuple[int, int, int]]:
    """First sentence, start and end of each run that was taken of a section, in reading order."""
    begin = section.start
    for number in section:
        if number not in taken:
            begin = number + 1
            continue
        last = number + 1 not in section or number + 1 not in taken
        if last or spans[number + 1].start - spans[number].end > WIDE_GAP:
            yield begin, spans[begin].start, spans[number].end
            begin = number + 1
