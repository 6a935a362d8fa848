"""The writer's Markdown as tokens in which every citation knows the claim that it proves.

HTML, PDF and DOCX are made from these tokens. Raw HTML and images of the answer stay text: nothing
from outside is passed through, and no report asks another server for a picture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leadline.render.safe import plain as printable
from leadline.text.quotes import plain
from leadline.types import AgentResponse, Citation, Claim, Quote

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_MARK = re.compile(r"\[(\d{1,4})\](?!\()")
# A citation right under a table would become one of its rows.
_AFTER_TABLE = re.compile(r"^((>?) ?\|[^\n]*\|[ \t]*)\n(>? ?(?:\[\d{1,4}\][ \t]*)+)$", re.MULTILINE)
_GAP = frozenset({"text", "softbreak"})
# What Word and typst cannot hold, and what this package itself marks places with.
_UNFIT = re.compile("[\ue000\ue001\ufffe\uffff]")


@dataclass(frozen=True)
class Mark:
    """One `[n]` of the text: its source, the claim before it, and the words that prove it."""

    number: int
    source: Citation
    claim: Claim | None = None

    @property
    def quote(self) -> Quote | None:
        """The quotation, where it is from this very source."""
        quote = self.claim.quote if self.claim else None
        return quote if quote and quote.source == self.source.id else None


@dataclass(frozen=True)
class Cited:
    """The tokens of an answer and its citations in reading order."""

    tokens: tuple[Token, ...]
    marks: tuple[Mark, ...]


def fit(text: str) -> str:
    """`text` without control codes and without the marks that this package uses itself."""
    return _UNFIT.sub("", printable(text))


def cited(response: AgentResponse) -> Cited:
    """The answer taken apart. A citation token has its `Mark` in `meta["mark"]`."""
    sources = {source.id: source for source in response.sources}
    text = _AFTER_TABLE.sub(r"\1\n\2\n\3", fit(response.final_answer))
    tokens = _parser().parse(text, {"sources": frozenset(sources)})
    matching = _Matching(sources, response.claims)
    quoted = 0
    for token in tokens:
        quoted += token.nesting if token.type.startswith("blockquote") else 0
        if token.type == "inline" and token.children:
            token.children = matching.marked(token.children, bool(quoted))
        elif not quoted:
            matching.forget()
    return Cited(tuple(tokens), tuple(matching.marks))


def _parser() -> Any:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable(["image", "html_inline", "html_block"])
    parser.inline.ruler.before("link", "cite", _cite)
    return parser


def _cite(state: StateInline, silent: bool) -> bool:
    """The inline rule for `[n]` where n is a source of the report."""
    found = _MARK.match(state.src, state.pos)
    if found is None or state.linkLevel or int(found[1]) not in state.env["sources"]:
        return False
    if not silent:
        token = state.push("citation", "", 0)
        token.content = found[1]
    state.pos = found.end()
    return True


class _Matching:
    """Gives citations their claims, in the order in which both stand in the report."""

    def __init__(self, sources: dict[int, Citation], claims: Sequence[Claim]) -> None:
        self._sources = sources
        self._waiting = [(claim, _key(claim.text)) for claim in claims]
        self._before = ""  # what the same block quote said since its last citation
        self.marks: list[Mark] = []

    def forget(self) -> None:
        """A block quote has ended."""
        self._before = ""

    def marked(self, children: list[Token], quoted: bool) -> list[Token]:
        """The tokens of one line of text with marks set and matched sentences enclosed."""
        out: list[Token] = []
        said: list[Token] = []  # since the last group of citations
        claim: Claim | None = None
        in_group = False
        for at, token in enumerate(children):
            if token.type != "citation":
                blank = token.type in _GAP and not token.content.strip()
                in_group = in_group and blank
                said.append(token)
                continue
            if not in_group:
                claim, whole = self._claim(said, _group(children, at))
                said = _enclosed(said, claim) if claim and whole else said
            out += said
            said, in_group = [], True
            self._before = ""
            out.append(self._set(token, claim))
        if quoted:
            self._before += _key(_said(said))
        return out + said

    def _set(self, token: Token, claim: Claim | None) -> Token:
        source = self._sources[int(token.content)]
        mark = Mark(len(self.marks) + 1, source, claim if _cites(claim, source.id) else None)
        self.marks.append(mark)
        token.meta = {"mark": mark}
        return token

    def _claim(self, said: Sequence[Token], ids: frozenset[int]) -> tuple[Claim | None, bool]:
        """The claim that these words are or end with, and whether they are nothing more."""
        words = _key(_said(said))
        whole = self._before + words
        if not whole:
            return None, False
        for at, (claim, key) in enumerate(self._waiting):
            if not key or not ids.intersection((*claim.sources, *_quoted(claim))):
                continue
            if whole.endswith(key) or key.endswith(whole) or (words and key.endswith(words)):
                del self._waiting[at]
                return claim, bool(words) and key.endswith(words)
        return None, False


def _group(children: Sequence[Token], start: int) -> frozenset[int]:
    found: set[int] = set()
    for token in children[start:]:
        if token.type == "citation":
            found.add(int(token.content))
        elif token.type not in _GAP or token.content.strip(" ,;"):
            break
    return frozenset(found)


def _enclosed(said: list[Token], claim: Claim) -> list[Token]:
    """The tokens with marks of the claim round them, where that cuts through no emphasis."""
    from markdown_it.token import Token

    depth = 0
    for token in said:
        depth += token.nesting
        if depth < 0:
            return said
    if depth:
        return said
    trailing = said[-1].content[len(said[-1].content.rstrip()) :] if said else ""
    if trailing and said[-1].type == "text":
        said[-1].content = said[-1].content.rstrip()
    else:
        trailing = ""
    opening = Token("claim_open", "span", 1, attrs={"class": f"claim {claim.verdict.value}"})
    after = [Token("text", "", 0, content=trailing)] if trailing else []
    return [opening, *said, Token("claim_close", "span", -1), *after]


def _said(tokens: Sequence[Token]) -> str:
    return "".join(" " if token.type == "softbreak" else token.content for token in tokens)


def _cites(claim: Claim | None, source: int) -> bool:
    return claim is not None and source in (*claim.sources, *_quoted(claim))


def _quoted(claim: Claim) -> tuple[int, ...]:
    return (claim.quote.source,) if claim.quote else ()


def _key(text: str) -> str:
    return "".join(char for char in plain(text).lower() if char.isalnum())
