"""What a report says beside its answer, as plain words: every laid-out format shows the same."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from urllib.parse import quote as percent
from urllib.parse import urlsplit, urlunsplit

from leadline.render.cited import fit
from leadline.render.fragment import to_words
from leadline.render.safe import one_line
from leadline.render.safe import plain as harmless
from leadline.render.words import counted, limits_met, lost, memory_line, progress, proof_lines
from leadline.text.quotes import plain
from leadline.types import AgentResponse, Citation, Claim, Quote, Verdict

TITLE_CHARS = 200
_URL_SAFE = "/:?#[]@!$&()*+,;=-._~%"
VERDICTS = {
    Verdict.QUOTED: "quoted",
    Verdict.JUDGED: "judged",
    Verdict.SOURCED: "sourced, not judged",
    Verdict.CONTRADICTED: "contradicted",
    Verdict.NOT_FOUND: "not found",
}


@dataclass(frozen=True)
class Passage:
    """A quotation as a reader sees it in its page: what stands before, the words, what follows."""

    before: str
    words: str
    after: str


def title(response: AgentResponse) -> str:
    """The question on one line, or "" where the writer gave a title."""
    own = response.final_answer.lstrip().startswith("# ")
    return "" if own else line(response.task, TITLE_CHARS)


def line(text: str, limit: int = 0) -> str:
    """`text` on one line, fit to be shown anywhere."""
    return one_line(fit(text), limit)


def code_lines(text: str) -> str:
    """Code in its own lines, fit to be shown anywhere, without the indent that all have."""
    return harmless(fit(textwrap.dedent(text)))


def language(response: AgentResponse) -> str:
    """The language of the report as a tag, "en" where it is not known."""
    told = response.plan.language if response.plan else ""
    return told if re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", told) else "en"


def facts(response: AgentResponse) -> str:
    """The day of the run, what it counts and what came from memory, on one line."""
    day = re.match(r"\d{4}-\d\d-\d\d(?=T|$)", response.started)
    told = [
        day[0] if day else "",
        counted(len(response.claims), "claim") + " checked" if response.claims else "",
        counted(len(response.sources), "source") if response.sources else "",
        line(memory_line(response)),
    ]
    return " · ".join(fact for fact in told if fact)


def link_of(source: Citation, quote: Quote | None = None) -> str:
    """The address of a web source, at the quoted words; "" for anything that is no web link."""
    where = source.location
    if not where.startswith(("http://", "https://")) or not where.isprintable() or " " in where:
        return ""
    address = _in_ascii(where)
    return to_words(address, quote.text) if quote and address else address


def _in_ascii(url: str) -> str:
    """The address as PDF and Word want it; "" where its host is none."""
    try:
        parts = urlsplit(url)
        host = parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode()
    except ValueError:  # a broken bracket, or labels that no host can have
        return ""
    if not re.fullmatch(r"[\w.:@%~!$&*+,;=\[\]-]+", host):
        return ""
    rest = (percent(part, safe=_URL_SAFE) for part in parts[2:])
    return urlunsplit((parts.scheme, host, *rest))


def passage_of(quote: Quote) -> Passage:
    """The quotation with its surroundings, without markup."""
    before, after = line(plain(quote.before)), line(plain(quote.after))
    return Passage(before, line(plain(quote.text)), after)


def details_of(source: Citation) -> str:
    """Who wrote it, when, and when it was read, as far as that is known."""
    told = [line(source.author, 120), line(source.published, 40)]
    if source.accessed and source.type == "web":
        told.append(f"read {source.accessed[:10]}")
    return " · ".join(part for part in told if part)


def dropped_lines(response: AgentResponse) -> list[tuple[str, str]]:
    """Each sentence that was left out, and why."""
    return [(line(claim.text), _why(claim)) for claim in response.dropped]


def _why(claim: Claim) -> str:
    if claim.why:
        return line(claim.why)
    numbers = "".join(f"[{number}]" for number in claim.sources)
    return f"{VERDICTS[claim.verdict]}: {numbers}" if numbers else "no passage says it"


def limit_lines(response: AgentResponse) -> list[str]:
    """What kept the answer from being better."""
    losses = [line(f"{loss.stage}: {loss.what}: {loss.why}") for loss in lost(response)]
    return limits_met(response) + losses


def found_lines(response: AgentResponse) -> list[str]:
    """The run in plain counts."""
    lines = [line(said) for said in progress(response)]
    if response.claims:
        lines += proof_lines(response.claims)
    if response.diagnosis:
        lines.append(line(response.diagnosis))
    return lines


def parts_of(response: AgentResponse) -> list[tuple[str, bool]]:
    """The parts of the question, each with whether an accepted passage supports it."""
    open_parts = list(dict.fromkeys(line(gap) for gap in response.gaps))
    planned = [line(part) for part in response.plan.knowledge_gaps] if response.plan else []
    settled = [part for part in dict.fromkeys(planned) if part not in open_parts]
    return [(part, True) for part in settled] + [(part, False) for part in open_parts]
