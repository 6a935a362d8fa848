"""The report without a model: the paragraph that answers first, then the few that bear on it.

Everything in it is quoted with its `[n]`; what is not quoted says what was looked for and not
found. What answers is ranked by `rank.answering`; where the question describes something that must
be found first, or compares, the sentences that lead to one another speak first (`write.linked`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from leadline.frozen import frozen
from leadline.ports import Embedder, PassageReader
from leadline.question.analyse import Expects, Question, analyse, as_asked
from leadline.rank.answering import Answering, answering, without_copies
from leadline.rank.paragraphs import Paragraph, paragraphs
from leadline.text.quotes import plain
from leadline.text.sentences import sentences
from leadline.types import Citation, Draft, Passage, State, TaskType
from leadline.write.linked import items_asked_for, leading_sentences
from leadline.write.wordings import phrases

EXCERPTS = 3  # beside the answer
OF_PARTS = 5  # where the question has several parts, or asks for an overview
DETAILS = 12  # more of them, shown where they are asked for
SENTENCES = 320  # characters of an answer that is a name, a number, a date, yes or no
ANSWERS = -4.0  # the reader's word below which nothing answers
COVERS = 0.5  # without a reader: the share of the question's words a paragraph must have
_ONE_FACT = frozenset(
    {Expects.PERSON, Expects.TIME, Expects.PLACE, Expects.NUMBER, Expects.YES_NO}
)
_BROAD = frozenset({TaskType.BEST_PRACTICES, TaskType.COMPARISON})
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_STOP = re.compile(r"[.?!…。？！]+(?=\s|$)")  # in a query it would end the note that names it


@frozen
class Ranking:
    """What a question, or a part of it, is answered by, best first."""

    asked: str
    ranked: tuple[Answering, ...]
    answered: bool


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
        self._reader = reader if self._question.language == "en" else None
        self._titles = {source.id: source.title for source in state.sources}
        self._say = phrases(self._question.language)

    def draft(self) -> Draft:
        found = paragraphs(self._passages)
        if not found:
            return Draft(self._nothing([]), (), self._name, found=False)
        whole = self._ranking(self._question.text, found)
        parts = [self._ranking(label, found) for label in _labels(self._question)]
        if not whole.answered and not any(part.answered for part in parts):
            nearest = without_copies(whole.ranked, EXCERPTS)
            return self._drafted(self._nothing(nearest), nearest, found=False)
        return self._answered(whole, parts)

    def _ranking(self, asked: str, found: Sequence[Paragraph]) -> Ranking:
        scores = [self._passages[one.passage].score for one in found]
        ranked = answering(asked, found, scores, self._titles, self._embedder, self._reader)
        return Ranking(asked, tuple(ranked), is_answered(ranked, self._reader))

    def _answered(self, whole: Ranking, parts: Sequence[Ranking]) -> Draft:
        question, state = self._question, self._state
        lead = self._led(whole)
        several = [part for part in parts if part.answered]
        if lead is None:
            firsts = [part.ranked[0] for part in several] or [whole.ranked[0]]
            lead, shown = self._first(firsts), firsts
        else:
            shown = []
        most = OF_PARTS if len(parts) > 1 or state.plan.task_type in _BROAD else EXCERPTS
        order = _in_turn([part.ranked for part in several]) if several else list(whole.ranked)
        rest = without_copies([*shown, *order], len(shown) + most + DETAILS)[len(shown) :]
        missing = [part.asked for part in parts if not part.answered]
        notes = [self._say.missing.format(what=as_heading(label)) for label in missing]
        body = [lead, *self._under_headings(rest[:most]), *notes]
        if question.wanted and (counted := lead.count("\n") + 1) < question.wanted:
            body.append(self._say.fewer.format(found=counted, wanted=question.wanted))
        details = "\n\n".join(self._under_headings(rest[most:]))
        return self._drafted("\n\n".join(body), [*shown, *rest], details=details)

    def _led(self, whole: Ranking) -> str | None:
        """The answer in sentences that lead to one another, or as a list of so many items."""
        question = self._question
        if question.wanted:
            return items_asked_for(question, self._passages, self._titles, self._embedder)
        if question.hops or question.compared:
            return leading_sentences(question, self._passages, self._titles, self._embedder)
        return None

    # ── printing ────────────────────────────────────────────────────────────────────────────

    def _first(self, firsts: Sequence[Answering]) -> str:
        """The paragraph that answers; a sentence of it where one fact is asked for; of a question
        of several parts what answers each."""
        short = len(firsts) > 1 or self._question.expects in _ONE_FACT
        if len(firsts) == 1 and not _running(firsts[0].paragraph.text):
            return _block(firsts[0].paragraph)
        said = []
        for one in firsts:
            text = plain(one.paragraph.text)
            if short and len(text) > SENTENCES:
                text = self._best_sentences(text)
            said.append(f"{text} [{one.paragraph.source}]")
        return " ".join(dict.fromkeys(said))

    def _best_sentences(self, text: str) -> str:
        """The stretch of whole sentences that answers best by itself."""
        spans = [span for span in sentences(text)]
        stretches = [
            text[first.start : last.end]
            for at, first in enumerate(spans)
            for last in spans[at : at + 3]
            if last.end - first.start <= SENTENCES
        ]
        if not stretches or self._reader is None:
            return text
        scores = self._reader.score_answers(self._question.text, stretches)
        return stretches[int(scores.argmax())]

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


def is_answered(ranked: Sequence[Answering], reader: PassageReader | None) -> bool:
    """Whether one of the best paragraphs answers well enough."""
    enough = COVERS if reader is None else ANSWERS
    return max((one.answer for one in ranked[:EXCERPTS]), default=-100.0) >= enough


def _labels(question: Question) -> list[str]:
    """The parts of a question that asks several things; what it only describes is not one."""
    wanted = [part for part in question.parts if not part.inner]
    if len(wanted) < 2 or question.wanted or question.compared or question.hops:
        return []
    return [as_asked(part.label, question.text) for part in wanted]


def _in_turn(orders: Sequence[Sequence[Answering]]) -> list[Answering]:
    """The best of each, then the second of each, and so on."""
    longest = max(map(len, orders))
    return [order[at] for at in range(longest) for order in orders if at < len(order)]


def _running(text: str) -> bool:
    """Is it running text, which can stand on one line?"""
    lines = [line for line in text.splitlines() if line.strip()]
    return not any(
        _ITEM.match(line) or line.lstrip().startswith(("|", "```", "~~~", ">", "    "))
        for line in lines
    )


def _block(one: Paragraph) -> str:
    """The paragraph as a block quote that keeps its lines, with the number of its source."""
    lines = [*_readable(one.text), f"[{one.source}]"]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _readable(text: str) -> list[str]:
    """The lines as a reader sees them: links and emphasis gone, lists and code kept."""
    shown: list[str] = []
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            shown.append(line.strip())
        elif fenced:
            shown.append(line)
        elif item := _ITEM.match(line):
            shown.append(item[0] + plain(line[item.end() :]))
        else:
            shown.append(plain(line))
    return [*shown, "```"] if fenced else shown


def as_heading(label: str) -> str:
    """A label as one short line that cannot be read as markup."""
    text = re.sub(r"[\[\]#*_`<>|]+", " ", label)
    text = " ".join(text.split()).rstrip(".:?!。？！")
    if len(text) > 90:
        text = text[:90].rsplit(" ", 1)[0] + " …"
    return text[:1].upper() + text[1:]


def _cited(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\[(\d{1,4})\]", text)}


def draft(
    state: State,
    passages: Sequence[Passage],
    embedder: Embedder,
    reader: PassageReader | None,
    name: str,
) -> Draft:
    """The report on `state.task` from `passages`."""
    return Quoting(state, passages, embedder, reader, name).draft()


def unanswered(
    task: str,
    passages: Sequence[Passage],
    titles: Mapping[int, str],
    embedder: Embedder,
    reader: PassageReader | None = None,
) -> tuple[str, ...]:
    """The parts of `task` that these passages do not answer; all of it where they answer none."""
    found = paragraphs(passages)
    question = analyse(task)
    scores = [passages[one.passage].score for one in found]

    def answered(asked: str) -> bool:
        ranked = answering(asked, found, scores, titles, embedder, reader)
        return is_answered(ranked, reader)

    if not found or not answered(task):
        return (task,)
    return tuple(label for label in _labels(question) if not answered(label))
