"""Addresses of servers: which can be one, and what is secret in them: a password before the host,
a token in the query."""

from __future__ import annotations

import re
from base64 import b64encode
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
_HOST = re.compile(r"[\w.:-]+(%[\w.]+)?")


def _address(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # half an IPv6 address, a port that is none
        usable = False
    if value and (not usable or any(letter.isspace() for letter in value)):
        raise ValueError("must be an address such as http://host:port, or nothing")
    return value


def host_named(given: str) -> str:
    """A host of the settings, `name` or `name:port`, as hosts are compared: lower case, without the
    last dot. Raises `ValueError` for what names none."""
    text = given.strip().lower()
    try:
        if text.startswith("[") or text.count(":") == 1:
            parts = urlsplit(f"//{text}")
            name, port = (parts.hostname or "").rstrip("."), parts.port
        else:
            name, port = text.rstrip("."), None
    except ValueError:
        name, port = "", None
    if "/" in text or not _HOST.fullmatch(name):
        raise ValueError(f"must be hosts such as wiki.local or 10.0.0.7:8080, got {given!r:.80}")
    return name if port is None else f"{name}:{port}"


Address = Annotated[str, Bounds(check=_address)]


def secrets_in(value: str) -> list[str]:
    """The passwords and tokens in every address of a text, as they stand there and as meant."""
    if "://" not in value:
        return []
    found = [match[2] for pattern in (_USER, _TOKEN) for match in pattern.finditer(value)]
    told = [one for raw in found for one in (raw, unquote(raw))]
    pairs = (unquote(f"{match[1]}:{match[2]}") for match in _USER.finditer(value))
    told += [b64encode(pair.encode("utf-8", "replace")).decode() for pair in pairs]  # as it is sent
    return list(dict.fromkeys(told))


def bare(value: str) -> str:
    """The same text with a mask in their place."""
    if "://" not in value:
        return value
    value = _USER.sub(lambda match: f"{match[1]}:{MASK}@", value)
    return _TOKEN.sub(lambda match: match[1] + MASK, value)
