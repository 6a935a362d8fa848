"""What a web page says of itself: its title, who wrote it and when.

Pages say it in many places; the ones meant for machines are asked first. A date must be one that
exists and a name must look like one, or it is left empty: a wrong author is worse than none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from leadline.frozen import frozen

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_TITLES = ("og:title", "twitter:title", "citation_title", "dc.title", "dcterms.title")
_AUTHORS = (
    "author",
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "article:author",
    "sailthru.author",
    "byl",
)
_DATES = (
    "article:published_time",
    "citation_publication_date",
    "citation_date",
    "datepublished",
    "og:published_time",
    "dc.date.issued",
    "dcterms.date",
    "dc.date",
    "parsely-pub-date",
    "sailthru.date",
    "pubdate",
    "publishdate",
    "date",
    "article:modified_time",
    "og:updated_time",
    "last-modified",
)
_LEADS = ("og:description", "description", "twitter:description")
_BYLINES = (
    '[rel="author"], [itemprop="author"] [itemprop="name"], [itemprop="author"], '
    ".byline .author, .author-name, .byline-name, .p-author, .byline, .author"
)
_TIMES = 'time[itemprop="datePublished"], time[pubdate], time[datetime]'
_DAY = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_IN_URL = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WORDS = re.compile(
    r"(?<![\w.])(?:(\d{1,2})(?:st|nd|rd|th)?\.? ([A-Za-z]{3,9})\.?,? (\d{4})"
    r"|([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}))(?!\d)"
)
_BY = re.compile(r"^\s*(?:(?:written|posted|published)\s+)?by:?\s+", re.IGNORECASE)
_AFTER_NAME = re.compile(r"\s*(?:[|•·—]|\son\s|,?\s*(?:updated|published|posted)\b).*$", re.I)
_SITE = re.compile(r"\s+[|·•–—»-]\s+")
_LD_BYTES = 200_000
_NAME_CHARS, _NAME_WORDS = 120, 12
_OLDEST = 1970


@frozen
class About:
    """Empty where the page does not say."""

    title: str = ""
    author: str = ""
    date: str = ""
    body: str = ""  # the article's text, where the page tells it to machines
    lead: str = ""  # what it says of itself in a sentence or two


@dataclass(slots=True)
class _Said:
    """What stands in the head, by name."""

    meta: dict[str, list[str]] = field(default_factory=dict)
    linked: list[dict[str, Any]] = field(default_factory=list)

    def first(self, names: tuple[str, ...]) -> list[str]:
        return [text for name in names for text in self.meta.get(name, ())]


def about(tree: LexborHTMLParser, url: str) -> About:
    """Title, author and date of a parsed page."""
    said = _said(tree)
    lead = max(said.first(_LEADS), key=len, default="")
    return About(_title(tree, said), _author(tree, said), _date(tree, said, url), _body(said), lead)


def _said(tree: LexborHTMLParser) -> _Said:
    said = _Said()
    for node in tree.css("meta"):
        values = node.attributes
        name = values.get("property") or values.get("name") or values.get("itemprop")
        content = " ".join((values.get("content") or "").split())
        if name and content:
            said.meta.setdefault(name.lower(), []).append(content)
    for node in tree.css('script[type="application/ld+json"]'):
        text = node.text(deep=True)
        if len(text) <= _LD_BYTES:
            said.linked += _articles(text)
    return said


def _articles(text: str) -> Iterator[dict[str, Any]]:
    """The objects of linked data that have a title, an author or a date of their own."""
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    for _ in range(200):
        if not waiting:
            return
        one = waiting.pop(0)
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            if {"headline", "author", "datePublished"} & one.keys():
                yield one
            waiting += [one[key] for key in ("@graph", "mainEntity") if key in one]


def _title(tree: LexborHTMLParser, said: _Said) -> str:
    headline = next((str(one["headline"]) for one in said.linked if one.get("headline")), "")
    node = tree.css_first("title")
    whole = " ".join(node.text(deep=True).split()) if node is not None else ""
    heading = tree.css_first("h1")
    told = " ".join(heading.text(deep=True).split()) if heading is not None else ""
    for one in (*said.first(_TITLES), headline):
        if one.strip():
            return _plain(one)
    # A title often ends in the site's name; the page's own heading says where the name begins.
    if told and told.casefold() in whole.casefold():
        return told
    parts = _SITE.split(whole)
    return max(parts, key=len) if len(parts) == 2 and len(parts[1]) < 30 else whole or told


def _author(tree: LexborHTMLParser, said: _Said) -> str:
    linked = [name for one in said.linked for name in _names(one.get("author"))]
    named = dict.fromkeys(filter(None, (_name(one) for one in (*linked, *said.first(_AUTHORS)))))
    if not named:
        for node in tree.css(_BYLINES)[:5]:
            if name := _name(node.text(deep=True)):
                return name
    joined = "; ".join(named)
    return joined if len(joined) <= _NAME_CHARS else next(iter(named))


def _body(said: _Said) -> str:
    told = (one.get("articleBody") for one in said.linked)
    found = max((one for one in told if isinstance(one, str)), key=len, default="")
    return "" if "</" in found else "\n\n".join(filter(None, map(str.strip, found.splitlines())))


def _names(said: object) -> list[str]:
    if isinstance(said, str):
        return [said]
    if isinstance(said, dict):
        return _names(said.get("name"))
    return [name for one in said for name in _names(one)] if isinstance(said, list) else []


def _name(text: str) -> str:
    """A person's or a body's name; an address, a sentence or a number is none."""
    whole = " ".join(text.split())
    if whole.endswith((".", "!", "?")) and not whole.endswith(("Jr.", "Sr.", "Inc.", "Ltd.")):
        return ""
    name = _AFTER_NAME.sub("", _BY.sub("", whole)).strip(" ,;:")
    if "://" in name or "@" in name or len(name) > _NAME_CHARS or len(name.split()) > _NAME_WORDS:
        return ""
    return name if any(letter.isalpha() for letter in name) else ""


def _date(tree: LexborHTMLParser, said: _Said, url: str) -> str:
    keys = ("datePublished", "dateCreated", "dateModified")
    told = [str(one[key]) for key in keys for one in said.linked if one.get(key)]
    told += said.first(_DATES)
    told += [node.attributes.get("datetime") or "" for node in tree.css(_TIMES)[:3]]
    for one in told:
        if found := day_of(one):
            return found
    in_url = _IN_URL.search(url)
    return _real(*in_url.groups()) if in_url else ""


def day_of(text: str) -> str:
    """The first date in `text` as YYYY-MM-DD, or ""."""
    if found := _DAY.search(text):
        return _real(*found.groups())
    if found := _WORDS.search(text):
        day, month, year = found.group(1, 2, 3) if found[1] else found.group(5, 4, 6)
        if month[:3].lower() in _MONTHS:
            return _real(year, str(_MONTHS.index(month[:3].lower()) + 1), day)
    return ""


def _real(year: str, month: str, day: str) -> str:
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return ""
    return found.isoformat() if found.year >= _OLDEST else ""


def _plain(text: str) -> str:
    return " ".join(text.split())
