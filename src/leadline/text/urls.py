"""URLs: one spelling per page, so that the same page found twice is held once.

The canonical form is a key for comparing, never for fetching: `http` and `https` are taken for
the same page, which is true of nearly every site and false of a few servers that answer only one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from posixpath import normpath
from urllib.parse import urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": {80, 443}, "https": {80, 443}, "ftp": {21}}
_TRACKING = frozenset(
    """gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ysclid twclid ttclid igshid igsh mc_cid
    mc_eid mkt_tok srsltid ocid cmpid ncid icid _ga _gl spm scm ref_src ref_url""".split()  # noqa: SIM905
)
_TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "matomo_", "itm_", "_hs", "__hs", "oly_", "fb_")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@lru_cache(maxsize=8192)  # every step tells the sources of a run apart by it
def canonical(url: str) -> str:
    """The spelling that all addresses of one page share; anything but a web address as it is."""
    trimmed = url.strip()
    try:
        parts = urlsplit(trimmed)
        port = parts.port
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").rstrip(".")
    if scheme not in _DEFAULT_PORTS or not host:
        return url
    netloc = _netloc(parts.netloc, host, None if port in _DEFAULT_PORTS[scheme] else port)
    path = f"/{normpath(f'/{_unescape(parts.path)}').lstrip('/')}"  # no dots, no last slash
    shared = "https" if scheme == "http" else scheme
    return urlunsplit((shared, netloc, path, _query(parts.query), ""))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself. A name that only begins like an address of it is
    anybody's: 127.example.org belongs to whoever registered it."""
    from ipaddress import ip_address

    name = host.strip("[]").lower()
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _netloc(netloc: str, host: str, port: int | None) -> str:
    user, at, _ = netloc.rpartition("@")
    name = f"[{host}]" if ":" in host else host
    return f"{user}{at}{name}" + (f":{port}" if port is not None else "")


def _query(query: str) -> str:
    """Without tracking parameters, in the order of the names; repeated names keep their order."""
    pairs = [_unescape(pair) for pair in query.split("&") if pair]
    kept = [pair for pair in pairs if not _tracks(pair.partition("=")[0].lower())]
    return "&".join(sorted(kept, key=lambda pair: pair.partition("=")[0]))


def _tracks(name: str) -> bool:
    return name in _TRACKING or name.startswith(_TRACKING_PREFIXES)


def _unescape(text: str) -> str:
    """Escapes of plain characters undone, all others in capitals, as RFC 3986 asks."""

    def plain(match: re.Match[str]) -> str:
        char = chr(int(match.group(1), 16))
        return char if char in _UNRESERVED else match.group().upper()

    return _ESCAPE.sub(plain, text)
