"""Which sentences of a text speak to the machine that reads: they state no fact, so that no
claim may quote them and memory keeps none of them, wherever the text comes from."""

from __future__ import annotations

from functools import lru_cache

from leadline.guard.addressed import is_order, paragraphs, signs_of
from leadline.question.language import has_foreign, is_english, is_foreign

WHY = "what it quotes reads like an instruction to a model"
COMPANY = 3  # sentences of a paragraph in which all are suspect when one is
SHORT = 420  # characters of such a paragraph
FEW, MOST = 24, 20_000  # characters of a paragraph whose language is told, and of a text


@lru_cache(maxsize=512)
def spoken(text: str, own: bool = False, /) -> tuple[tuple[int, int], ...]:
    """The spans of `text` that read like an instruction to a model. In the user's `own` documents
    only what can hardly be anything else: manuals give orders on every page."""
    from leadline.guard.disguises import plain
    from leadline.guard.features import codes_of, tokens  # numpy: not before the first page
    from leadline.guard.instruction_rules import told
    from leadline.guard.rules import hits

    form = plain(text)
    codes = codes_of(form.text)
    found = tokens(codes)
    like = () if own else told(form.text, codes, found)
    spans = [(one.start, one.end) for one in like]
    spans += [(one.start, one.end) for one in hits(form.text, found, strong=True)]
    signs = signs_of(text)
    orders = [span for span in paragraphs(text) if is_order(text[slice(*span)], signs)]
    orders += [] if own else strange(text)
    return tuple(sorted({*(_whole(text, *form.source_of(*span)) for span in spans), *orders}))


def strange(text: str) -> list[tuple[int, int]]:
    """The short paragraphs of an English text in another language: whatever they say, they do not
    belong to what it tells, and orders are known best in English."""
    if len(text) > MOST or not has_foreign(text) or not is_english(text):
        return []
    return [
        (start, end)
        for start, end in paragraphs(text)
        if FEW <= end - start <= min(SHORT, len(text) // 3) and is_foreign(text[start:end])
    ]


def speaks(text: str, start: int = 0, end: int | None = None, own: bool = False) -> bool:
    """Whether something in `text[start:end]` does."""
    last = len(text) if end is None else end
    return any(a < last and b > start for a, b in spoken(text, own))


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """The span, or the paragraph round it where that is hardly more: an order and what leads to it
    stand together."""
    first = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
    last = text.find("\n\n", end)
    last = len(text) if last < 0 else last
    said = text[first:last]
    few = sum(said.count(stop) for stop in (". ", "! ", "? ")) < COMPANY - 1
    return (first, last) if len(said) <= SHORT and few else (start, end)
