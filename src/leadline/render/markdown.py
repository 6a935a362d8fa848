"""An `AgentResponse` as a Markdown report.

The writer's answer comes as it is; this adds what limited it, what was left out, the sources and
how it was found. No times and no ids of runs, so that the same run gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from leadline.render.fragment import to_words
from leadline.render.safe import code, encodable, escaped, one_line, plain
from leadline.render.words import (
    limits_met,
    limits_title,
    lost,
    memory_line,
    progress,
    proof_lines,
)
from leadline.text.quotes import plain as words_of
from leadline.types import AgentResponse, Citation, Claim, Loss, Quote

TITLE_CHARS = 200
LINK_CHARS = 60


def markdown(response: AgentResponse, links: bool = True) -> str:
    """The whole report, ending in one newline; `links` open the sources at the quoted words."""
    quotes = _quotes(response) if links else {}
    parts = [
        _title(response),
        _memory(response),
        plain(response.final_answer).strip(),
        _further(response),
        _section(
            limits_title(response),
            limits_met(response) + _losses(lost(response)),
        ),
        _section("Left out", [_dropped(claim) for claim in response.dropped]),
        _section(
            "Sources",
            [source_line(source, quotes.get(source.id, ())) for source in every_source(response)],
        ),
        _section("How this was found", _found(response)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _further(response: AgentResponse) -> str:
    """The passages beyond the short answer, where they were asked for."""
    if response.details is None:
        return ""
    return f"## Further passages\n\n{plain(response.details.answer).strip()}"


def every_source(response: AgentResponse) -> tuple[Citation, ...]:
    """The sources of the answer, then those that only the further passages have."""
    known = {source.id for source in response.sources}
    more = response.details.sources if response.details else ()
    return (*response.sources, *(source for source in more if source.id not in known))


def source_line(source: Citation, quotes: Sequence[Quote] = ()) -> str:
    """`[1] **Title** — location`, safe to print whatever the title holds."""
    title = escaped(source.title) or "Untitled"
    return f"[{source.id}] **{title}** — {_location(source)}{_quoted(source, quotes)}"


def _quotes(response: AgentResponse) -> dict[int, list[Quote]]:
    """What the report quotes from each source, each once."""
    found: dict[int, list[Quote]] = {}
    for claim in response.claims:
        if claim.quote and claim.quote not in found.setdefault(claim.quote.source, []):
            found[claim.quote.source].append(claim.quote)
    return found


def _quoted(source: Citation, quotes: Sequence[Quote]) -> str:
    """Links that open a web page at the words quoted from it."""
    if not _is_link(source.location):
        return ""
    links = [
        f"[{escaped(one_line(words_of(quote.text), LINK_CHARS))}]"
        f"(<{to_words(source.location, quote.text)}>)"
        for quote in quotes
    ]
    return " · quoted: " + ", ".join(links) if links else ""


def _title(response: AgentResponse) -> str:
    if response.final_answer.lstrip().startswith("# "):
        return ""
    return "# " + escaped(one_line(response.task, TITLE_CHARS))


def _memory(response: AgentResponse) -> str:
    line = memory_line(response)
    return f"_{escaped(line)}_" if line else ""


def _location(source: Citation) -> str:
    where = encodable(source.location)
    return f"<{where}>" if _is_link(where) else code(where)


def _is_link(where: str) -> bool:
    clean = where.isprintable() and not any(mark in where for mark in " <>")
    return clean and where.startswith(("http://", "https://"))


def _dropped(claim: Claim) -> str:
    cited = "".join(f"[{number}]" for number in claim.sources)
    why = f"{claim.verdict.value.replace('_', ' ')} in {cited}" if cited else "no passage says it"
    if cited and claim.why:
        why = f"{why}: {escaped(claim.why)}"
    return f"“{escaped(claim.text)}” — {escaped(claim.why) if not cited and claim.why else why}"


def _losses(losses: tuple[Loss, ...]) -> list[str]:
    return [f"{escaped(loss.stage)}: {code(loss.what)}: {escaped(loss.why)}" for loss in losses]


def _found(response: AgentResponse) -> list[str]:
    lines = [escaped(line) for line in progress(response)]
    if response.claims:
        lines += proof_lines(response.claims)
    if response.diagnosis and response.details:
        lines.append(escaped(response.diagnosis))
    return lines


def _section(title: str, lines: list[str]) -> str:
    if not lines:
        return ""
    return f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines)
