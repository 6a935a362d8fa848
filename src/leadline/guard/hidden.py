"""What does not meet the eye: parts of markup that no reader is shown, and text in another coding.

Each is handed back as text of its own with the span of the source that holds it.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator

import numpy as np

from leadline.frozen import frozen
from leadline.guard.features import Ints, codes_of

MAX_BLOB = 8192  # characters of one encoded blob that are looked at
MAX_BLOBS = 64
INVISIBLE = 0xFE00  # before it stands no character that is made to hide others

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,8192}={0,2}(?![A-Za-z0-9+/=_-])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:(?:0x|\\x|%)?[0-9A-Fa-f]{2}[ :,]?){10,2048}(?![0-9A-Za-z])")
_BINARY = re.compile(r"(?<![01])(?:[01]{8} ?){5,1024}(?![01])")
_DECIMAL = re.compile(r"(?:&#[xX]?[0-9A-Fa-f]{2,6};){5,2048}")
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,4096}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{8,4096}")
_DIGITS = re.compile(r"[0-9A-Fa-f]{2}")

_TAG = re.compile(r"<(!--|/?[A-Za-z][^\s<>/]{0,40})([^<>]{0,2000})>?")
_INVISIBLE = re.compile(
    r"display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0(?![.\d])"
    r"|opacity\s{0,3}:\s{0,3}0(?![.\d])|text-indent\s{0,3}:\s{0,3}-\d{3}|left\s{0,3}:\s{0,3}-\d{4}"
    r"|(?<![\w-])color\s{0,3}:\s{0,3}(?:#fff(?:fff)?|white|transparent)\b"
    r"|\baria-hidden\s{0,3}=\s{0,3}[\"']?true|(?<![\w-])hidden(?![\w-])(?!\s{0,3}=\s{0,3}[\"']?false)",
    re.IGNORECASE,
)
_DARK = re.compile(r"background(?:-color)?\s{0,3}:(?!\s{0,3}(?:#fff|white|transparent|none))", re.I)
_TOLD = re.compile(
    r"(?<![\w-])(?:alt|title|aria-label|content|value)\s{0,3}=\s{0,3}(?:\"([^\"<>]{12,1000})\"|'([^'<>]{12,1000})')"
)
_NEVER_CLOSED = frozenset("br hr img input meta link area base col embed source track wbr".split())  # noqa: SIM905
_INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "cite",
        "code",
        "em",
        "font",
        "i",
        "mark",
        "q",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "u",
        "wbr",
    ]
)
_NOT_TEXT = frozenset({"script", "style"})
_END_OF_CODE = re.compile(r"</(?:script|style)", re.IGNORECASE)


@frozen
class Piece:
    """`text` that `source[start:end]` holds, and how it is kept from the eye."""

    text: str
    start: int
    end: int
    reason: str


def decoded(text: str) -> tuple[Piece, ...]:
    """The blobs of `text` that decode to something readable."""
    return tuple(_blobs(text))


def _blobs(text: str) -> Iterator[Piece]:
    left = MAX_BLOBS
    beyond = not text.isascii() and int(codes_of(text).max()) >= INVISIBLE
    for coding in _CODINGS:
        for match in _matches(coding, text, beyond):
            said = coding.decode(match.group())
            if said and _readable(said):
                yield Piece(said, match.start(), match.end(), coding.reason)
                left -= 1
            if left <= 0:
                return


def _matches(coding: Coding, text: str, beyond: bool) -> Iterator[re.Match[str]]:
    """What the pattern finds. It runs only where enough of its characters stand in a row: on
    prose that is nowhere, and a pattern tried at every letter would cost more than all the rest."""
    if coding.run is not None:
        if sum(map(text.count, coding.signs)) >= coding.fewest:
            for run in coding.run.finditer(text):
                yield from coding.pattern.finditer(text, run.start(), run.end() + 3)
    elif beyond:
        yield from coding.pattern.finditer(text)


def _readable(said: str) -> bool:
    """Whether a decoded blob is words: letters for the most part, and spaces between them."""
    letters = sum(char.isalpha() or char == " " for char in said)
    return len(said) >= 8 and letters >= 0.8 * len(said) and " " in said


def _from_base64(blob: str) -> str:
    body = blob.rstrip("=").replace("-", "+").replace("_", "/")[:MAX_BLOB]
    if body.isalpha() and (body.islower() or body.isupper()):
        return ""
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hex(blob: str) -> str:
    return _from_bytes(int(pair, 16) for pair in _DIGITS.findall(blob.replace("0x", " ")))


def _from_binary(blob: str) -> str:
    bits = blob.replace(" ", "")
    return _from_bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))


def _from_bytes(values: Iterator[int]) -> str:
    return bytes(values).decode("utf-8", "ignore")


def _from_tags(blob: str) -> str:
    return "".join(chr(ord(char) - 0xE0000) for char in blob)


def _from_selectors(blob: str) -> str:
    codes = (ord(char) for char in blob)
    return _from_bytes(c - 0xFE00 if c < 0x10000 else c - 0xE0100 + 16 for c in codes)


@frozen
class Coding:
    """A way to hide text: a match lies in a `run`, and a readable one has `fewest` of `signs` in
    it; without a run it has characters from `INVISIBLE` on."""

    pattern: re.Pattern[str]
    decode: Callable[[str], str]
    reason: str
    run: re.Pattern[str] | None = None
    signs: tuple[str, ...] = ()
    fewest: int = 0


_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{16,}")
_BINARY_RUN = re.compile(r"[01 ]{40,}")
_HEX_RUN = re.compile(r"[0-9a-fA-Fx\\% :,]{20,}")
_REFERENCES = re.compile(r"[&#xX;0-9a-fA-F]{25,}")
_CODINGS = (
    Coding(_TAGS, _from_tags, "invisible tag characters"),
    Coding(_SELECTORS, _from_selectors, "invisible variation selectors"),
    Coding(_BASE64, _from_base64, "base64", _BASE64_RUN),
    Coding(_BINARY, _from_binary, "binary", _BINARY_RUN, ("0", "1"), 40),
    Coding(_HEX, _from_hex, "hexadecimal", _HEX_RUN, tuple("234567"), 7),
    Coding(_DECIMAL, html.unescape, "character references", _REFERENCES, ("&#",), 5),
)


def unseen(markup: str) -> tuple[Piece, ...]:
    """The parts of HTML that a browser does not show: comments, hidden elements, attributes."""
    found: list[Piece] = []
    open_tags: list[str] = []
    hidden_at = -1  # how many elements were open when a hidden one began
    start = at = 0
    reason = ""
    while (match := _TAG.search(markup, at)) is not None:
        at = match.end()
        name, rest = match.group(1), match.group(2)
        if name == "!--":
            close = markup.find("-->", match.start() + 4)
            end = close if close >= 0 else len(markup)
            found.append(Piece(markup[match.start() + 4 : end], match.start() + 4, end, "comment"))
            at = min(len(markup), end + 3)
            continue
        low = name.lower()
        if low.startswith("/"):
            while open_tags and low[1:] in open_tags[-32:]:
                if open_tags.pop() == low[1:]:
                    break
            if hidden_at >= 0 and len(open_tags) <= hidden_at:
                found.append(
                    Piece(_bare(markup[start : match.start()]), start, match.start(), reason)
                )
                hidden_at = -1
            continue
        found.extend(_told(match))
        if low in _NEVER_CLOSED or rest.endswith("/"):
            continue
        if low in _NOT_TEXT:
            code = _END_OF_CODE.search(markup, at)
            at = code.start() if code else len(markup)
            continue
        if hidden_at < 0 and (style := _INVISIBLE.search(rest)) and not _DARK.search(rest):
            hidden_at, start, reason = len(open_tags), match.end(), style.group().lower()
        open_tags.append(low)
    if hidden_at >= 0:
        found.append(Piece(_bare(markup[start:]), start, len(markup), reason))
    return tuple(piece for piece in found if piece.text.strip())


def _told(match: re.Match[str]) -> Iterator[Piece]:
    """Attributes that hold a sentence."""
    for said in _TOLD.finditer(match.group(2)):
        value = said.group(1) or said.group(2)
        if value.count(" ") > 2:
            start = match.start(2) + said.start(said.lastindex or 0)
            yield Piece(html.unescape(value), start, start + len(value), "attribute")


def _bare(markup: str) -> str:
    return html.unescape(_TAG.sub(" ", markup))


@frozen
class Shown:
    """The text of markup without its tags; `origin[n]` is where its n-th character stood."""

    text: str
    origin: Ints


def seen_text(markup: str) -> Shown:
    """What is left of HTML without tags, comments, scripts and styles; hidden parts are in it."""
    mask = np.ones(len(markup), dtype=bool)
    at = 0
    while (match := _TAG.search(markup, at)) is not None:
        end = match.end()
        if match.group(1) == "!--":
            close = markup.find("-->", match.start() + 4)
            end = close + 3 if close >= 0 else len(markup)
        elif match.group(1).lower() in _NOT_TEXT:
            code = _END_OF_CODE.search(markup, end)
            end = code.start() if code else len(markup)
        mask[match.start() : end] = False
        if match.group(1).lower().lstrip("/") not in _INLINE:
            mask[match.start()] = True  # a block ends a line: its "<" stays and becomes a break
        at = max(end, match.start() + 1)
    kept = np.flatnonzero(mask)
    codes = codes_of(markup)[kept].copy()
    codes[codes == 60] = 10
    return Shown(codes.tobytes().decode("utf-32-le", "surrogatepass"), kept)
