"""The chunker: which parts of a long page enter the context, whole sentences only.

A page with sections is read in the order in which sections matter; any other page by the pieces
nearest to the task. The lengths of the pieces add up to at most the budget; what joins them in a
prompt is the caller's to count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class _Window:
    """Sentences `first` up to `after`, and their cosine to the task and to each aspect."""

    first: int
    after: int
    scores: tuple[float, ...]


@dataclass(frozen=True)
class _Section:
    """Sentences `first` up to `after`, and the pieces they can be cut into."""

    rank: int
    first: int
    after: int
    windows: tuple[_Window, ...] = ()

    @property
    def best(self) -> float:
        return max((window.scores[0] for window in self.windows), default=0.0)


def best_pieces(
    page: str,
    task: str,
    budget: int = BUDGET,
    embedder: Embedder | None = None,
    aspects: Sequence[str] = (),
    *,
    flat: bool = False,
) -> tuple[Piece, ...]:
    """The parts of `page` that best serve `task`, within `budget` characters.

    Sections come in the contract's order. Those it does not name give their pieces by cosine: the
    best for the task, the best for each of its `aspects`, then the second best of each. Without an
    embedder, what comes first is taken first. `flat` takes no notice of headings.
    """
    spans = sentences(page)
    if not spans or budget <= 0:
        return ()
    sections = _sections(spans)
    if flat or len(sections) <= STRUCTURED:
        sections = [_Section(_OTHER, 0, len(spans))]
    sections = _scored(page, spans, sections, (task, *aspects), embedder)
    sections.sort(key=lambda one: (one.rank, -one.best if one.rank == _OTHER else 0.0))
    named = [[section] for section in sections if section.rank < _OTHER]
    others = [section for section in sections if section.rank == _OTHER]
    taken = _taken(spans, [*named, others], budget)
    return tuple(
        Piece(page[start:end], start, end, section)
        for part in sections
        for start, end, section in _joined(spans, part, taken)
    )


def _sections(spans: Sequence[Span]) -> list[_Section]:
    """The page cut at its `##` and `###` headings. A `###` that has no kind of its own has that of
    the `##` above it; what stands before the first has the kind that a `#` names, if one does."""
    sections: list[_Section] = []
    first, rank, above = 0, _OTHER, _OTHER
    for number, span in enumerate(spans):
        level = _level(span)
        if level == 1 and not sections and rank == _OTHER:
            rank = _rank(span.text)
        if level not in {2, 3}:
            continue
        sections.append(_Section(rank, first, number))
        own = _rank(span.text)
        above = own if level == 2 else above
        first, rank = number, min(own, above)
    return [*sections, _Section(rank, first, len(spans))]


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


def _scored(
    page: str,
    spans: Sequence[Span],
    sections: Sequence[_Section],
    tasks: Sequence[str],
    embedder: Embedder | None,
) -> list[_Section]:
    """The sections with their windows; each is measured with the heading that it stands under."""
    cuts = [list(_windows(spans, section.first, section.after)) for section in sections]
    above = _titles(spans) if len(sections) > 1 else [""] * len(spans)
    texts = [
        f"{above[first]}\n{page[spans[first].start : spans[after - 1].end]}"
        for cut in cuts
        for first, after in cut
    ]
    scores = iter(_cosines(texts, tasks, embedder))
    return [
        _Section(
            section.rank,
            section.first,
            section.after,
            tuple(_Window(first, after, next(scores)) for first, after in cut),
        )
        for section, cut in zip(sections, cuts, strict=True)
    ]


def _titles(spans: Sequence[Span]) -> list[str]:
    """For each sentence the heading that it stands under."""
    titles, title = [], ""
    for span in spans:
        title = span.text.strip("# \t") if span.kind == "heading" else title
        titles.append(title)
    return titles


def _windows(spans: Sequence[Span], first: int, after: int) -> Iterator[tuple[int, int]]:
    """Runs of whole sentences of about `PIECE` characters that overlap by up to `OVERLAP`."""
    begin = first
    while begin < after:
        end = begin + 1
        while end < after and spans[end].end - spans[begin].start <= PIECE:
            end += 1
        yield begin, end
        if end == after:
            return
        back = end
        while back - 1 > begin and spans[end - 1].end - spans[back - 1].start <= OVERLAP:
            back -= 1
        begin = back


def _cosines(
    texts: Sequence[str], tasks: Sequence[str], embedder: Embedder | None
) -> list[tuple[float, ...]]:
    if embedder is None or not texts:
        return [(0.0,) * len(tasks)] * len(texts)
    rows = embedder.embed([*tasks, *texts])
    products = rows[len(tasks) :] @ rows[: len(tasks)].T
    return [tuple(map(float, row)) for row in products]


def _taken(spans: Sequence[Span], groups: Sequence[Sequence[_Section]], budget: int) -> set[int]:
    """The sentences that fit: of each group all, else its best windows, else their sentences."""
    costs = [len(span.text) + _gap(spans, number + 1) for number, span in enumerate(spans)]
    taken: set[int] = set()
    room = budget
    for sections in groups:
        windows = _in_turn([window for section in sections for window in section.windows])
        whole = [number for part in sections for number in range(part.first, part.after)]
        runs = [whole, *(range(window.first, window.after) for window in windows)]
        loose = [[n] for run in runs[1:] for n in run if spans[n].kind not in {"heading", "markup"}]
        for run in [*runs, *loose] if room > LITTLE * budget else []:
            cost = sum(costs[number] for number in run if number not in taken)
            if cost <= room:
                room -= cost
                taken.update(run)
    return taken


def _gap(spans: Sequence[Span], right: int) -> int:
    """The characters between a sentence and the one before, where they make one piece."""
    gap = spans[right].start - spans[right - 1].end if right < len(spans) else 0
    return gap if gap <= WIDE_GAP else 0


def _in_turn(windows: Sequence[_Window]) -> list[_Window]:
    """The best for the task, the best for each aspect, then the next best of each."""
    aspects = range(len(windows[0].scores)) if windows else ()
    orders = [sorted(windows, key=lambda one: -one.scores[aspect]) for aspect in aspects]
    return list(dict.fromkeys(window for turn in zip(*orders, strict=True) for window in turn))


def _joined(
    spans: Sequence[Span], part: _Section, taken: set[int]
) -> Iterator[tuple[int, int, str]]:
    """Start, end and heading of each run that was taken of `part`, in reading order."""
    titles = _titles(spans)
    begin = part.first
    for number in range(part.first, part.after):
        if number not in taken:
            begin = number + 1
            continue
        last = number + 1 == part.after or number + 1 not in taken
        if last or spans[number + 1].start - spans[number].end > WIDE_GAP:
            yield spans[begin].start, spans[number].end, titles[begin]
            begin = number + 1
