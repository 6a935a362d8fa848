"""Addresses of servers: which can be one, and what is secret in them: a password before the host,
a token in the query."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import unquote, urlsplit

from leadline.fields.setting import Bounds

MASK = "***"
# Anywhere in a text, so that `PROVIDER:NAME@https://…` is understood too.
_USER = re.compile(r"(?<=://)([^/?#\s@:]*):([^/?#\s@]+)@")
# Other parameters (`language=english`) are ordinary words, which nobody would want hidden.
_TOKEN = re.compile(
    r"([?&][^=&#\s]*(?:key|token|secret|pass|auth|sig|credential)[^=&#\s]*=)([^&#\s]+)", re.I
)


def _address(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # half an IPv6 address, a port that is none
        usable = False
    if value and (not usable or any(letter.isspace() for letter in value)):
        raise ValueError("must be an address such as http://host:port, or nothing")
    return value


Address = Annotated[str, Bounds(check=_address)]


def secrets_in(value: str) -> list[str]:
    """The passwords and tokens in every address of a text, as they stand there and as meant."""
    if "://" not in value:
        return []
    found = [match[2] for pattern in (_USER, _TOKEN) for match in pattern.finditer(value)]
    return list(dict.fromkeys(one for raw in found for one in (raw, unquote(raw))))


def bare(value: str) -> str:
    """The same text with a mask in their place."""
    if "://" not in value:
        return value
    value = _USER.sub(lambda match: f"{match[1]}:{MASK}@", value)
    return _TOKEN.sub(lambda match: match[1] + MASK, value)
