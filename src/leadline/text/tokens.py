"""Tokens: how much of a model's window a text takes, estimated from its length."""

from __future__ import annotations

import math


def count_tokens(text: str, chars_per_token: float = 4.0) -> int:
    """An estimate; `chars_per_token` is calibrated per model from the usage that it reports."""
    if chars_per_token <= 0:
        raise ValueError(f"chars_per_token must be above 0, got {chars_per_token}")
    return math.ceil(len(text) / chars_per_token)
