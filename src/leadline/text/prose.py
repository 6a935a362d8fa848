"""Prose: tells a sentence that a report may quote from headings, menus, code, tables and links."""

from __future__ import annotations

import re
from functools import lru_cache

from leadline.text.cjk import count_cjk

_LINK = re.compile(
    r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}(?:\([^()\s]{0,100}\))?[^()\s]{0,100}\))"
)
_MACRO = re.compile(r"\{\{[^{}]{0,300}\}\}")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_CODE = re.compile(r"`[^`]{0,300}`")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_STOPPED = re.compile(r"[.!?…。！？｡][\"'”’»)\]*_`」』）】]*(?:\[\d{1,3}\])*$")
_OPENING = re.compile(r"#{1,6}\s|\||```|~~~|!\[|:::|@\w|\$ |>>>|\.\. |[-=*_]{3}|\[\^|\[!")
_NO_SYMBOLS = dict.fromkeys(map(ord, "{}<>=;|\\/_$@#^~+&"))
_VERBS = frozenset(
    """is are was were be been has have had can could will would may might must shall should do
    does did means allows became become becomes began begins called contains consists creates
    defines enables gives includes led lets makes made needs provides refers represents requires
    returns runs said says sets shows specifies supports takes uses used won works ist sind war
    est sont était es son fue era è sono è foi não""".split()  # noqa: SIM905
)
_BOILERPLATE = re.compile(
    r"all rights reserved|accept (?:all )?cookies|cookie policy|privacy policy"
    r"|terms of (?:use|service)|sign up (?:for|to)|subscribe to|click here"
    r"|skip to (?:main )?content|javascript is disabled"
    r"|enable javascript|log ?in to",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)  # each stage asks it of the sentences that the one before looked at
def is_prose(text: str) -> bool:
    """Whether `text` reads as one whole sentence of running text."""
    line = " ".join(text.split())
    if len(line) < 12 or len(line) > 1200 or _OPENING.match(line):
        return False
    bare = _bare(line)
    if count_cjk(bare) >= 6:
        return _STOPPED.search(line) is not None
    return _has_shape(line, bare) and not _BOILERPLATE.search(line)


def _bare(line: str) -> str:
    """`line` without what is not language: links keep their words only inside a sentence."""
    text = _ADDRESS.sub(" ", _TAG.sub(" ", _MACRO.sub(" X ", line)))
    return _LINK.sub(lambda m: " X " if m.group().startswith("!") else f" {m.group(1)} ", text)


def _has_shape(line: str, bare: str) -> bool:
    """Enough words outside links and code, few symbols, and an end or a verb."""
    told = _CODE.sub(" ", _LINK.sub(" ", _MACRO.sub(" ", _ADDRESS.sub(" ", _TAG.sub(" ", line)))))
    words = [word.lower() for word in _WORD.findall(told)]
    if len(words) < 3 or len(_WORD.findall(bare)) < 4 or line.endswith((":", ",", ";", "(")):
        return False
    solid = "".join(_CODE.sub("", bare).split())
    symbols = len(solid) - len(solid.translate(_NO_SYMBOLS))
    letters = sum(map(str.isalpha, solid))
    if symbols > 0.06 * len(solid) + 1 or letters < 0.65 * len(solid):
        return False
    return _is_whole(line, words)


def _is_whole(line: str, words: list[str]) -> bool:
    """It ends as sentences end; without a stop it must be long and hold a verb we know."""
    stopped = _STOPPED.search(line) is not None
    first = next((char for char in line if char.isalnum()), "")
    if first.islower() and not (stopped and len(words) >= 6):
        return False
    verb = any(word in _VERBS for word in words)
    return len(words) >= 4 or verb if stopped else len(words) >= 8 and verb
