"""The numbers of sources as a report shows them: in the order in which it cites them, no gaps.

Within a run a source keeps the number that it was found with; only what is handed out is numbered
anew, so that a reader meets [1] first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from leadline.types import AgentResponse, Citation, Claim, Details, Quote
from leadline.values import replace

_MARK = re.compile(r"\[(\d{1,4})\]")
_CODE = re.compile(r"`[^`\n]+`")
_FENCE = re.compile(r"[>\s]*(?:```|~~~)")
_QUOTED_MARK = re.compile(r">\s*(?:\[\d{1,4}\]\s*)+$")

Numbers = Mapping[int, int]


def renumbered(response: AgentResponse) -> AgentResponse:
    """`response` with its sources numbered as they are cited first, and listed in that order."""
    details = response.details
    texts = [response.final_answer, details.answer if details else ""]
    known = [one.id for one in (*response.sources, *(details.sources if details else ()))]
    others = [one.source for one in response.grounds] + [
        number for one in response.variants for number in (one.source, one.like)
    ]
    order = [number for text in texts for number in _cited(text) if number in known]
    numbers = {old: new for new, old in enumerate(dict.fromkeys([*order, *known, *others]), 1)}
    answer = _rewritten(response.final_answer, numbers)
    return replace(
        response,
        summary=answer,
        final_answer=answer,
        sources=_sorted(response.sources, numbers),
        claims=_claims(response.claims, numbers),
        dropped=_claims(response.dropped, numbers),
        disputes=tuple(
            replace(one, one=_quote(one.one, numbers), other=_quote(one.other, numbers))
            for one in response.disputes
        ),
        grounds=tuple(replace(one, source=numbers[one.source]) for one in response.grounds),
        variants=tuple(
            replace(one, source=numbers[one.source], like=numbers[one.like])
            for one in response.variants
        ),
        details=details
        and Details(
            _rewritten(details.answer, numbers),
            _claims(details.claims, numbers),
            _sorted(details.sources, numbers),
        ),
    )


def _cited(text: str) -> list[int]:
    return [int(mark[1]) for line in _open_lines(text) for mark in _MARK.finditer(line or "")]


def _rewritten(text: str, numbers: Numbers) -> str:
    def new(mark: re.Match[str]) -> str:
        return f"[{numbers.get(int(mark[1]), int(mark[1]))}]"

    lines = text.split("\n")
    for at, line in enumerate(_open_lines(text)):
        if line is not None:
            parts = re.split(f"({_CODE.pattern})", lines[at])
            lines[at] = "".join(
                part if odd % 2 else _MARK.sub(new, part) for odd, part in enumerate(parts)
            )
    return "\n".join(lines)


def _open_lines(text: str) -> list[str | None]:
    """The lines in which a number in brackets is a citation, without their code; None for the
    others: code, and quotations but for the mark below them."""
    found: list[str | None] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        quoted = line.startswith(">") and not _QUOTED_MARK.match(line)
        found.append(None if fenced or quoted else _CODE.sub("", line))
    return found


def _sorted(sources: Sequence[Citation], numbers: Numbers) -> tuple[Citation, ...]:
    new = (replace(one, id=numbers[one.id]) for one in sources)
    return tuple(sorted(new, key=lambda one: one.id))


def _claims(claims: Sequence[Claim], numbers: Numbers) -> tuple[Claim, ...]:
    return tuple(
        replace(
            one,
            sources=tuple(numbers.get(number, number) for number in one.sources),
            quote=one.quote and _quote(one.quote, numbers),
        )
        for one in claims
    )


def _quote(quote: Quote, numbers: Numbers) -> Quote:
    return replace(quote, source=numbers.get(quote.source, quote.source))
