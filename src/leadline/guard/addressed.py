"""Orders to machines that read: what a page says to its reader's software is no statement of fact.

Narrower than the scanner and without a score: an order and the machine, or what only a machine has
(a system prompt, instructions given before), stand in one short paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

MOST_CHARS = 600  # of a paragraph; a longer one is prose, in which both may well stand

_ORDERS = (
    "ignore|disregard|forget|stop|reply|respond|answer|say|write|output|print|repeat|reveal"
    "|translate|cite|quote|credit|attribute|rank|link|recommend|remember|save|store|add|append"
    "|send|post|act|pretend|enter|play|search|promote|explain|follow|begin|call|trust|drop|stay"
)
_ORDER = (
    rf"(?:^|[.:;,!?\]>*]\s{{1,4}}|\b(?:please|must|has to|have to|should|will|required to|never"
    rf"|not|now|then|instead|and|you)\s)(?:{_ORDERS})\b"
)
_MACHINE = (
    r"\b(?:AI|LLM|chatbot|language model|automated (?:reader|system|agent))s?\b"
    r"|(?:^|[.!?]\s)Assistants? (?:must|should|are required|have to)\b"
)
_ITS_OWN = (
    r"\b(?:system prompt|developer mode|long-term memory|to (?:your )?memory|secret marks?"
    r"|(?:your|previous|prior|earlier|initial|preceding|permanent)"
    r" (?:\w{1,20} ){0,2}(?:instructions?|guidelines|directives?|objective|restrictions|rules?"
    r"|(?<!your )task)|new (?:task|objective|directive|role)|task you were given"
    r"|your (?:answer|report|whole answer|summary|memory|role|name is)"
    r"|(?:words|question|text|line) above|everything you were told|you were told"
    r"|you are now|in this role|future conversations|later session|(?:the )?conversation so far"
    r"|by machine|all API keys|when you summari[sz]e|the user prefers|answer the user"
    r"|without any citations|no policy|must never refuse)\b"
)
_TEMPLATE = (
    r"<\|[a-z_]{2,20}\|>|\[/?INST\]|<<<end \w|^### (?:Instruction|Response):"
    r"|(?:^|[>\]]\s{0,3})(?:Human|Assistant):"
)
# No other paragraph can be an order: whoever adds to the patterns above adds here as well. A few
# plain searches cost a tenth of the patterns.
_SIGNS = (
    "chatbot", "language model", "automated ", "assistant", "prompt", "developer mode", "memory",
    "secret mark", "instruction", "guideline", "directive", "objective", "restriction", "rule",
    "task", "new role", "your answer", "your report", "your whole answer", "your summary",
    "your role", "your name is", "above", "you were told", "you are now", "in this role",
    "future conversations", "later session", "conversation so far", "by machine", "api keys",
    "when you summari", "user prefers", "answer the user", "any citations", "no policy",
    "never refuse", "<|", "inst]", "<<<end", "### response", "human:",
)  # fmt: skip
_FIRST = rf"\W{{0,4}}(?:please |now )?(?:{_ORDERS})\b"
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_PARAGRAPH = re.compile(r"[^\n]+(?:\n(?!\s{0,4}\n)[^\n]+)*")


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The stretches between blank lines."""
    for found in _PARAGRAPH.finditer(text):
        yield found.start(), found.end()


def signs_of(text: str) -> tuple[str, ...]:
    """The signs of orders that stand anywhere in a text: for `is_order` of its paragraphs."""
    low = _seen(text).lower()
    return tuple(sign for sign in _SIGNS if sign in low)


def is_order(paragraph: str, signs: Sequence[str] = _SIGNS) -> bool:
    """Whether a short paragraph tells a machine what to do; `signs` are those that it can have."""
    if len(paragraph) > MOST_CHARS:
        return False
    said = _seen(paragraph)
    if not _has_sign(said, signs):
        return False
    if _compiled(_TEMPLATE, re.MULTILINE).search(said):
        return True
    named = _compiled(_ITS_OWN, re.IGNORECASE).search(said) or _compiled(_MACHINE).search(said)
    return bool(named and _compiled(_ORDER, re.IGNORECASE | re.MULTILINE).search(said))


def _seen(text: str) -> str:
    return text if text.isascii() else _UNSEEN.sub("", text)


def _has_sign(said: str, signs: Sequence[str]) -> bool:
    if "AI" in said or "LLM" in said:
        return True
    low = said.lower() if signs else ""
    return any(sign in low for sign in signs)


def may_be_order(paragraph: str) -> bool:
    """Whether a short paragraph begins like an order to anyone, so that a closer look is due."""
    found = len(paragraph) <= MOST_CHARS and _compiled(_FIRST, re.IGNORECASE).match(paragraph)
    return bool(found)


@cache
def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern, made when it is first needed: most texts have no sign of an order."""
    return re.compile(pattern, flags)
