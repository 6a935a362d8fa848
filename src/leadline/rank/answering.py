"""Which paragraphs answer a question and each of its parts, best first, and whether they do.

Words and meaning choose: how many of the question's telling words a paragraph and its headings
have, and how near it is by static vectors. For the best of them the learned reader is asked: its
vectors, and its own word on whether this text answers this question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.question.analyse import Part, Question
from leadline.rank.evidence import answers_part
from leadline.rank.linked_sentences import REFERS_BACK
from leadline.rank.paragraphs import Paragraph
from leadline.rank.word_coverage import coverage, held, rarity, share, weights
from leadline.text.sentences import sentences
from leadline.text.words import content_words
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.ports import Embedder, Matrix, PassageReader

DEPTH = 100  # paragraphs whose vectors the reader makes
ASKED = 20  # of them, of which it is asked whether they answer
CHOICE = 40  # of the best paragraphs, from which a report is made
LOOKED_AT = 3  # of the best paragraphs, one of which must answer
IN_HEADING = 0.6  # what a word in the headings counts of one in the text
# Weight of the search's own score beside words, of both beside the reader's vectors, and of its
# answer in log-odds beside all; held on the manuals and on this project's docs, ClapNQ −.016.
HALF = 0.5
# Fitted on questions over this project's docs and on the manuals' questions asked of other manuals;
# held on the manuals' own. See LOG.md, "When nothing answers".
WORDS = 6.0  # what it adds to the reader's word that all words of the question are there
ANSWERS = -2.6  # the sum below which a paragraph does not answer
COVERS = 0.5  # without a reader: the share of the question's words a paragraph must have
TOLD = 0.6  # of the words of a part that refers back, in one sentence
COPY = 0.7  # share of its words in a better paragraph that makes one a repetition
# What makes a text of the same words another one.
_TELLING = re.compile(r"\d+(?:[.,]\d+)*|\b(?:no|not|never|none|cannot)\b|n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True)
class Answering:
    """A paragraph; the share of the question's words that it has; and the reader's word on how
    well it answers, where a reader was asked."""

    paragraph: Paragraph
    covered: float
    answer: float | None = None

    @property
    def answers(self) -> bool:
        """Whether it answers by itself, well enough to be shown as the answer."""
        if self.answer is None:
            return self.covered >= COVERS
        return self.answer + WORDS * self.covered >= ANSWERS


@dataclass(frozen=True)
class Ranking:
    """The paragraphs by how well they answer `part`, and whether one of the best does."""

    part: Part
    best: tuple[Answering, ...]
    answered: bool


class Ranker:
    """Ranks the same paragraphs for a question and its parts. `scores` are the search's own, one a
    paragraph; what `may_quote` refuses is not among the best."""

    def __init__(
        self,
        found: Sequence[Paragraph],
        scores: Sequence[float],
        titles: Mapping[int, str],
        embedder: Embedder,
        reader: PassageReader | None,
        may_quote: Callable[[Paragraph], bool] = lambda _: True,
    ) -> None:
        self._found, self._titles, self._may_quote = found, titles, may_quote
        self._embedder, self._reader = embedder, reader
        self._own = np.array(scores, dtype=np.float32) / (max(scores, default=0.0) or 1.0)
        self._heads = [self._heading(one) for one in found]
        self._words = [frozenset(content_words(one.text)) for one in found]
        self._above = {head: frozenset(content_words(head)) for head in self._heads}
        pairs = zip(self._words, self._heads, strict=True)
        self._rare = rarity([words | self._above[head] for words, head in pairs])

    def ranking(self, part: Part) -> Ranking:
        """What answers `part`, best first."""
        order = self._order(part) if self._found else []
        best = tuple(one for one in order[:CHOICE] if self._may_quote(one.paragraph))
        looked_at = best[:LOOKED_AT]
        answered = any(one.answers for one in looked_at)
        if answered and part.own:
            answered = any(self._tells(part, one.paragraph) for one in looked_at)
        return Ranking(part, best, answered)

    def best_stretch(self, part: Part, whole: Paragraph, longest: int) -> Paragraph:
        """The stretch of whole sentences, or lines, of at most `longest` characters that answers
        best by itself; `whole` where it is no longer."""
        if len(whole.text) <= longest:
            return whole
        above = (*whole.headings, whole.term) if whole.term else whole.headings
        stretches = [
            replace(
                whole,
                start=start,
                end=end,
                text=whole.text[start:end],
                headings=above if start else whole.headings,
            )
            for start, end in whole.stretches(longest)
        ]
        return stretches[self._best_of(part, stretches)] if stretches else whole

    def best_sentence(self, part: Part, whole: Paragraph) -> Paragraph | None:
        """The sentence that answers at least as well as all of its paragraph, if one does and can
        stand alone."""
        spans = [one for one in sentences(whole.text) if not REFERS_BACK.match(one.text)]
        if self._reader is None or not spans:
            return None
        single = [replace(whole, start=s.start, end=s.end, text=s.text) for s in spans]
        answers = self._reader.score_answers(
            part.label, [self._shown(one) for one in [*single, whole]]
        )
        best = int(np.argmax(answers))
        return single[best] if best < len(single) else None

    def _best_of(self, part: Part, texts: Sequence[Paragraph]) -> int:
        """Which of the stretches of one paragraph answers best: by words, meaning and the reader,
        without its vectors, which would take longer than all else."""
        shares = [coverage(part.words, content_words(one.text), self._rare) for one in texts]
        rows = self._embedder.embed([part.label, *(one.text for one in texts)])
        ranks = np.array(shares, dtype=np.float32) + rows[1:] @ rows[0]
        if self._reader is not None:
            shown = [self._shown(one) for one in texts]
            answers = self._reader.score_answers(part.label, shown)
            ranks = _standing(ranks) + _standing(answers)
        return int(np.argmax(ranks))

    def _order(self, part: Part) -> list[Answering]:
        coarse, covered = self._by_words(part)
        order = np.argsort(-coarse, kind="stable")
        if self._reader is None:
            return [Answering(self._found[i], float(covered[i])) for i in order]
        order = order[:DEPTH]
        texts = [self._shown(self._found[i]) for i in order]
        near = _standing(self._reader.embed(texts) @ self._reader.embed([part.label])[0])
        near += HALF * _standing(coarse[order])
        by_meaning = np.argsort(-near, kind="stable")
        first, rest = by_meaning[:ASKED], by_meaning[ASKED:]
        answers = np.full(len(texts), -np.inf, dtype=np.float32)
        answers[first] = self._reader.score_answers(part.label, [texts[i] for i in first])
        ranks = near[first] + HALF * answers[first]
        best = [*first[np.argsort(-ranks, kind="stable")], *rest]
        return [
            Answering(self._found[order[i]], float(covered[order[i]]), float(answers[i]))
            for i in best
        ]

    def _by_words(self, part: Part) -> tuple[Matrix, Matrix]:
        """The paragraphs by words, meaning and the search's score; and the words by themselves."""
        wanted = tuple(dict.fromkeys(part.words))
        weight = weights(wanted, self._rare)
        headed = {head: held(wanted, words) for head, words in self._above.items()}
        covered = np.array(
            [
                share(
                    [
                        max(inside, IN_HEADING * above)
                        for inside, above in zip(held(wanted, words), headed[head], strict=True)
                    ],
                    weight,
                )
                for words, head in zip(self._words, self._heads, strict=True)
            ],
            dtype=np.float32,
        )
        pairs = zip(self._heads, self._found, strict=True)
        rows = self._embedder.embed([part.label, *(f"{head} {one.text}" for head, one in pairs)])
        return covered + rows[1:] @ rows[0] + HALF * self._own, covered

    def _tells(self, part: Part, one: Paragraph) -> bool:
        """Whether the paragraph answers a part that refers back to what another part names."""
        spans = [(span.text, frozenset(content_words(span.text))) for span in sentences(one.text)]
        around = frozenset(content_words(f"{self._heading(one)} {one.text}"))
        return answers_part(part, spans, around, self._rare) >= TOLD

    def _heading(self, one: Paragraph) -> str:
        return " › ".join(dict.fromkeys((self._titles.get(one.source, ""), *one.headings)))

    def _shown(self, one: Paragraph) -> str:
        """The paragraph as the reader sees it: under its nearest heading."""
        heading = one.headings[-1] if one.headings else self._titles.get(one.source, "")
        return f"{heading}: {one.text}" if heading else one.text


