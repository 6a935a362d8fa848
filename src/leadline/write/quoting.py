"""The report without a model: the paragraph that answers first, then the few that bear on it.

Everything in it is quoted with its `[n]`; what is not quoted says what was looked for and not
found. What answers is ranked by `rank.answering`; where the question describes something that must
be found first, or compares, the sentences that lead to one another speak first (`write.linked`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from textwrap import dedent

from leadline.check.conflicts import conflicts
from leadline.guard.policy import is_flagged
from leadline.ports import Embedder, PassageReader
from leadline.question.analyse import Expects, analyse, as_asked
from leadline.rank.answering import (
    Answering,
    Ranker,
    Ranking,
    several_parts,
    whole,
    without_copies,
)
from leadline.rank.linked_sentences import Field
from leadline.rank.paragraphs import Paragraph, paragraphs
from leadline.text.quotes import plain
from leadline.types import Citation, Draft, Passage, Quote, State, TaskType
from leadline.values import replace
from leadline.write.linked import items_asked_for, leading_sentences
from leadline.write.wordings import phrases

WRAPPED = 60  # characters from which a line may be one that goes on in the next
EXCERPTS = 3  # beside the answer
OF_PARTS = 5  # where the question has several parts, or asks for an overview
COMPARED = 8  # of the best paragraphs: does a newer one say otherwise?
DETAILS = 12  # more of them, shown where they are asked for
MOST_WORDS = 330  # of an answer and its excerpts, so that they fit on a screen
LONG = 520  # characters; of a longer excerpt, or part of an answer, what answers best
SHORT = 80  # characters; less than this beside a sentence says nothing more
_BROAD = frozenset({TaskType.BEST_PRACTICES, TaskType.COMPARISON})
_FACTS = frozenset({Expects.PERSON, Expects.TIME, Expects.PLACE, Expects.NUMBER, Expects.YES_NO})
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_INDENT = re.compile(r"(?: {4}|\t)\s*\S")
_STOP = re.compile(r"[.?!…。？！]+(?=\s|$)")  # in a query it would end the note that names it


class Quoting:
    """Writes one report; `draft` is all there is to call."""

    def __init__(
        self,
        state: State,
        passages: Sequence[Passage],
        embedder: Embedder,
        reader: PassageReader | None,
        name: str,
    ) -> None:
        self._state, self._passages, self._name = state, passages, name
        self._question = analyse(state.task)
        self._embedder = embedder
        self._titles = {source.id: source.title for source in state.sources}
        self._own = {source.id for source in state.sources if source.kind == "document"}
        self._say = phrases(self._question.language)
        found = paragraphs(passages)
        scores = [passages[one.passage].score for one in found]
        reader = reader if self._question.language == "en" else None
        self._ranker = Ranker(found, scores, self._titles, embedder, reader, self._may_quote)

    def draft(self) -> Draft:
        question = self._question
        asked = self._ranker.ranking(whole(question))
        if not asked.best:
            return Draft(self._nothing([]), (), self._name, found=False)
        parts = [self._ranker.ranking(part) for part in several_parts(question)]
        if not asked.answered and not any(part.answered for part in parts):
            nearest = [self._shortened(asked, one) for one in without_copies(asked.best, EXCERPTS)]
            return self._drafted(self._nothing(nearest), nearest, found=False)
        return self._answered(asked, parts)

    def _may_quote(self, one: Paragraph) -> bool:
        """Not what reads like an order to a machine."""
        text = self._passages[one.passage].text
        return not is_flagged(text, one.start, one.end, one.source in self._own)

    def _answered(self, asked: Ranking, parts: Sequence[Ranking]) -> Draft:
        question, state = self._question, self._state
        answering = [part for part in parts if part.answered] or [asked]
        answering = [replace(one, best=self._newer_first(one.best)) for one in answering]
        led = None if parts else self._led()
        lead, context = (led, ()) if led else self._first(answering)
        known = f"{lead} {answering[0].best[0].paragraph.text}" if context else lead
        most = OF_PARTS if len(parts) > 1 or state.plan.task_type in _BROAD else EXCERPTS
        order = _in_turn([one.best for one in answering])
        order = within_sources(order, _cited(lead), state.limits.max_sources)
        rest = [*context, *without_copies(order, most + DETAILS, known)]
        shown = [self._shortened(asked, one) for one in rest[:most]]
        shown = shown[: _fitting(shown, MOST_WORDS - len(lead.split()))]
        missing = [as_asked(one.part.label, question.text) for one in parts if not one.answered]
        notes = [self._say.missing.format(what=as_heading(label)) for label in missing]
        items = len(re.findall(r"^\d+\. ", lead, re.MULTILINE))
        if items < question.wanted:
            notes.append(self._say.fewer.format(found=items, wanted=question.wanted))
        body = [lead, *self._under_headings(shown), *notes]
        details = "\n\n".join(self._under_headings(rest[len(shown) :]))
        return self._drafted("\n\n".join(body), rest, details=details)

    def _shortened(self, asked: Ranking, one: Answering) -> Answering:
        """The excerpt, or of a long one what answers best in it."""
        stretch = self._ranker.best_stretch(asked.part, one.paragraph, LONG)
        return replace(one, paragraph=stretch)

    def _newer_first(self, best: Sequence[Answering]) -> tuple[Answering, ...]:
        """The same, what a newer source says otherwise right before what it contradicts."""
        looked_at = list(best[:COMPARED])
        passages = [self._passage(one.paragraph) for one in looked_at]
        published = {source.id: source.published for source in self._state.sources}
        for dispute in conflicts(passages, self._state.task, self._titles, published):
            older, newer = dispute.one, dispute.other
            if dispute.newer == older.source:
                older, newer = newer, older
            places = [_place_of(quote, looked_at) for quote in (older, newer)]
            if dispute.newer and 0 <= places[0] < places[1]:
                looked_at.insert(places[0], looked_at.pop(places[1]))
        return (*looked_at, *best[COMPARED:])

    def _passage(self, one: Paragraph) -> Passage:
        page = self._passages[one.passage].page
        return Passage(one.source, one.text, page, 0, len(one.text))

    def _led(self) -> str | None:
        """The answer in sentences that lead to one another, or as a list of so many items."""
        question = self._question
        single = question.expects is not Expects.CONTRAST
        if not (question.wanted or question.hops or (question.compared and single)):
            return None
        field = Field(self._passages, self._titles, self._embedder, self._own)
        write = items_asked_for if question.wanted else leading_sentences
        return write(question, field)

    # ── printing ────────────────────────────────────────────────────────────────────────────

    def _first(self, answering: Sequence[Ranking]) -> tuple[str, tuple[Answering, ...]]:
        """The paragraph that answers, or where a fact is asked for the sentence, with the
        paragraph to be shown below it; of a question of several parts what answers each."""
        best = answering[0].best[0]
        first = best.paragraph
        if len(answering) > 1:
            parts = [
                self._ranker.best_stretch(one.part, one.best[0].paragraph, LONG)
                for one in answering
            ]
            running = all(part.is_running for part in parts)
            texts = [_on_a_line(part) if part.is_running else _block(part) for part in parts]
            return (" " if running else "\n\n").join(dict.fromkeys(texts)), ()
        if not first.is_running:
            if all(line.startswith("|") for line in first.text.splitlines()):
                first = self._ranker.best_stretch(answering[0].part, first, LONG)
            return _block(first), ()
        if self._question.expects in _FACTS:
            single = self._ranker.best_sentence(answering[0].part, first)
            if single is not None:
                return _on_a_line(single), tuple(_beside(single, best))
        return _on_a_line(first), ()

    def _under_headings(self, excerpts: Sequence[Answering]) -> list[str]:
        blocks: list[str] = []
        above = ""
        for one in excerpts:
            label = as_heading(self._place(one.paragraph))
            if label != above:
                blocks.append(f"### {label}")
                above = label
            blocks.append(_block(one.paragraph))
        return blocks

    def _place(self, one: Paragraph) -> str:
        """The document and the heading that a paragraph stands under."""
        names = dict.fromkeys((self._titles.get(one.source, ""), *one.headings[-1:]))
        return " › ".join(name for name in names if name) or f"[{one.source}]"

    def _nothing(self, nearest: Sequence[Answering]) -> str:
        queries = "; ".join(_STOP.sub("", query.text) for query in self._state.asked) or "–"
        blocks = [f"_{self._say.nothing}_", f"_{self._say.tried.format(queries=queries)}_"]
        if nearest:
            blocks += [f"_{self._say.nearest}_", *self._under_headings(nearest)]
        return "\n\n".join(blocks)

    def _drafted(
        self, text: str, used: Sequence[Answering], *, found: bool = True, details: str = ""
    ) -> Draft:
        numbers = {one.paragraph.source for one in used} | _cited(text)
        citations = tuple(
            Citation(source.id, source.title, source.kind, source.url)
            for source in self._state.sources
            if source.id in numbers
        )
        return Draft(text, citations, self._name, found=found, details=details)


def _place_of(quote: Quote, ranked: Sequence[Answering]) -> int:
    """Where among them the quoted sentence stands first; -1 where it does not."""
    places = (
        at
        for at, one in enumerate(ranked)
        if one.paragraph.source == quote.source and quote.text in one.paragraph.text
    )
    return next(places, -1)


def within_sources(ranked: Sequence[Answering], cited: Set[int], most: int) -> list[Answering]:
    """Those that cite no more than `most` sources together with those that are `cited`."""
    allowed = set(cited)
    kept: list[Answering] = []
    for one in ranked:
        if len(allowed | {one.paragraph.source}) <= max(most, len(cited)):
            allowed.add(one.paragraph.source)
            kept.append(one)
    return kept


def _in_turn(orders: Sequence[Sequence[Answering]]) -> list[Answering]:
    """The best of each, then the second of each, and so on."""
    longest = max(map(len, orders))
    return [order[at] for at in range(longest) for order in orders if at < len(order)]


def _fitting(excerpts: Sequence[Answering], room: int) -> int:
    """How many of them, best first, have no more than `room` words together."""
    for number, one in enumerate(excerpts):
        room -= len(one.paragraph.text.split())
        if room < 0:
            return number
    return len(excerpts)


def _beside(single: Paragraph, best: Answering) -> Iterator[Answering]:
    """What more its paragraph says: the longer of what stands before and after the sentence."""
    around = best.paragraph
    sides = [(0, single.start), (single.end, len(around.text))]
    start, end = max(sides, key=lambda side: side[1] - side[0])
    text = around.text[start:end].strip()
    if len(text) > SHORT:
        at = around.text.index(text, start)
        yield replace(best, paragraph=replace(around, start=at, end=at + len(text), text=text))


def _on_a_line(one: Paragraph) -> str:
    marks = ((line, _ITEM.match(line)) for line in one.text.splitlines())
    lines = (line[mark.end() :] if mark else line for line, mark in marks)
    return f"{plain(' '.join(lines))} [{one.source}]"


def _block(one: Paragraph) -> str:
    """The paragraph as a block quote that keeps its lines, with the number of its source."""
    lines = [*_readable(one.text), f"[{one.source}]"]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _readable(text: str) -> list[str]:
    """The lines as a reader sees them: links and emphasis gone, lists and code kept."""
    shown: list[str] = []
    fence = ""  # what closes the code that is open: a fence of the page, or one of ours
    after_item = wrapped = False
    for line in text.splitlines():
        if not line.strip():  # shown, it would part what belongs together
            wrapped = False
            continue
        is_fence = line.lstrip().startswith(("```", "~~~"))
        if fence == "indented" and not _INDENT.match(line):
            shown.append("```")
            fence = ""
        if not fence and not is_fence and not after_item and _INDENT.match(line):
            shown.append("```")
            fence = "indented"
        item = _ITEM.match(line)
        if is_fence and fence != "indented":
            fence = "" if fence else line.strip()[:3]
            shown.append(line.strip())
        elif fence:
            shown.append(line)
        else:
            said = item[0] + plain(line[item.end() :]) if item else plain(line)
            apart = line.lstrip().startswith(("|", ">"))
            if wrapped and not item and not apart:
                shown[-1] += f" {said.strip()}"
            else:
                shown.append(said)
            after_item = bool(item) or (after_item and line[:1].isspace())
            wrapped = len(line) >= WRAPPED and not apart
            continue
        wrapped = False
    return _dedented([*shown, "```"] if fence else shown)


def _dedented(lines: Sequence[str]) -> list[str]:
    """The lines, without the indent that all lines of one piece of code have."""
    pieces = re.split(r"(?m)^((?:```|~~~).*\n?)", "\n".join(lines))
    inside = False
    for at, piece in enumerate(pieces):
        if at % 2:
            inside = not inside
        elif inside:
            pieces[at] = dedent(piece)
    return "".join(pieces).split("\n")


def as_heading(label: str) -> str:
    """A label as one short line that cannot be read as markup."""
    text = re.sub(r"[\[\]#*`<>|]+|(?<!\w)_+|_+(?!\w)", " ", label)
    text = " ".join(text.split()).rstrip(".:?!。？！")
    if len(text) > 90:
        text = text[:90].rsplit(" ", 1)[0] + " …"
    return text[:1].upper() + text[1:]


def _cited(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\[(\d{1,4})\]", text)}
