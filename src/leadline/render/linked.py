"""An answer for a chat: its citations are Markdown links, its sources stand below it."""

from __future__ import annotations

import re

from leadline.render.fragment import to_words
from leadline.render.markdown import source_line
from leadline.render.safe import escaped, plain
from leadline.render.words import limits_met, memory_line
from leadline.types import AgentResponse, Citation

# Code is left alone: what looks like a citation there is none.
_PARTS = re.compile(r"(```.*?```|`[^`\n]*`)|\[(\d{1,4})\](?!\()", re.DOTALL)
_UNSAFE = re.compile(r"[\s<>()\[\]\"'\\]")


def linked(response: AgentResponse) -> str:
    """The answer with `[n]` as links to the quoted words, what limited it, and its sources."""
    sources = {source.id: source for source in response.sources}
    quotes = {
        claim.quote.source: claim.quote.text for claim in reversed(response.claims) if claim.quote
    }

    def link(match: re.Match[str]) -> str:
        source = sources.get(int(match[2])) if match[2] else None
        address = _address(source, quotes) if source else ""
        return f"[[{match[2]}]]({address})" if address else match[0]

    parts = [_PARTS.sub(link, plain(response.final_answer).strip())]
    if memory := memory_line(response):
        parts.insert(0, f"_{escaped(memory)}_")
    if limits := limits_met(response):
        parts.append("\n".join(f"_{one}_" for one in limits))
    if response.sources:
        parts.append("\n".join(f"- {source_line(source)}" for source in response.sources))
    return "\n\n".join(parts)


def _address(source: Citation, quotes: dict[int, str]) -> str:
    """Where the source is, at the quoted words; "" for a document or an odd address."""
    where = source.location
    if not where.startswith(("http://", "https://")) or not where.isprintable():
        return ""
    pointed = to_words(where, quotes[source.id]) if source.id in quotes else where
    return _UNSAFE.sub(lambda odd: f"%{ord(odd[0]):02X}", pointed)
