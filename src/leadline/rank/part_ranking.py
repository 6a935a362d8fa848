"""What answers a question and each of its parts: paragraphs ranked, and whether they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from leadline.ports import Embedder, PassageReader
from leadline.question.analyse import Part, Question
from leadline.rank.answering import Answering, answering
from leadline.rank.back_references import told
from leadline.rank.paragraphs import Paragraph
from leadline.rank.word_coverage import rarity
from leadline.text.sentences import sentences
from leadline.text.words import content_words

# Fitted on questions over this project's docs and on the manuals' questions asked of other manuals;
# held on the manuals' own. See LOG.md, "When nothing answers".
WORDS = 6.0  # what it adds to the reader's word that all words of the question are there
ANSWERS = -2.6  # the sum below which a paragraph does not answer
COVERS = 0.5  # without a reader: the share of the question's words a paragraph must have
TOLD = 0.6  # of the words of a part that refers back, in one sentence
CHOICE = 40  # of the best paragraphs, from which a report is made
LOOKED_AT = 3  # of the best paragraphs


@dataclass(frozen=True)
class Ranking:
    """The paragraphs by how well they answer `part`, and whether one of the best does."""

    part: Part
    best: tuple[Answering, ...]
    answered: bool


class Ranker:
    """Ranks the same paragraphs for a question and its parts."""

    def __init__(
        self,
        found: Sequence[Paragraph],
        scores: Sequence[float],
        titles: Mapping[int, str],
        embedder: Embedder,
        reader: PassageReader | None,
        may_quote: Callable[[Paragraph], bool] = lambda _: True,
    ) -> None:
        self.found = found
        self._may_quote = may_quote
        self._scores, self._titles = scores, titles
        self._embedder, self._reader = embedder, reader

    def ranking(self, part: Part) -> Ranking:
        order = self.order(part, self.found, self._scores)
        best = [one for one in order[:CHOICE] if self._may_quote(one.paragraph)]
        answered = any(_answers(one) for one in best[:LOOKED_AT])
        if answered and part.own:
            answered = self._tells(part, best[:LOOKED_AT])
        return Ranking(part, tuple(best), answered)

    def order(
        self, part: Part, found: Sequence[Paragraph], scores: Sequence[float] = ()
    ) -> list[Answering]:
        """`found` by how well they answer `part`."""
        scores = scores or [0.0] * len(found)
        return answering(
            part.label, part.words, found, scores, self._titles, self._embedder, self._reader
        )

    def _tells(self, part: Part, best: Sequence[Answering]) -> bool:
        """Whether one of the best answers a part that refers back to what another part names."""
        rare = rarity([frozenset(content_words(one.text)) for one in self.found])
        for one in best:
            paragraph = one.paragraph
            head = " ".join((self._titles.get(paragraph.source, ""), *paragraph.headings))
            spans = [span.text for span in sentences(paragraph.text)]
            said = [(text, frozenset(content_words(text))) for text in spans]
            around = frozenset(content_words(f"{head} {paragraph.text}"))
            if told(part, said, around, rare) >= TOLD:
                return True
        return False


def _answers(one: Answering) -> bool:
    """Whether it answers by itself, well enough to be shown as the answer."""
    if one.answer is None:
        return one.covered >= COVERS
    return one.answer + WORDS * one.covered >= ANSWERS


def whole(question: Question) -> Part:
    """The question as one part."""
    return Part(question.text, question.words, question.names, question.expects)


def several_parts(question: Question) -> tuple[Part, ...]:
    """The parts of a question that asks several things; what it only describes is not one."""
    wanted = tuple(part for part in question.parts if not part.inner)
    if len(wanted) < 2 or question.wanted or question.compared:
        return ()
    return wanted


def unanswered(
    question: Question,
    found: Sequence[Paragraph],
    titles: Mapping[int, str],
    embedder: Embedder,
    reader: PassageReader | None,
) -> tuple[str, ...]:
    """The parts of a question that nothing found answers; all of it where nothing answers any."""
    ranker = Ranker(found, [0.0] * len(found), titles, embedder, reader)
    parts = [ranker.ranking(part) for part in several_parts(question)]
    missing = tuple(one.part.label for one in parts if not one.answered)
    if len(missing) < len(parts) or (not parts and ranker.ranking(whole(question)).answered):
        return missing
    return (question.text,)
