"""The chunker: which parts of a long page enter the context, whole sentences only.

A page with sections is read in the order in which sections matter; any other page by the pieces
nearest to the task. The lengths of the pieces add up to at most the budget; what joins them in a
prompt is the caller's to count.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leadline.ports import Embedder
from leadline.text.sentences import Span, sentences

BUDGET = 12_000
PIECE, OVERLAP = 600, 80
SECTION_PIECE = 500  # of a section, which says what it is about above them all
STRUCTURED = 3  # headings of the second and third level that make a page a structured one
WIDE_GAP = 200  # more than this between two sentences and they are not one piece
LITTLE = 0.02  # the share of the budget that is not worth filling from yet another section

_KINDS = (
    ("abstract", r"abstract|summary|tl;?dr|synopsis"),
    ("conclusion", r"conclusions?|concluding|takeaways?"),
    ("introduction", r"introduction|background|overview"),
    ("results", r"results?"),
    ("findings", r"findings?"),
    ("methods", r"methods?|methodology|materials"),
    ("discussion", r"discussions?|limitations?"),
)
_RANK = {name: rank for rank, name in enumerate([*(name for name, _ in _KINDS), "other"])}
_PATTERNS = [(name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for name, words in _KINDS]
_NAME = (
    r"(?:(?:key|main|our|experimental|general|executive|final) )?"
    rf"(?:{'|'.join(words for _, words in _KINDS)})"
)
_NUMBERED = re.compile(
    r"^(?:(?:chapter|section|part) )?(?:[\dIVX]+(?:\.\d+)*[.):]?\s+)?", re.IGNORECASE
)
_NAMED = re.compile(rf"{_NAME}(?:(?:, | & | and |, and ){_NAME})*", re.IGNORECASE)


@dataclass(frozen=True)
class Piece:
    """A part of a page: `page[start:end] == text`; `score` is the best cosine in it to the task."""

    text: str
    start: int
    end: int
    section: str = ""
    score: float = 0.0


@dataclass(frozen=True)
class _Window:
    """Sentences `first` up to `after`, and their cosine to the task and to each aspect."""

    scores: tuple[float, ...]
    first: int
    after: int


@dataclass(frozen=True)
class _Part:
    """Sentences `first` up to `after`, and the pieces they can be cut into, best first."""

    kind: str
    first: int
    after: int
    windows: tuple[_Window, ...] = ()

    @property
    def best(self) -> float:
        return max((window.scores[0] for window in self.windows), default=0.0)


def read(
    page_text: str,
    task: str,
    budget: int = BUDGET,
    embedder: Embedder | None = None,
    aspects: Sequence[str] = (),
    *,
    flat: bool = False,
) -> tuple[Piece, ...]:
    """The parts of `page_text` that best serve `task`, within `budget` characters.

    Sections come in the contract's order. Those it does not name give their pieces by cosine: the
    best for the task, the best for each of its `aspects`, then the second best of each. Without an
    embedder, what comes first is taken first. `flat` takes no notice of headings.
    """
    spans = sentences(page_text)
    if not spans or budget <= 0:
        return ()
    sections = _sections(spans)
    structured = len(sections) > STRUCTURED and not flat
    parts = sections if structured else [_Part("other", 0, len(spans))]
    piece = SECTION_PIECE if structured else PIECE
    parts = _scored(page_text, spans, parts, (task, *aspects), embedder, piece)
    if structured:
        parts.sort(key=lambda part: (_RANK[part.kind], -part.best * (part.kind == "other")))
    choice = _Choice(page_text, spans, budget)
    for part in parts:
        if part.kind != "other":
            choice.take(part)
    choice.take_best([part for part in parts if part.kind == "other"])
    return tuple(piece for part in parts for piece in choice.pieces(part))


def _sections(spans: Sequence[Span]) -> list[_Part]:
    """The page cut at its `##` and `###` headings. A `###` that has no kind of its own has that of
    the `##` above it; what stands before the first has the kind that a `#` names, if one does."""
    parts: list[_Part] = []
    first, kind, above = 0, "other", "other"
    for number, span in enumerate(spans):
        level = _level(span)
        if level == 1 and not parts and kind == "other":
            kind = _kind(span.text)
        if level not in {2, 3}:
            continue
        parts.append(_Part(kind, first, number))
        own = _kind(span.text)
        above = own if level == 2 else above
        first, kind = number, own if own != "other" else above
    parts.append(_Part(kind, first, len(spans)))
    return parts


def _level(span: Span) -> int:
    if span.kind != "heading":
        return 0
    marks = len(span.text) - len(span.text.lstrip("#"))
    return marks or 2  # a title with a rule below it


def _kind(heading: str) -> str:
    """The kind that a heading names. It must be the name itself: a manual's "Overview of FTS5" or
    "Query results" is a section like any other, and would take the whole budget."""
    said = heading.strip("#*_:¶ \t")
    said = _NUMBERED.sub("", said, count=1)
    if not _NAMED.fullmatch(said):
        return "other"
    return next((name for name, pattern in _PATTERNS if pattern.search(said)), "other")


def _scored(
    page: str,
    spans: Sequence[Span],
    parts: Sequence[_Part],
    tasks: Sequence[str],
    embedder: Embedder | None,
    size: int,
) -> list[_Part]:
    cuts = [list(_windows(spans, part.first, part.after, size)) for part in parts]
    above = _titles(spans) if len(parts) > 1 else [""] * len(spans)
    texts = [above[a] + page[spans[a].start : spans[b - 1].end] for cut in cuts for a, b in cut]
    scores = iter(_cosines(texts, tasks, embedder))
    scored = []
    for part, cut in zip(parts, cuts, strict=True):
        windows = [_Window(next(scores), a, b) for a, b in cut]
        windows.sort(key=lambda window: -window.scores[0])
        scored.append(_Part(part.kind, part.first, part.after, tuple(windows)))
    return scored


def _titles(spans: Sequence[Span]) -> list[str]:
    """For each sentence the heading it stands under, as a line to go before it."""
    titles, title = [], ""
    for span in spans:
        heads = span.kind == "heading"
        title = span.text.strip("# \t") + "\n" if heads else title
        titles.append("" if heads else title)
    return titles


def _windows(spans: Sequence[Span], first: int, after: int, size: int) -> Iterator[tuple[int, int]]:
    """Runs of whole sentences of about `size` characters that overlap by up to `OVERLAP`."""
    begin = first
    while begin < after:
        end = begin + 1
        while end < after and spans[end].end - spans[begin].start <= size:
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


def _in_turn(windows: Sequence[_Window]) -> list[_Window]:
    """The best for the task, the best for each aspect, then the next best of each."""
    aspects = range(len(windows[0].scores)) if windows else ()
    orders = [iter(sorted(windows, key=lambda one: -one.scores[aspect])) for aspect in aspects]
    chosen: dict[_Window, None] = {}
    while len(chosen) < len(windows):
        for order in orders:  # what was taken for another is no turn of this one
            if best := next((one for one in order if one not in chosen), None):
                chosen[best] = None
    return list(chosen)


class _Choice:
    """Which sentences of a page are taken; knows what each costs and never overspends."""

    def __init__(self, page: str, spans: Sequence[Span], budget: int) -> None:
        self._page = page
        self._spans = spans
        self._taken = [False] * len(spans)
        self._room = budget
        self._little = LITTLE * budget
        heads = [span for span in spans if span.kind == "heading"]
        self._heads = [head.start for head in heads]
        self._titles = [head.text.strip("# \t") for head in heads]

    def take(self, part: _Part) -> None:
        """The whole part if there is room, else its best windows, else their sentences."""
        if self._room <= self._little or self._add(part.first, part.after):
            return
        self._take_windows(_in_turn(part.windows))

    def take_best(self, parts: Sequence[_Part]) -> None:
        """All of the parts if there is room, else the best windows of any of them."""
        if sum(self._cost(part.first, part.after) for part in parts) <= self._room:
            for part in parts:
                self._add(part.first, part.after)
        elif self._room > self._little:
            self._take_windows(_in_turn([window for part in parts for window in part.windows]))

    def _take_windows(self, windows: Sequence[_Window]) -> None:
        for window in windows:
            self._add(window.first, window.after)
        for window in windows:
            for number in range(window.first, window.after):
                if self._spans[number].kind not in {"heading", "markup"}:
                    self._add(number, number + 1)

    def _add(self, begin: int, end: int) -> bool:
        cost = self._cost(begin, end)
        if cost > self._room:
            return False
        self._room -= cost
        self._taken[begin:end] = [True] * (end - begin)
        return True

    def _cost(self, begin: int, end: int) -> int:
        """Characters that taking `begin:end` adds, with the gaps that it closes."""
        new = sum(len(self._spans[n].text) for n in range(begin, end) if not self._taken[n])
        for right in range(max(1, begin), min(end + 1, len(self._spans))):
            before, after = self._taken[right - 1], self._taken[right]
            will = (before or right - 1 >= begin) and (after or right < end)
            if will and not (before and after):
                gap = self._gap(right)
                new += gap if gap <= WIDE_GAP else 0
        return new

    def _gap(self, right: int) -> int:
        return self._spans[right].start - self._spans[right - 1].end

    def pieces(self, part: _Part) -> Iterator[Piece]:
        """What was taken of `part`, in reading order, neighbours joined."""
        scores = [0.0] * (part.after - part.first)
        for window in part.windows:
            for number in range(window.first - part.first, window.after - part.first):
                scores[number] = max(scores[number], window.scores[0])
        begin = part.first
        for number in range(part.first, part.after):
            if not self._taken[number]:
                begin = number + 1
                continue
            last = number + 1 == part.after or not self._taken[number + 1]
            if last or self._gap(number + 1) > WIDE_GAP:
                best = max(scores[begin - part.first : number + 1 - part.first])
                yield self._piece(begin, number, best)
                begin = number + 1

    def _piece(self, first: int, last: int, score: float) -> Piece:
        start, end = self._spans[first].start, self._spans[last].end
        above = bisect_right(self._heads, start)
        title = self._titles[above - 1] if above else ""
        return Piece(self._page[start:end], start, end, title, score)
