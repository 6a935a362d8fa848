"""The tokens of an answer as typst. Every word from outside stands in a string literal, so that
nothing in it can be taken for a command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from leadline.render.cited import Mark, fit
from leadline.render.direction import right_to_left

if TYPE_CHECKING:
    from markdown_it.token import Token

_LONG = re.compile(r"[!-~\u00a1-\u02ff]{50,}")
_SOLID = re.compile(r"[^\W_]{50,}")
_BREAK_EVERY = 20
_ZERO_WIDTH = "\u200b"
_WRAPS = {
    "strong_open": "#strong[",
    "em_open": "#emph[",
    "s_open": "#strike[",
    "claim_open": "",
    "claim_close": "",
}


def literal(text: str) -> str:
    """A typst string of `text`; a run without spaces may break, lest it leave the page."""
    shown = _LONG.sub(_breakable, fit(text))
    safe = shown.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{safe}"'


def _breakable(found: re.Match[str]) -> str:
    run = found.group()
    if "://" in run and not _SOLID.search(run):
        return run  # typst breaks addresses by itself, and they can be copied whole
    return _ZERO_WIDTH.join(run[at : at + _BREAK_EVERY] for at in range(0, len(run), _BREAK_EVERY))


def words(text: str) -> str:
    """`text` in markup."""
    return f"#{literal(text)};" if text else ""


def turned(content: str, text: str) -> str:
    """`content` set from the right where `text` runs that way."""
    return f"#text(dir: rtl)[{content}]" if right_to_left(text) else content


def linked(url: str, content: str) -> str:
    """`content` as a link to the web."""
    address = url.replace("\\", "%5C").replace('"', "%22")
    return f'#link("{address}")[{content}]'


def inline(children: Sequence[Token]) -> str:
    """The tokens of one line of text."""
    out: list[str] = []
    closing: list[str] = []
    for token in children:
        kind = token.type
        if kind == "citation":
            out.append(citation(token.meta["mark"]))
        elif kind == "link_open":
            href = str(token.attrs.get("href", ""))
            web = href.startswith(("http://", "https://"))
            out.append(linked(href, "\0").partition("\0")[0] if web else "#[")
            closing.append("]")
        elif kind in _WRAPS:
            out.append(_WRAPS[kind])
            closing += ["]"] if _WRAPS[kind] else []
        elif kind.endswith("_close"):
            out.append(closing.pop() if closing else "")
        elif kind == "code_inline":
            out.append(f"#raw({literal(token.content)});")
        elif kind == "hardbreak":
            out.append("#linebreak();")
        elif kind == "softbreak":
            out.append(" ")
        else:
            out.append(words(token.content))
    return "".join(out) + "".join(reversed(closing))


def citation(mark: Mark) -> str:
    """`[n]`, which leads to its source."""
    return f"#mark({mark.source.id});"


def blocks(tokens: Sequence[Token]) -> str:
    """All blocks of the answer."""
    out: list[str] = []
    for at, token in enumerate(tokens):
        kind = token.type
        if kind == "inline":
            out.append(turned(inline(token.children or ()), token.content))
        elif kind in ("fence", "code_block"):
            out.append(f"#code({literal(token.content.rstrip(chr(10)))});\n\n")
        elif kind == "hr":
            out.append("#rule();\n\n")
        else:
            out.append(_edge(token, tokens, at))
    return "".join(out)


def _edge(token: Token, tokens: Sequence[Token], at: int) -> str:
    """What stands where a block begins or ends."""
    kind = token.type
    if kind == "heading_open":
        return f"#heading(level: {int(token.tag[1])})["
    if kind == "ordered_list_open":
        return f"#enum(start: {int(token.attrs.get('start', 1))}, "
    if kind == "table_open":
        return _table_head(tokens[at + 1 :])
    plain = {
        "heading_close": "]\n\n",
        "paragraph_open": "",
        "paragraph_close": "\n\n",
        "bullet_list_open": "#list(",
        "bullet_list_close": ");\n\n",
        "ordered_list_close": ");\n\n",
        "list_item_open": "[",
        "list_item_close": "],",
        "blockquote_open": "#quote(block: true)[",
        "blockquote_close": "];\n\n",
        "table_close": "));\n\n",
        "thead_open": "table.header(",
        "thead_close": "),",
        "th_open": "strong[",
        "th_close": "],",
        "td_open": "[",
        "td_close": "],",
    }
    return plain.get(kind, "")


def _table_head(tokens: Sequence[Token]) -> str:
    """The table with the side of each column as its heading says it."""
    sides: list[str] = []
    for token in tokens:
        if token.type == "tr_close":
            break
        if token.type == "th_open":
            side = str(token.attrs.get("style", "")).partition("text-align:")[2]
            sides.append(side if side in ("left", "right", "center") else "start")
    return f"#wide(table(columns: {max(len(sides), 1)}, align: ({', '.join(sides)},), "
