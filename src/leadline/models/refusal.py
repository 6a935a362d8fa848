"""Reads what an endpoint says when it refuses: is it the key, the length, the load, a feature?"""

from __future__ import annotations

import json
import re
from typing import Any

from leadline.errors import ModelTrouble
from leadline.models.wire import Feature
from leadline.types import Ask

_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_NOT_UNDERSTOOD = frozenset({400, 404, 405, 415, 422, 500, 501})
_OVERLONG = re.compile(
    r"context.{0,20}(?:length|window|size)|maximum context|too long|too many tokens|too large"
    r"|exceed\w*.{0,60}(?:token|context)|(?:token|context)\w*.{0,60}exceed|num_ctx|max_model_len",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(r"model.{0,80}(?:not found|does not exist|not exist|unknown)", re.IGNORECASE)
_FEATURES: tuple[tuple[Feature, re.Pattern[str]], ...] = (
    ("temperature", re.compile(r"temperature", re.IGNORECASE)),
    ("max_tokens", re.compile(r"max_tokens|max_completion_tokens", re.IGNORECASE)),
    ("usage", re.compile(r"stream_options|include_usage", re.IGNORECASE)),
    ("think", re.compile(r"\bthink|reasoning", re.IGNORECASE)),
)


class Refused(Exception):
    """An answer with another status than 200, and what the server says of it."""

    def __init__(self, status: int, said: str, retry_after: str = "") -> None:
        super().__init__(said)
        self.status, self.said = status, said
        known = retry_after.isascii() and retry_after.isdigit()
        self.retry_after = float(retry_after[:9]) if known else 0.0


def unwanted(refused: Refused, ask: Ask, without: frozenset[Feature]) -> Feature | None:
    """What to leave out of the next request, or None when that would not help."""
    if refused.status not in _NOT_UNDERSTOOD or _is_about_something_else(refused):
        return None
    for feature, named in _FEATURES:
        if feature not in without and named.search(refused.said):
            return feature
    # Endpoints without schemas or tools say so in many words, or in none: try once without.
    if ask.tools and ask.native and "tools" not in without:
        return "tools"
    return "schema" if ask.schema is not None and "schema" not in without else None


def _is_about_something_else(refused: Refused) -> bool:
    return bool(_OVERLONG.search(refused.said) or _NO_MODEL.search(refused.said))


def trouble(refused: Refused) -> tuple[ModelTrouble, str, bool]:
    """The kind of failure, in words, and whether asking again may help."""
    status = refused.status
    told = f"HTTP {status}" + (f" ({refused.said})" if refused.said else "")
    if status in (401, 403):
        return "refused", f"refused ({told}); check its key", False
    if status == 402:
        return "refused", f"refused ({told}); the account has no credit", False
    if status in (400, 413, 422, 500) and _OVERLONG.search(refused.said):
        return "overlong", f"the prompt is too long for it ({told})", False
    if status == 404 or _NO_MODEL.search(refused.said):
        return "missing", f"not there ({told}); check its name and address", False
    if 300 <= status < 400:
        return "failed", f"moved ({told}); set its address to the new one", False
    return ("busy", told, True) if status in _BUSY else ("failed", told, False)


def said_in(body: bytes) -> str:
    """What the server's JSON says of the error, on one line; "" when it says nothing."""
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict | list):
        return ""
    for _ in range(4):
        if isinstance(value, list) and value:
            value = value[0]
        if not isinstance(value, dict):
            break
        names = ("message", "error", "detail", "msg", "reason", "title")
        value = next((value[name] for name in names if value.get(name)), "")
    return " ".join(value.split())[:300] if isinstance(value, str) else ""
