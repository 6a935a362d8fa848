"""Which results may enter the context: domains, dates, and how many of one site.

Pure rules. Documents of the user's own always pass: they have neither domain nor date here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from leadline.types import Hit

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


@dataclass(frozen=True)
class Wanted:
    """Lists of domains (subdomains included), a window of dates, and a quota; empty: no limit.

    `deny` wins over `allow`. A result whose date is not known is kept. A date may be a year, a
    month or a day.
    """

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    per_domain: int = 0


def choose(
    hits: Iterable[Hit], wanted: Wanted, taken: Mapping[str, int] | None = None
) -> tuple[tuple[Hit, ...], tuple[tuple[str, int], ...]]:
    """The hits to keep, preferred domains first, and how many were left out for which reason.

    `taken` says how many of each host are in already, where the quota is for more than one batch.
    """
    kept: list[Hit] = []
    left_out: Counter[str] = Counter()
    held = Counter(taken or {})
    for hit in _preferred_first(hits, wanted.prefer):
        host = host_of(hit.url)
        why = "" if hit.kind == "document" else _refused(hit, host, held[host], wanted)
        if why:
            left_out[why] += 1
        else:
            kept.append(hit)
            held[host] += 1
    return tuple(kept), tuple(left_out.items())


def _refused(hit: Hit, host: str, held: int, wanted: Wanted) -> str:
    if named(host, wanted.deny):
        return "domain denied"
    if wanted.allow and not named(host, wanted.allow):
        return "domain not allowed"
    if not dated(hit.published, wanted.since, wanted.until):
        return f"not dated {wanted.since or '…'} to {wanted.until or '…'}"
    if wanted.per_domain and held >= wanted.per_domain:
        return f"more than {wanted.per_domain} of one site"
    return ""


def _preferred_first(hits: Iterable[Hit], prefer: tuple[str, ...]) -> list[Hit]:
    given = list(hits)
    return sorted(given, key=lambda hit: not named(host_of(hit.url), prefer)) if prefer else given


def host_of(url: str) -> str:
    """The host of a web address, lower case, without `www.`; "" when there is none."""
    try:
        host = urlsplit(url.strip()).hostname or ""
    except ValueError:
        return ""
    return _ascii(host.rstrip("."))


def domain_of(entry: str) -> str:
    """The domain that an entry of a list means: `*.example.com`, a whole address, any case."""
    text = entry.strip().lower()
    bare = text if "//" in text else f"//{text.removeprefix('*.').lstrip('.')}"
    return host_of(bare)


def named(host: str, domains: Iterable[str]) -> bool:
    """Whether `host` is one of the domains or below one."""
    wanted = (domain_of(entry) for entry in domains)
    return bool(host) and any(host == one or host.endswith(f".{one}") for one in wanted if one)


def _ascii(host: str) -> str:
    """One spelling for names in other scripts."""
    try:
        plain = host.encode("idna").decode("ascii")
    except UnicodeError:
        plain = host
    return plain.lower().removeprefix("www.")


def dated(published: str, since: str, until: str) -> bool:
    """Whether a date may lie in the window; the unknown may."""
    if not _DATE.match(published):
        return True
    after_start = not _DATE.match(since) or _last(published) >= _first(since)
    return after_start and (not _DATE.match(until) or _first(published) <= _last(until))


def _first(date: str) -> str:
    return _day(date, "01", "01")


def _last(date: str) -> str:
    return _day(date, "12", "31")


def _day(date: str, month: str, day: str) -> str:
    found = _DATE.match(date)
    return f"{found[1]}-{found[2] or month}-{found[3] or day}" if found else ""
