"""Orders to machines that read: what a page says to its reader's software is no statement of fact.

Narrower than the scanner and without a score: an order and the machine, or what only a machine has
(a system prompt, instructions given before), stand in one short paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_CHARS = 600  # of a paragraph; a longer one is prose, in which both may well stand

_ORDERS = (
    "ignore|disregard|forget|stop|reply|respond|answer|say|write|output|print|repeat|reveal"
    "|translate|cite|quote|credit|attribute|rank|link|recommend|remember|save|store|add|append"
    "|send|post|act|pretend|enter|play|search|promote|explain|follow|begin|call|trust|drop|stay"
)
_ORDER = re.compile(
    rf"(?:^|[.:;,!?\]>*]\s{{1,4}}|\b(?:please|must|has to|have to|should|will|required to|never"
    rf"|not|now|then|instead|and|you)\s)(?:{_ORDERS})\b",
    re.IGNORECASE | re.MULTILINE,
)
_MACHINE = re.compile(
    r"\b(?:AI|LLM|chatbot|language model|automated (?:reader|system|agent))s?\b"
    r"|(?:^|[.!?]\s)Assistants? (?:must|should|are required|have to)\b"
)
_ITS_OWN = re.compile(
    r"\b(?:system prompt|developer mode|long-term memory|to (?:your )?memory|secret marks?"
    r"|(?:your|previous|prior|earlier|initial|preceding|permanent)"
    r" (?:\w{1,20} ){0,2}(?:instructions?|guidelines|directives?|objective|restrictions|rules?"
    r"|(?<!your )task)|new (?:task|objective|directive|role)|task you were given"
    r"|your (?:answer|report|whole answer|summary|memory|role|name is)"
    r"|(?:words|question|text|line) above|everything you were told|you were told"
    r"|you are now|in this role|future conversations|later session|(?:the )?conversation so far"
    r"|by machine|all API keys|when you summari[sz]e|the user prefers|answer the user"
    r"|without any citations|no policy|must never refuse)\b",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"<\|[a-z_]{2,20}\|>|\[/?INST\]|<<<end \w|^### (?:Instruction|Response):"
    r"|(?:^|[>\]]\s{0,3})(?:Human|Assistant):",
    re.MULTILINE,
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
_FIRST = re.compile(rf"\W{{0,4}}(?:please |now )?(?:{_ORDERS})\b", re.IGNORECASE)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_PARAGRAPH = re.compile(r"[^\n]+(?:\n(?!\s{0,4}\n)[^\n]+)*")


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The stretches between blank lines."""
    for found in _PARAGRAPH.finditer(text):
        yield found.start(), found.end()


def is_order(paragraph: str) -> bool:
    """Whether a short paragraph tells a machine what to do."""
    if len(paragraph) > MOST_CHARS:
        return False
    said = paragraph if paragraph.isascii() else _UNSEEN.sub("", paragraph)
    if not _has_sign(said):
        return False
    if _TEMPLATE.search(said):
        return True
    return bool((_ITS_OWN.search(said) or _MACHINE.search(said)) and _ORDER.search(said))


def _has_sign(said: str) -> bool:
    if "AI" in said or "LLM" in said:
        return True
    low = said.lower()
    return any(sign in low for sign in _SIGNS)


def may_be_order(paragraph: str) -> bool:
    """Whether a short paragraph begins like an order to anyone, so that a closer look is due."""
    return len(paragraph) <= MOST_CHARS and bool(_FIRST.match(paragraph))
