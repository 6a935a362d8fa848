"""Makes text from outside harmless to print: no terminal codes, no Markdown, no bidi spill."""

from __future__ import annotations

import re
import unicodedata

# Everything that can drive a terminal, but for the newline and the tab.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")  # these turn text round
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"


def plain(text: str) -> str:
    """`text` that can be printed anywhere: no control codes, always encodable."""
    return _CONTROL.sub("", encodable(text))


def encodable(text: str) -> str:
    """`text` with the bytes of undecodable file names written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def one_line(text: str, limit: int = 0) -> str:
    """`text` on one line, cut at a word with an ellipsis where it is longer than `limit`."""
    line = " ".join(plain(text).split())
    if not limit or len(line) <= limit:
        return line
    cut = line[: limit - 1]
    at = cut.rfind(" ")
    return (cut[:at] if at > limit // 2 else cut).rstrip() + "…"


def escaped(text: str) -> str:
    """`text` on one line as plain Markdown; right-to-left text cannot reorder what follows."""
    line = _BIDI.sub("", one_line(text))
    safe = _MARKDOWN.sub(r"\\\1", line)
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in line):
        return f"{_ISOLATE}{safe}{_END_ISOLATE}"
    return safe


def code(text: str) -> str:
    """`text` as a Markdown code span, whatever backticks and control codes it holds."""
    line = "".join(
        character if character.isprintable() else ascii(character)[1:-1]
        for character in encodable(text)
    )
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"
