"""The page round the answer: contents, sources, evidence, figures, what was left out.

Everything from outside passes `escape`, or `nh3` for the answer; the policy in the head forbids
scripts and any request, so that a mistake here could still do no harm.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from leadline.render import outline
from leadline.render.cited import cited
from leadline.render.html.body import (
    Heading,
    Kept,
    anchor,
    answer_html,
    kept_html,
    nowhere,
    quote_html,
)
from leadline.render.html.figures import novelty_curve, part_mark
from leadline.render.markdown import every_source
from leadline.render.words import limits_title
from leadline.text.quotes import plain
from leadline.types import AgentResponse, Citation, Claim, Verdict
from leadline.values import replace

_STYLE = Path(__file__).with_name("report.css")


class Fragment(NamedTuple):
    """A report to be put into another page, and what that page may be called."""

    title: str
    html: str


def stylesheet() -> str:
    """The style of a report."""
    return _STYLE.read_text("utf-8")


def fragment(response: AgentResponse, kept: Kept = nowhere) -> Fragment:
    """The report without the page round it; `kept` says where the pages that it quotes are."""
    answer, headings = answer_html(cited(response), kept)
    sections = [section for section in _sections(response, kept) if section[2]]
    head = outline.title(response)
    name = head or (headings[0].text if headings else "") or "Report"
    return Fragment(
        name,
        f"{_header(response, head)}\n"
        f'<div class="desk">\n{_contents(headings, sections, bool(response.sources))}\n'
        f'<main id="answer">\n{_switch(response)}\n'
        f'<article lang="{outline.language(response)}">\n{answer}</article>\n'
        f"{_further(response, kept)}{_rest(sections)}\n</main>\n{_sources(response)}\n</div>\n",
    )


def _further(response: AgentResponse, kept: Kept) -> str:
    """The passages beyond the short answer, folded."""
    details = response.details
    if details is None:
        return ""
    more = replace(
        response,
        final_answer=details.answer,
        claims=details.claims,
        sources=every_source(response),
    )
    answer, _ = answer_html(cited(more), kept, "more-")
    return f'<details id="more"><summary>Further passages</summary>{answer}</details>\n'


def as_html(response: AgentResponse) -> str:
    """The whole page, ending in one newline."""
    name, inner = fragment(response)
    style = stylesheet()
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="generator" content="Leadline">\n'
        f"<title>{escape(name)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#answer">Skip to the answer</a>\n'
        f"{inner}<footer>{_footer(response)}</footer>\n</body>\n</html>\n"
    )


def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _header(response: AgentResponse, head: str) -> str:
    told = escape(outline.facts(response))
    asked = f'<h1 dir="auto">{escape(head)}</h1>' if head else ""
    return (
        f'<header><p class="eyebrow">Research report</p>{asked}<p class="facts">{told}</p></header>'
    )


Section = tuple[str, str, str]  # anchor, title, content


def _sections(response: AgentResponse, kept: Kept) -> list[Section]:
    """What follows the answer, each part empty where there is nothing to say."""
    return [
        ("evidence", "Evidence, claim by claim", _evidence(response, kept)),
        ("parts", "The parts of the question", _parts(response)),
        ("novelty", "How new each search was", novelty_curve(response.verdicts)),
        ("left-out", "Left out", _dropped(response)),
        ("limits", limits_title(response), _list(outline.limit_lines(response))),
        ("found", "How this was found", _list(outline.found_lines(response))),
    ]


def _contents(headings: Sequence[Heading], sections: Sequence[Section], sources: bool) -> str:
    top = min((heading.level for heading in headings), default=1)
    lines = [
        f'<li class="level-{min(heading.level - top, 3)}" dir="auto">'
        f'<a href="#{heading.anchor}">{escape(heading.text)}</a></li>'
        for heading in headings
        if heading.text
    ]
    listed = [("sources", "Sources")] if sources else []
    listed += [(key, title) for key, title, _ in sections]
    lines += [f'<li class="about"><a href="#{key}">{title}</a></li>' for key, title in listed]
    return f'<nav aria-label="Contents"><h2>Contents</h2><ul>{"".join(lines)}</ul></nav>'


def _switch(response: AgentResponse) -> str:
    """The checkbox that colours sentences by their verdict; the style sheet does the rest."""
    if not response.claims:
        return ""
    used = dict.fromkeys(claim.verdict for claim in response.claims)
    marked = " checked" if any(verdict is not Verdict.QUOTED for verdict in used) else ""
    legend = "".join(
        f'<span class="claim {verdict.value}">{outline.VERDICTS[verdict]}</span>'
        for verdict in used
    )
    return (
        '<p class="switch"><label><input type="checkbox" id="colour"'
        f"{marked}> Mark each sentence by its verdict</label>"
        f'<span class="legend">{legend}</span></p>'
    )


def _rest(sections: Sequence[Section]) -> str:
    return "\n".join(
        f'<section id="{key}"><h2>{title}</h2>{content}</section>'
        for key, title, content in sections
    )


def _evidence(response: AgentResponse, kept: Kept) -> str:
    sources = {source.id: source for source in response.sources}
    items = "".join(f"<li>{_proof(claim, sources, kept)}</li>" for claim in response.claims)
    return f'<ol class="evidence">{items}</ol>' if items else ""


def _proof(claim: Claim, sources: dict[int, Citation], kept: Kept) -> str:
    numbers = "".join(f'<a href="#source-{n}">[{n}]</a>' for n in claim.sources)
    judge = f" by {escape(outline.line(claim.judge, 80))}" if claim.judge else ""
    said = (
        f'<p dir="auto">{escape(outline.line(plain(claim.text)))} {numbers}</p>'
        f'<p class="foot"><span class="verdict {claim.verdict.value}">'
        f"{outline.VERDICTS[claim.verdict]}</span>{judge}</p>"
    )
    if claim.quote is None:
        return said
    source = sources.get(claim.quote.source)
    link = outline.link_of(source, claim.quote) if source else ""
    told = escape(outline.line(source.title, 160)) if source else ""
    links = [anchor(link, "open at these words")] if link else []
    links += [one for one in (kept_html(claim.quote, kept),) if one]
    at = "".join(f" · {one}" for one in links)
    return (
        f'{said}<blockquote dir="auto">{quote_html(claim.quote)}'
        f'<footer dir="auto">{told}{at}</footer></blockquote>'
    )


def _parts(response: AgentResponse) -> str:
    items = "".join(
        f'<li dir="auto">{part_mark(supported)} {escape(part)}'
        f"{'' if supported else ' <em>(open)</em>'}</li>"
        for part, supported in outline.parts_of(response)
    )
    key = "A full disc: an accepted passage supports it. A ring: none does yet."
    return f'<ul class="plain">{items}</ul><p class="foot">{key}</p>' if items else ""


def _dropped(response: AgentResponse) -> str:
    items = "".join(
        f'<li dir="auto">“{escape(text)}” <span class="foot">{escape(why)}</span></li>'
        for text, why in outline.dropped_lines(response)
    )
    return f"<ul>{items}</ul>" if items else ""


def _list(lines: Sequence[str]) -> str:
    items = "".join(f'<li dir="auto">{escape(said)}</li>' for said in lines)
    return f"<ul>{items}</ul>" if items else ""


def _sources(response: AgentResponse) -> str:
    items = "".join(_source(source) for source in every_source(response))
    if not items:
        return ""
    return f'<aside id="sources" aria-label="Sources"><h2>Sources</h2><ol>{items}</ol></aside>'


def _source(source: Citation) -> str:
    title = escape(outline.line(source.title, 300) or "Untitled")
    link = outline.link_of(source)
    where = escape(outline.line(source.location, 2000))
    shown = anchor(link, source.location) if link else f"<code>{where}</code>"
    details = escape(outline.details_of(source))
    more = f'<span class="foot" dir="auto">{details}</span>' if details else ""
    return (
        f'<li id="source-{source.id}"><span class="number">[{source.id}]</span>'
        f'<div><strong dir="auto">{title}</strong><span class="where">{shown}</span>{more}'
        "</div></li>"
    )


def _footer(response: AgentResponse) -> str:
    run = f" Run {escape(outline.line(response.run_id, 80))}." if response.run_id else ""
    return f"Made by Leadline: every sentence is checked against a passage of its source.{run}"
