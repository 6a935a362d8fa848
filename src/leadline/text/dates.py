"""Dates in a text as values that can be compared: a day, a month, a year, a decade or a century.

"5 March 1999", "March 5th, 1999" and "1999-03-05" are one value. A date holds another when it is
at least as exact and agrees in all that the other says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadline.frozen import frozen

_MONTH_OF = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1\d{3}|20\d{2})(?!\d|,\d{3})"
_GAP = r"(?:\s*,\s*|\s+)"
_ORDINALS = {
    word: number
    for number, word in enumerate(
        """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
        thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
        twenty-first""".split(),  # noqa: SIM905
        1,
    )
}
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?<![\d-])(?P<year>1\d{3}|20\d{2})[-/.](?P<month>[01]?\d)[-/.](?P<day>[0-3]?\d)(?!\d|-)",
        r"(?P<year>1\d{3}|20\d{2})年(?:(?P<month>[01]?\d)月(?:(?P<day>[0-3]?\d)日)?)?",
        rf"(?<![\d.,]){_DAY}(?:\s+of)?\s+{_MONTH}(?:{_GAP}{_YEAR})?",
        rf"(?<!\w){_MONTH}\s+{_DAY}(?!\d|[:%]|\s*(?:%|per ?cent|million|billion))"
        rf"(?:{_GAP}{_YEAR})?",
        rf"(?<!\w){_MONTH}(?:\s+of)?{_GAP}{_YEAR}",
        r"(?<![\d/])(?P<one>[0-3]?\d)[/.](?P<two>[0-3]?\d)[/.](?P<year>1\d{3}|20\d{2})(?!\d)",
        r"(?<!\w)(?P<decade>1\d{2}0|20\d0)['’]?s\b",
        r"(?<!\w)['’](?P<short>[1-9]0)s\b",
        r"(?<!\w)(?P<century>\d{1,2})(?:st|nd|rd|th)[\s-]century\b",
        rf"(?<!\w)(?P<century>{'|'.join(_ORDINALS)})[\s-]century\b",
        r"(?<!\w)(?:in|on|of|since|until|till|by|during|early|late|mid|last|next|from|to|and|through)"
        rf"[\s-]{_MONTH}",
    )
)
# A year or a plain number of its size: "2000 people" is compared as a number too.
_BARE_YEAR = re.compile(
    r"(?<![\w.,$€£¥#+-])(?<![$€£¥]\s)(?P<year>1\d{3}|20\d{2})"
    r"(?:\s?[-–—/]\s?(?P<till>1\d{3}|20\d{2}|\d{2})(?!\d))?"
    r"(?![\d%°]|[.,]\d|\s?(?:%|per ?cent|million|billion|thousand|km|kg|metres|meters|miles)\b)",
    re.IGNORECASE,
)
_TAKEN = "\0"  # stands where a date has been read, so that no other form reads it again
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[a-z]+")
_TELLTALE = frozenset((*_MONTH_OF, "century"))
_MOST_MONTHS, _MOST_DAYS = 12, 31


@frozen
class Date:
    """A date as far as it is told: `low` to `high` are years (0 when no year is told)."""

    text: str
    start: int
    end: int
    low: int = 0
    high: int = 0
    month: int = 0
    day: int = 0

    @property
    def is_year(self) -> bool:
        return self.low == self.high > 0


def dates(text: str) -> tuple[Date, ...]:
    """The dates of `text` in order; none overlaps another."""
    if not _DIGIT.search(text) and _TELLTALE.isdisjoint(_LETTERS.findall(text.lower())):
        return ()
    found: list[Date] = []

    def note(match: re.Match[str]) -> str:
        read = list(_read(match))
        found.extend(read)
        return _TAKEN * len(match.group()) if read else match.group()

    for form in (*_FORMS, _BARE_YEAR):
        text = form.sub(note, text)
    return tuple(sorted(found, key=lambda date: date.start))


def holds(source: Date, claim: Date) -> bool:
    """Whether `source` says all that `claim` says: as exact, and no part of it differs."""
    if claim.day and source.day != claim.day:
        return False
    if claim.month and source.month != claim.month:
        return False
    return not claim.low or (source.low >= claim.low and 0 < source.high <= claim.high)


def pieced(sources: tuple[Date, ...], claim: Date) -> bool:
    """Whether the parts of `claim` are told apart from each other, such as the year in a title."""
    years = not claim.low or any(claim.low <= s.low and 0 < s.high <= claim.high for s in sources)
    days = Date("", 0, 0, month=claim.month, day=claim.day)
    told = not claim.month or any(
        holds(s, days) and (not s.low or not claim.low or holds(s, claim)) for s in sources
    )
    return years and told


def _read(match: re.Match[str]) -> Iterator[Date]:
    """The values of a match: two for a span of years or a date that can be read in two ways."""
    part = match.groupdict()
    text, start, end = match.group(), match.start(), match.end()
    if part.get("decade") or part.get("short"):
        first = int(part["decade"]) if part.get("decade") else 1900 + int(part["short"])
        yield Date(text, start, end, first, first + 9)
    elif part.get("century"):
        number = _ORDINALS.get(part["century"].lower()) or int(part["century"])
        yield Date(text, start, end, 100 * (number - 1), 100 * number)
    elif part.get("one"):
        year, one, two = int(part["year"]), int(part["one"]), int(part["two"])
        for day, month in dict.fromkeys([(one, two), (two, one)]):
            if 0 < month <= _MOST_MONTHS and 0 < day <= _MOST_DAYS:
                yield Date(text, start, end, year, year, month, day)
    elif part.get("till"):
        year, till = int(part["year"]), part["till"]
        last = int(till) if len(till) > 2 else year - year % 100 + int(till)
        yield Date(text, start, end, year, year)
        if last > year:
            yield Date(text, start, end, last, last)
    else:
        yield from _plain(match)


def _plain(match: re.Match[str]) -> Iterator[Date]:
    """A year, a month or a day, whatever of them is told."""
    part = match.groupdict()
    year, day = int(part.get("year") or 0), int(part.get("day") or 0)
    named = part.get("month") or ""
    if not (year or day) and named[:1].islower():
        return  # "and may", "to march"
    month = _month(named)
    if month <= _MOST_MONTHS and day <= _MOST_DAYS:
        yield Date(match.group(), match.start(), match.end(), year, year, month, day)


def _month(written: str) -> int:
    if not written:
        return 0
    return int(written) if written.isdigit() else _MONTH_OF[written.lower().rstrip(".")]
