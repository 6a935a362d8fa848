"""Checks a report that anybody wrote: Markdown with `[n]` marks and a list of its sources.

Takes the report apart and holds each claim against the passages it is given; where those come from
is for `bundle.report` to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from leadline.check.claims import Part, cut
from leadline.check.prover import Prover
from leadline.types import Quote, Verdict
from leadline.values import Value

_TITLES = (
    "sources|references|bibliography|works cited|citations|links|quellen|literatur|références"
    "|fuentes|referencias|参考文献|资料来源|出典"
)
_SOURCES = re.compile(
    rf"\s{{0,3}}(?:#{{1,6}}\s*|\*\*|__)?(?:{_TITLES})\s*:?\s*(?:\*\*|__)?\s*:?\s*$", re.IGNORECASE
)
# What a report of ours tells besides its answer.
_NOT_ASSERTED = re.compile(
    r"\s{0,3}#{1,6}\s*(?:left out|how this was found|what limited this answer)\s*$", re.IGNORECASE
)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_ENTRY = re.compile(r"\s{0,3}(?:[-*+]\s+)?(?:\[\^?(\d{1,4})\]:?|(\d{1,4})[.)])\s+(\S.*)$")
_DEFINED = re.compile(r"\s{0,3}\[\^?(\d{1,4})\]:\s+(\S.*)$")
_LINKED = re.compile(r"\[([^\[\]\n]{0,300})\]\(<?((?:[^()<>\s]|\([^()<>\s]{0,200}\)){1,2000})>?")
_ADDRESS = re.compile(r"<([^<>\s]{1,2000})>|(https?://[^\s<>()\[\]]{1,2000})|`([^`\n]{1,500})`")
_DASH = re.compile(r"\s+(?:—|–|-|\||:)\s+")


class ListedSource(Value):
    """A source as the report lists it: `location` is a file or an address."""

    id: int
    title: str
    location: str


class CheckedClaim(Value):
    """A claim of somebody's report: the ids it cites, those that serve it, their words."""

    text: str
    verdict: Verdict
    cited: tuple[int, ...] = ()
    proved_by: tuple[int, ...] = ()
    quote: Quote | None = None
    why: str = ""
    judge: str = ""


def take_apart(report: str) -> tuple[str, tuple[ListedSource, ...]]:
    """What the report says, and the sources that it lists."""
    body: list[str] = []
    entries: dict[int, ListedSource] = {}
    section = ""
    for line in report.splitlines():
        if _SOURCES.match(line) or _NOT_ASSERTED.match(line):
            section = "sources" if _SOURCES.match(line) else "other"
        elif _HEADING.match(line):
            section = ""
        entry = (_ENTRY if section == "sources" else _DEFINED).match(line)
        if entry:
            number, told = next(group for group in entry.groups() if group), entry.groups()[-1]
            entries.setdefault(int(number), _listed(int(number), told))
        elif not section:
            body.append(line)
    return "\n".join(body), tuple(entries.values())


def _listed(number: int, told: str) -> ListedSource:
    """The source of one line: "**Title** — file", "[Title](address)", "file"."""
    if link := _LINKED.search(told):
        return ListedSource(number, link[1].strip("*_ "), link[2])
    if address := _ADDRESS.search(told):
        location = next(group for group in address.groups() if group)
        return ListedSource(number, _bare(told[: address.start()]), location.rstrip(".,;"))
    title, *rest = _DASH.split(told.strip(), maxsplit=1)
    return ListedSource(number, _bare(title), _bare(rest[0] if rest else title))


def _bare(text: str) -> str:
    return text.strip().strip('*_`"“”').rstrip("—–-|:,. ").strip("*_ ")


def claims_in(body: str) -> Iterator[Part]:
    """What the report claims, in its order; headings, labels, lead-ins and questions are none."""
    for unit in cut(body):
        if unit.kind in ("heading", "other"):
            continue
        for stretch in unit.stretches:
            for part in stretch:
                if part.asserted and not part.text.rstrip().endswith(("?", "？")):
                    yield part


def checked_claim(part: Part, prover: Prover, lost: Mapping[int, str]) -> CheckedClaim:
    """One claim against the passages; `lost` says why a source that it cites cannot be read."""
    known = tuple(number for number in part.ids if number in prover.known)
    why = [
        f"[{number}] {lost.get(number, 'is not in the list of sources')}"
        for number in part.ids
        if number not in known
    ]
    exact = prover.exact(part.text, known, lines=True)
    claim = exact or prover.prove(part.text, known, part.near).claim
    if claim.why:
        why.append(claim.why)
    if not part.ids:
        why.append("it cites nothing")
    elif claim.verdict.may_ship and set(known).isdisjoint(claim.sources):
        why.append("the source it cites does not say it; another does")
    served = claim.sources if claim.verdict.may_ship else ()
    quote = None if claim.verdict is Verdict.NOT_FOUND else claim.quote
    return CheckedClaim(part.text, claim.verdict, part.ids, served, quote, "; ".join(why))


def is_borne_out(claims: Sequence[CheckedClaim]) -> bool:
    """Whether every claim is quoted, judged or at least sourced."""
    return all(claim.verdict.may_ship for claim in claims)
