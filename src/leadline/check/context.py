"""Gives each quotation the words that stand round it, so that a reader sees it in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.text.quotes import around
from leadline.types import Claim, Passage, Quote


def in_context(claims: Sequence[Claim], passages: Sequence[Passage]) -> tuple[Claim, ...]:
    """The claims, their quotes with what stands before and after them in the passage."""
    return tuple(
        replace(claim, quote=_placed(claim.quote, passages)) if claim.quote else claim
        for claim in claims
    )


def _placed(quote: Quote, passages: Sequence[Passage]) -> Quote:
    for passage in passages:
        if passage.source != quote.source or passage.page != quote.page:
            continue
        start, end = quote.start - passage.start, quote.end - passage.start
        if 0 <= start < end <= len(passage.text) and passage.text[start:end] == quote.text:
            before, after = around(passage.text, start, end)
            return replace(quote, before=before, after=after)
    return quote