def _standing(values: Matrix) -> Matrix:
    """How many deviations each stands above the mean of all."""
    return np.asarray((values - values.mean()) / (values.std() or 1.0), dtype=np.float32)


def without_copies(ranked: Sequence[Answering], most: int, shown: str = "") -> list[Answering]:
    """The first `most` that repeat neither a better one nor what is `shown` already; other figures
    and a "not" make it another text."""
    kept: list[Answering] = []
    bags = [_content(shown)] if shown else []
    for one in ranked:
        bag, figures = _content(one.paragraph.text)
        if bag and not any(
            len(bag & other) >= COPY * min(len(bag), len(other)) and figures <= known
            for other, known in bags
        ):
            kept.append(one)
            bags.append((bag, figures))
        if len(kept) == most:
            break
    return kept


def _content(text: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(content_words(text)), frozenset(_TELLING.findall(text.lower()))


def whole(question: Question) -> Part:
    """The question as one part."""
    return Part(question.text, question.words, question.names, question.expects)


def several_parts(question: Question) -> tuple[Part, ...]:
    """The parts of a question that asks several things; what it only describes is not one."""
    wanted = tuple(part for part in question.parts if not part.inner)
    if len(wanted) < 2 or question.wanted or question.compared:
        return ()
    return wanted


def unanswered(question: Question, ranker: Ranker) -> tuple[str, ...]:
    """The parts of a question that nothing found answers; all of it where nothing answers any."""
    parts = [ranker.ranking(part) for part in several_parts(question)]
    missing = tuple(one.part.label for one in parts if not one.answered)
    if len(missing) < len(parts) or (not parts and ranker.ranking(whole(question)).answered):
        return missing
    return (question.text,)
