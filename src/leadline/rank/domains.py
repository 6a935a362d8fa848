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
    for hit in sorted(hits, key=lambda hit: not named(host_of(hit.url), wanted.prefer)):
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
    if not _dated(hit.published, wanted.since, wanted.until):
        return f"not dated {wanted.since or '…'} to {wanted.until or '…'}"
    if wanted.per_domain and held >= wanted.per_domain:
        return f"more than {wanted.per_domain} of one site"
    return ""


def host_of(url: str) -> str:
    """The host of a web address in one spelling, without `www.`; "" when there is none."""
    try:
        host = (urlsplit(url.strip()).hostname or "").rstrip(".")
        plain = host.encode("idna").decode("ascii")
    except UnicodeError:
        plain = host
    except ValueError:
        return ""
    return plain.lower().removeprefix("www.")


def named(host: str, domains: Iterable[str]) -> bool:
    """Whether `host` is one of the domains or below one; `*.example.com` and whole addresses are
    domains too."""
    for entry in domains:
        text = entry.strip().lower()
        domain = host_of(text if "//" in text else f"//{text.removeprefix('*.').lstrip('.')}")
        if domain and (host == domain or host.endswith(f".{domain}")):
            return True
    return False


def _dated(published: str, since: str, until: str) -> bool:
    """Whether a date may lie in the window; the unknown may."""
    first, last = _day(published, "01", "01"), _day(published, "12", "31")
    start, end = _day(since, "01", "01"), _day(until, "12", "31")
    return not first or ((not start or last >= start) and (not end or first <= end))


def _day(date: str, month: str, day: str) -> str:
    found = _DATE.match(date)
    return f"{found[1]}-{found[2] or month}-{found[3] or day}" if found else ""
