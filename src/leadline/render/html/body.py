"""The answer as HTML: Markdown rendered, cleaned, and each citation with its passage beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from leadline.render.cited import Cited, Mark
from leadline.render.outline import VERDICTS, code_lines, line, link_of, passage_of
from leadline.text.blocks import Kind, blocks
from leadline.text.quotes import plain
from leadline.types import Quote

if TYPE_CHECKING:
    from markdown_it.token import Token

_PLACE = re.compile("\ue000(\\d+)\ue001")
_FENCES = re.compile(r"^[ \t>]*(?:`{3,}|~{3,}).*\n|\n[ \t>]*(?:`{3,}|~{3,})$")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")
_BLOCKS = frozenset(
    "paragraph_open heading_open list_item_open td_open th_open blockquote_open".split()  # noqa: SIM905
)
_TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a span hr br "  # noqa: SIM905
    "table thead tbody tr th td div".split()
)
_BLOCK_ATTRIBUTES = {"dir", "id", "class"}

Kept = Callable[[Quote], str]
"""Where the page that a quotation stands in is kept: an address, or "" where none is known."""


@dataclass(frozen=True)
class Heading:
    """A heading of the answer, for the contents."""

    level: int
    text: str
    anchor: str


def nowhere(quote: Quote) -> str:
    """For a report that leaves the machine: no page is kept beside it."""
    return ""


def answer_html(
    cited: Cited, kept: Kept = nowhere, prefix: str = ""
) -> tuple[str, tuple[Heading, ...]]:
    """The answer, safe to put into a page, and its headings; its anchors begin with `prefix`."""
    import nh3

    headings = _prepared(cited.tokens, prefix)
    attributes: dict[str, set[str]] = dict.fromkeys(_TAGS, _BLOCK_ATTRIBUTES)
    attributes |= {"a": {"href", "title"}, "ol": {"start", "dir"}}
    clean = nh3.clean(
        _renderer().render(list(cited.tokens), _options(), {}),
        tags=set(_TAGS),
        attributes=attributes,
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
    )
    marks = cited.marks
    return _PLACE.sub(lambda at: mark_html(marks[int(at[1]) - 1], kept, prefix), clean), headings


def _options() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).options


def _renderer() -> Any:
    from markdown_it.renderer import RendererHTML

    class Renderer(RendererHTML):
        def citation(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
            return f"\ue000{tokens[at].meta['mark'].number}\ue001"

        def table_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
            return '<div class="wide"><table>\n'

        def table_close(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
            return "</table></div>\n"

    return Renderer()


def _prepared(tokens: Sequence[Token], prefix: str) -> tuple[Heading, ...]:
    """Every block finds its own direction; headings get anchors; cells drop their styles."""
    headings: list[Heading] = []
    for at, token in enumerate(tokens):
        if token.type in _BLOCKS:
            token.attrs = {"dir": "auto", **_aligned(token.attrs)}
        if token.type == "heading_open":
            anchor = f"{prefix}part-{len(headings) + 1}"
            token.attrs["id"] = anchor
            headings.append(Heading(int(token.tag[1]), _words(tokens[at + 1]), anchor))
    return tuple(headings)


def _aligned(attributes: Mapping[str, Any]) -> dict[str, str | int | float]:
    """A class in place of an inline style, which the page's policy forbids."""
    side = str(attributes.get("style", "")).partition("text-align:")[2]
    return {"class": f"to-{side}"} if side in ("left", "right", "center") else {}


def _words(inline: Token) -> str:
    return "".join(
        child.content for child in inline.children or () if child.type in ("text", "code_inline")
    ).strip()


def mark_html(mark: Mark, kept: Kept = nowhere, prefix: str = "") -> str:
    """A citation in the text and the box that it opens. Both work without a script."""
    key = f"{prefix}cite-{mark.number}"
    name = escape(line(mark.source.title, 160) or "Untitled")
    label = f"[{mark.source.id}]"
    return (
        f'<span class="cite"><button type="button" popovertarget="{key}" '
        f'aria-label="Citation {mark.source.id}: {name}">{label}</button>'
        f'<span class="pop" id="{key}" popover>{_box(mark, name, kept)}</span></span>'
    )


def _box(mark: Mark, name: str, kept: Kept) -> str:
    parts = [f'<span class="pop-title" dir="auto">{label_of(mark)} {name}</span>']
    if mark.quote:
        parts.append(f'<span class="pop-text" dir="auto">{quote_html(mark.quote)}</span>')
    elif mark.claim and mark.claim.quote:
        other = mark.claim.quote.source
        parts.append(f'<span class="pop-text">The proof quoted is from [{other}].</span>')
    foot = []
    if mark.claim:
        verdict = mark.claim.verdict
        foot.append(f'<span class="verdict {verdict.value}">{VERDICTS[verdict]}</span>')
    link = link_of(mark.source, mark.quote)
    if link:
        foot.append(anchor(link, "open at these words" if mark.quote else "open the source"))
    if mark.quote:
        foot.append(kept_html(mark.quote, kept))
    foot.append(f'<a href="#source-{mark.source.id}">in the list</a>')
    parts.append(f'<span class="pop-foot">{" ".join(foot)}</span>')
    return "".join(parts)


def kept_html(quote: Quote, kept: Kept) -> str:
    """A link to the page as it was when it was read, where one is kept."""
    where = kept(quote)
    return f'<a class="kept" href="{escape(where)}">as it was read</a>' if where else ""


def label_of(mark: Mark) -> str:
    return f'<span class="number">[{mark.source.id}]</span>'


def quote_html(quote: Quote) -> str:
    """The quoted words marked in what stands round them; code there keeps its lines."""
    before, after = _round(quote.before), _round(quote.after)
    words = f"<mark>{escape(passage_of(quote).words)}</mark>"
    return f"{f'… {before} ' if before else ''}{words}{f' {after} …' if after else ''}"


def _round(text: str) -> str:
    return " ".join(_stretch(text[block.start : block.end], block.kind) for block in blocks(text))


def _stretch(text: str, kind: Kind) -> str:
    if kind == "code" or all(map(_INDENTED.match, text.split("\n"))):
        return f'<code class="lines">{escape(code_lines(_FENCES.sub("", text)))}</code>'
    if kind == "heading":
        text = f"{text.strip('# ')} ·"
    return escape(line(plain(text)))


def anchor(link: str, words: str) -> str:
    """A link to another site, told apart from links within the page."""
    return f'<a href="{escape(link)}" rel="noopener noreferrer nofollow">{escape(words)}</a>'
