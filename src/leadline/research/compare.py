"""The sides of a comparison, quoted side by side."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.check.proof import in_context
from leadline.ports import Embedder
from leadline.rank.comparison_rows import rows_beside
from leadline.research.subtasks import Gathered
from leadline.text.prose import is_prose
from leadline.text.quotes import plain
from leadline.text.sentences import sentences
from leadline.text.words import content_words
from leadline.types import Checked, Claim, Ground, Plan, Quote, TaskType, Verdict
from leadline.write.wordings import phrases

_SENTENCE_CHARS = (30, 300)  # what may stand in a cell

Weighed = dict[str, tuple[int, Quote]]  # sentences, each with how much it says of its side


async def compared(plan: Plan, parts: tuple[Gathered, ...], embedder: Embedder) -> Checked:
    """A table of quotations that speak of the same for each side; every cell is a claim.

    Nothing where the task is no comparison, or a side has nothing to say.
    """
    labels = plan.subtasks
    if plan.task_type is not TaskType.COMPARISON:
        return Checked("", found=False)
    sides = _sides([_quotable(at, parts, labels) for at in range(len(parts))])
    texts = [[quote.text for quote in side] for side in sides]
    rows = rows_beside(labels, texts, embedder)
    if not rows:
        return Checked("", found=False)
    cells = [[sides[at][i] if i >= 0 else None for at, i in enumerate(row)] for row in rows]
    told = [quote for row in cells for quote in row if quote is not None]
    passages = tuple(one for part in parts for one in part.passages)
    claims = [
        Claim(plain(quote.text), (quote.source,), Verdict.SUPPORTED, 1.0, quote) for quote in told
    ]
    cited = {quote.source for quote in told}
    return Checked(
        answer="\n".join(_table(labels, cells, phrases(plan.language).beside)),
        claims=in_context(claims, passages),
        grounds=tuple(
            Ground(one.source, one.page, one.start, one.end)
            for one in passages
            if one.source in cited
        ),
    )


def _sides(found: Sequence[Weighed]) -> list[list[Quote]]:
    """The quotations of each side, the most telling first; what two have goes to whose it is."""
    sides = []
    for at, side in enumerate(found):
        others = [other for number, other in enumerate(found) if number != at]
        own = [
            (weight, quote)
            for told, (weight, quote) in side.items()
            if all(told not in other or other[told][0] < weight for other in others)
        ]
        own.sort(key=lambda one: -one[0])
        sides.append([quote for weight, quote in own if 2 * weight >= own[0][0]])
    return sides


def _quotable(at: int, parts: Sequence[Gathered], labels: Sequence[str]) -> Weighed:
    """Sentences that could stand in a cell of one side, each with its weight.

    A sentence, or the title over it, has a word that is this side's alone.
    """
    part, about = parts[at], set(content_words(labels[at]))
    others = (label for number, label in enumerate(labels) if number != at)
    alone = about - {word for label in others for word in content_words(label)} or about
    titles = {source.id: set(content_words(source.title)) for source in part.state.sources}
    found: Weighed = {}
    for passage in part.passages:
        named = len(alone & titles.get(passage.source, set()))
        for span in sentences(passage.text):
            told = plain(span.text)
            said = set(content_words(told))
            if (named or alone & said) and _fits(told, span.kind):
                start = passage.start + span.start
                quote = Quote(
                    passage.source, span.text, passage.page, start, start + len(span.text)
                )
                found.setdefault(told, (2 * named + len(alone & said) + len(about & said), quote))
    return found


def _fits(told: str, kind: str) -> bool:
    least, most = _SENTENCE_CHARS
    return kind == "prose" and least <= len(told) <= most and "|" not in told and is_prose(told)


def _table(labels: Sequence[str], rows: Sequence[Sequence[Quote | None]], title: str) -> list[str]:
    head = [label.replace("|", "/") for label in labels]
    body = [
        [f"{plain(cell.text)} [{cell.source}]" if cell else "—" for cell in row] for row in rows
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *body)]
    return [f"## {title}", "", *lines]
