"""The sides of a comparison, quoted side by side: the sentence that says most of each."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.check.proof import in_context
from leadline.research.subtasks import Gathered
from leadline.text.quotes import plain
from leadline.text.sentences import sentences
from leadline.text.words import content_words
from leadline.types import Checked, Claim, Ground, Plan, Quote, TaskType, Verdict
from leadline.write.wordings import phrases

LONGEST = 300  # characters of a sentence that may stand in a cell


async def compare_sides(plan: Plan, parts: tuple[Gathered, ...]) -> Checked:
    """A table with one quotation a side; nothing where the task is no comparison, or a side has
    nothing to say."""
    labels = plan.subtasks
    if plan.task_type is not TaskType.COMPARISON:
        return Checked("", found=False)
    quotes = [_most_telling(at, parts, labels) for at in range(len(parts))]
    row = [quote for quote in quotes if quote is not None]
    if len(row) < len(parts):
        return Checked("", found=False)
    passages = tuple(passage for part in parts for passage in part.passages)
    claims = [
        Claim(plain(quote.text), (quote.source,), Verdict.SUPPORTED, 1.0, quote) for quote in row
    ]
    head = [label.replace("|", "/") for label in labels]
    cells = [f"{plain(quote.text)} [{quote.source}]" for quote in row]
    lines = [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), cells)]
    cited = {quote.source for quote in row}
    return Checked(
        answer="\n".join([f"## {phrases(plan.language).beside}", "", *lines]),
        claims=in_context(claims, passages),
        grounds=tuple(
            Ground(passage.source, passage.page, passage.start, passage.end)
            for passage in passages
            if passage.source in cited
        ),
    )


def _most_telling(at: int, parts: Sequence[Gathered], labels: Sequence[str]) -> Quote | None:
    """The sentence with most of a side's words, none of which another side has to itself."""
    own = set(content_words(labels[at]))
    other = {word for n, label in enumerate(labels) if n != at for word in content_words(label)}
    titles = {source.id: source.title for source in parts[at].state.sources}
    best: tuple[int, Quote | None] = (0, None)
    for passage in parts[at].passages:
        named = len((own - other) & set(content_words(titles.get(passage.source, ""))))
        for span in sentences(passage.text):
            words = set(content_words(span.text))
            weight = named + len((own - other or own) & words)
            fits = span.kind == "prose" and len(span.text) <= LONGEST and "|" not in span.text
            if fits and not words & (other - own) and weight > best[0]:
                start = passage.start + span.start
                end = start + len(span.text)
                best = weight, Quote(passage.source, span.text, passage.page, start, end)
    return best[1]
