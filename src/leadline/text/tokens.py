"""Tokens: how much of a model's window a text takes, estimated from its characters.

No tokenizer is downloaded. Characters are weighed by kind, since a digit, a bracket or a Chinese
character takes far more of a window than an English letter, and the scale is set per model by the
usage that it reports.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

PLAIN_CHARS_PER_TOKEN = 4.2  # English letters and spaces of an old, small vocabulary
MARGIN = 1.1  # an estimate that is too low costs a call, one too high a few sentences
LEAST_CHARS_PER_TOKEN, MOST_CHARS_PER_TOKEN = 1.0, 8.0

# What one character of a kind weighs, in letters of plain English.
_KINDS = (
    (re.compile(r"[0-9]+"), 4.4),
    (re.compile(r"[\x00-\x1f!-/:-@\[-`{-\x7f]+"), 4.0),
    (re.compile(r"[\x80-\u05ff]+"), 2.7),
    (re.compile(r"[\u0600-\u1fff]+"), 4.6),
    (re.compile(r"[^\x00-\u1fff\uac00-\ud7af\U00010000-\U0010ffff]+"), 6.0),
    (re.compile(r"[\uac00-\ud7af]+"), 8.0),
    (re.compile(r"[\U00010000-\U0010ffff]+"), 16.0),
)


def count_tokens(text: str) -> int:
    """A plain estimate for a person to read."""
    return math.ceil(len(text) / 4)


def weight(text: str) -> float:
    """How many letters of plain English take as many tokens as `text`."""
    extra = sum((weighs - 1) * sum(map(len, kind.findall(text))) for kind, weighs in _KINDS)
    return len(text) + extra


@dataclass(frozen=True)
class Counter:
    """Counts a prompt before it is sent, on the safe side."""

    chars_per_token: float = PLAIN_CHARS_PER_TOKEN
    margin: float = MARGIN

    def weigh(self, text: str) -> float:
        """Tokens of `text` with the margin; parts add up to the whole."""
        return weight(text) / self.chars_per_token * self.margin

    def count(self, text: str) -> int:
        return math.ceil(self.weigh(text))


def calibrated(chars_per_token: float, text_weight: float, tokens: int) -> float:
    """The scale after a model took `tokens` for a text of this `weight`.

    It moves half of the way, so that one odd prompt does not decide, and stays within what any
    tokenizer does.
    """
    if tokens <= 0 or text_weight <= 0:
        return chars_per_token
    seen = min(max(text_weight / tokens, LEAST_CHARS_PER_TOKEN), MOST_CHARS_PER_TOKEN)
    return (chars_per_token + seen) / 2
