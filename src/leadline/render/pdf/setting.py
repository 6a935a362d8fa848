"""Puts the typst source of a report together and has it set, with the times of the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from leadline.errors import LeadlineError
from leadline.render import outline
from leadline.render.cited import cited
from leadline.render.pdf.fonts import MONO, families, fonts, missing_in, told
from leadline.render.pdf.markup import blocks, linked, literal, turned, words
from leadline.render.words import limits_title
from leadline.text.quotes import plain
from leadline.types import AgentResponse, Citation, Claim

_TEMPLATE = Path(__file__).with_name("report.typ")
ARCHIVE: Final = "a-2u"  # PDF/A: fonts inside, text that can be copied, and no glyph may be missing


def as_pdf(response: AgentResponse) -> tuple[bytes, tuple[str, ...]]:
    """The file, and a note where characters could not be shown.

    Fonts of the system are asked only where those that Leadline brings do not do, so that most
    reports are the same on every machine.
    """
    missing: tuple[str, ...] = ()
    for system in (False, True):
        made, missing = _set(source_of(response, families(system)), response, system, ARCHIVE)
        if made is not None:
            return made, ()
    note = told(missing) if missing else ""
    warned = source_of(response, families(True), note)
    made, _ = _set(warned, response, True, "")
    if made is None:
        raise LeadlineError("typst could not set the report as PDF; write it as .html instead")
    return made, (note,) if note else ()


def _set(
    source: str, response: AgentResponse, system: bool, standard: Literal["", "a-2u"]
) -> tuple[bytes | None, tuple[str, ...]]:
    """The PDF, or None and the characters that stand in its way."""
    import typst

    try:
        made = typst.compile(
            source.encode("utf-8"),
            format="pdf",
            font_paths=fonts(system),
            ignore_system_fonts=True,
            pdf_standards=[standard] if standard else [],
            timestamp=_moment(response),
        )
    except typst.TypstError as error:
        if standard:
            return None, missing_in(error.diagnostic)
        raise LeadlineError(
            f"typst could not set the report as PDF: {error.message}; write it as .html instead"
        ) from error
    return made, ()


def _moment(response: AgentResponse) -> int:
    """When the run began, in seconds; the same response must give the same bytes."""
    try:
        when = datetime.fromisoformat(response.started)
    except ValueError:
        return 0
    return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def source_of(response: AgentResponse, named: Sequence[str], note: str = "") -> str:
    """The whole typst source."""
    title = outline.title(response)
    name = title or outline.line(response.task, outline.TITLE_CHARS) or "Report"
    listed = ", ".join(literal(family) for family in named)
    fixed = ", ".join(literal(family) for family in dict.fromkeys((MONO, *named)))
    parts = [
        _TEMPLATE.read_text("utf-8"),
        f'#set document(title: {literal(name)}, author: "Leadline")',
        f'#set text(font: ({listed},), lang: "{outline.language(response)[:3].rstrip("-")}")',
        f"#show raw: set text(font: ({fixed},))",
        f"#banner[{words('In this file ' + note + '.')}]" if note else "",
        f"#heading(level: 1)[{turned(words(title), title)}]" if title else "",
        f"#facts[{words(outline.facts(response))}]",
        blocks(cited(response).tokens),
        _sources(response.sources),
        _evidence(response),
        _parts(response),
        _curve(response),
        _dropped(response),
        _listed(limits_title(response), outline.limit_lines(response)),
        _listed("How this was found", outline.found_lines(response)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(title: str) -> str:
    return f"#heading(level: 2)[{words(title)}]\n\n"


def _listed(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    items = ", ".join(f"[{turned(words(said), said)}]" for said in lines)
    return f"{_heading(title)}#list({items});"


def _dropped(response: AgentResponse) -> str:
    return _listed(
        "Left out", [f"“{text}” — {why}" for text, why in outline.dropped_lines(response)]
    )


def _sources(sources: Sequence[Citation]) -> str:
    if not sources:
        return ""
    return _heading("Sources") + "\n\n".join(_source(source) for source in sources)


def _source(source: Citation) -> str:
    title = outline.line(source.title, 300) or "Untitled"
    link = outline.link_of(source)
    where = outline.line(source.location)
    shown = linked(link, words(where)) if link else f"#raw({literal(where)});"
    details = outline.details_of(source)
    more = f" #linebreak();#facts[{words(details)}]" if details else ""
    inside = f"{words(f'[{source.id}] ')}#strong[{words(title)}] #linebreak();{shown}{more}"
    return f'#block[{inside}] #label("source-{source.id}");'


def _evidence(response: AgentResponse) -> str:
    sources = {source.id: source for source in response.sources}
    proofs = [_proof(claim, sources) for claim in response.claims if claim.quote]
    return _heading("Evidence, claim by claim") + "\n\n".join(proofs) if proofs else ""


def _proof(claim: Claim, sources: dict[int, Citation]) -> str:
    assert claim.quote is not None
    text = outline.line(plain(claim.text))
    marks = "".join(f"#mark({number});" for number in claim.sources if number in sources)
    passage = outline.passage_of(claim.quote)
    before = words(f"… {passage.before} ") if passage.before else ""
    after = words(f" {passage.after} …") if passage.after else ""
    quoted = turned(f"{before}#quoted[{words(passage.words)}]{after}", passage.words)
    source = sources.get(claim.quote.source)
    link = outline.link_of(source, claim.quote) if source else ""
    name = words(" · " + outline.line(source.title, 120)) if source else ""
    opened = f"{words(' · ')}{linked(link, words('open at these words'))}" if link else ""
    verdict = words(outline.VERDICTS[claim.verdict])
    said = turned(words(text) + " " + marks, text)
    return f"#proof([{said}], [{verdict}], [{quoted}], [{name}{opened}]);"


def _parts(response: AgentResponse) -> str:
    lines = [
        f"{part} ({'supported' if supported else 'open'})"
        for part, supported in outline.parts_of(response)
    ]
    return _listed("The parts of the question", lines)


def _curve(response: AgentResponse) -> str:
    verdicts = [one for one in response.verdicts if math.isfinite(one.score)]
    if not verdicts:
        return ""
    scores = ", ".join(
        f"({min(max(one.score, 0), 10):.2f}, {str(one.accepted).lower()})" for one in verdicts
    )
    limit = min(max(verdicts[-1].threshold, 0), 10)
    told_scores = ", ".join(f"{one.score:.1f}" for one in verdicts)
    alt = literal(f"Novelty of each search from 0 to 10: {told_scores}; threshold {limit:g}.")
    legend = (
        "How new the results of each search were, from 0 (all known) to 10 (all new). Full dots "
        "were accepted, hollow ones left out; the dashed line is the threshold."
    )
    figure = f"#curve(({scores},), {limit:.2f}, {alt});"
    return f"{_heading('How new each search was')}{figure}\n\n#facts[{words(legend)}]"
