"""Numbers and dates in a text as values that can be compared.

"$2.5 billion" is "2,500 million dollars", "twelve" is 12, and "about 3 million" may round what a
source says exactly. "5 March 1999", "March 5th, 1999" and "1999-03-05" are one date; a date holds
another when it is at least as exact and agrees in all that the other says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen""".split()  # noqa: SIM905
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_SMALL = {word: number for number, word in enumerate(_ONES)} | {
    word: 10 * number for number, word in enumerate(_TENS, 2)
}
_NTHS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()  # noqa: SIM905
_ORDINALS = {word: number for number, word in enumerate(_NTHS, 1)}
_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6,
    "billion": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12, "tn": 1e12, "dozen": 12.0, "lakh": 1e5,
    "crore": 1e7,
}  # fmt: skip
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}
_MEASURES = """length 1e-3 mm millimetre millimeter millimetres millimeters
    length 1e-2 cm centimetre centimeter centimetres centimeters
    length 1 metre meter metres meters
    length 1e3 km kilometre kilometer kilometres kilometers
    length 0.3048 ft foot feet
    length 1609.344 mi mile miles
    mass 1e-3 g gram grams
    mass 1e-6 mg milligram milligrams
    mass 1 kg kilogram kilograms
    mass 0.45359237 lb lbs pounds
    mass 1e3 tonne tonnes
    area 1e4 ha hectare hectares
    area 4046.8564 acre acres
    time 1 second seconds
    time 60 minute minutes
    time 3600 hour hours
    time 86400 day days
    time 604800 week weeks
    time 2629746 month months
    time 31556952 year years"""
_ROWS = [line.split() for line in _MEASURES.splitlines()]
_UNIT_OF = {name: names[0] for _, _, *names in _ROWS for name in names}
_WORTH = {names[0]: (kind, float(factor)) for kind, factor, *names in _ROWS}
_CURRENCIES = {
    "$": "$", "us$": "$", "usd": "$", "dollar": "$", "dollars": "$", "€": "€", "eur": "€",
    "euro": "€", "euros": "€", "£": "£", "gbp": "£", "¥": "¥", "yen": "¥", "₹": "₹", "rupees": "₹",
}  # fmt: skip


def _either(names: object) -> str:
    return "|".join(sorted(names, key=len, reverse=True))  # type: ignore[call-overload]


_SMALL_WORD = _either(_SMALL)
_SCALE_WORD = _either(word for word in _SCALES if len(word) > len("mn"))
_LAST = (
    rf"(?:[\s-]?(?P<percent>%|per\s?cent\b|percent\b|pct\b)|[\s-]?(?P<unit>{_either(_UNIT_OF)})\b"
    rf"|\s(?P<money>{_either(word for word in _CURRENCIES if word.isalpha())})\b)?"
)
_FIGURE = re.compile(
    r"(?<![\w.,])(?<![A-Za-z]-)(?:(?P<sign>US\$|[$€£¥₹])\s?)?"
    r"(?P<figure>\d{1,3}(?:[,’\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d+)?|\.\d+)"
    rf"(?:(?P<nth>st|nd|rd|th)\b|[\s-]?(?P<scale>{_SCALE_WORD}|mn|bn|tn)\b|(?P<letter>[kKmMbB])\b)?"
    + _LAST,
    re.IGNORECASE,
)
_SPELLED = re.compile(
    rf"\b(?P<words>(?:(?:{_SMALL_WORD}|half an?|an?(?=[\s-](?:{_SCALE_WORD})))"
    rf"(?:[\s-]+(?:(?:{_SCALE_WORD})(?:[\s-]+and[\s-]+(?:{_SMALL_WORD}))?|{_SMALL_WORD}"
    r"|and[\s-]+a half))*))\b" + _LAST,
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"\b(?:(?P<tens>{_SMALL_WORD})-)?(?P<nth>{_either(_NTHS[1:])})\b(?!-?(?:hand|s\b))",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    rf"\b(?:(?P<top>an?|{_SMALL_WORD})[\s-])?(?P<part>{_either(_PARTS)})\b"
    r"(?=\s+(?:of|the|its|their|all)\b)",
    re.IGNORECASE,
)
_ROUNDED = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|over|under|circa|c\.|~|≈|"
    r"more than|less than|fewer than|at least|up to|close to|an estimated|estimated at)\s*"
    r"(?:the\s+)?(?:US)?[$€£¥₹]?\s?$",
    re.IGNORECASE,
)
_LOOK = 24
_NEAR, _ROUGH = 0.05, 0.12  # how far a rounded number may be from its source; "about" gives more

_MONTHS = """january february march april may june july august september october november
    december""".split()  # noqa: SIM905
_MONTH_OF = {name: at for at, month in enumerate(_MONTHS, 1) for name in (month, month[:3])}
_MONTH_OF["sept"] = _MONTH_OF["sep"]
_MONTH = rf"(?P<month>{_either(_MONTH_OF)})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1\d{3}|20\d{2})(?!\d|,\d{3})"
_GAP = r"(?:\s*,\s*|\s+)"
_DATE_FORMS = tuple(
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
        rf"(?<!\w)(?:(?P<nth>\d{{1,2}})(?:st|nd|rd|th)|(?P<century>{_either(_NTHS)}|twenty-first))"
        r"[\s-]century\b",
        r"(?<!\w)(?:in|on|of|since|until|till|by|during|early|late|mid|last|next|from|to|and|through)"
        rf"[\s-]{_MONTH}",
        # A year or a plain number of its size: "2000 people" is compared as a number too.
        r"(?<![\w.,$€£¥#+-])(?<![$€£¥]\s)(?P<year>1\d{3}|20\d{2})"
        r"(?:\s?[-–—/]\s?(?P<till>1\d{3}|20\d{2}|\d{2})(?!\d))?"
        r"(?![\d%°]|[.,]\d"
        r"|\s?(?:%|per ?cent|million|billion|thousand|km|kg|metres|meters|miles)\b)",
    )
)
_READ = "\0"  # stands where something has been read, so that no other form reads it again
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[a-z]+")
_NUMBER_WORDS = frozenset((*_SMALL, *_ORDINALS, *_PARTS, *_SCALES))
_DATE_WORDS = frozenset((*_MONTH_OF, "century"))
_MOST_MONTHS, _MOST_DAYS = 12, 31


@dataclass(frozen=True)
class Number:
    """A number as written and as a value; `unit` is "%", a currency, "th" or a unit of measure."""

    text: str
    start: int
    end: int
    value: float
    unit: str = ""
    step: float = 1.0  # what one more in the last place written is worth
    rounded: bool = False


@dataclass(frozen=True)
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


Value = Number | Date


def values(text: str, *, overlapping: bool = False) -> tuple[Value, ...]:
    """The dates and numbers of `text` in order. A year is a number too where they may overlap."""
    when = dates(text)
    counted = [
        one
        for one in numbers(text)
        if overlapping or not any(one.start < date.end and date.start < one.end for date in when)
    ]
    return tuple(sorted((*when, *counted), key=lambda one: one.start))


def agree(one: Value, other: Value) -> bool:
    """Whether two values may be the same thing, told more or less exactly."""
    if isinstance(one, Number) and isinstance(other, Number):
        return equal(one, other) or rounds(one, other) or rounds(other, one)
    if isinstance(one, Date) and isinstance(other, Date):
        return holds(one, other) or holds(other, one)
    return False


# ── numbers ─────────────────────────────────────────────────────────────────────────────────


def numbers(text: str) -> tuple[Number, ...]:
    """The numbers of `text` in order. A lone "one" is a pronoun more often than a number."""
    readers = [_figures] if _DIGIT.search(text) else []
    if not _NUMBER_WORDS.isdisjoint(_LETTERS.findall(text.lower())):
        readers += [_fractions, _ordinals, _spelled]
    found: list[Number] = []
    for read in readers:
        fresh = list(read(text))
        found += fresh
        for one in fresh:
            text = text[: one.start] + _READ * (one.end - one.start) + text[one.end :]
    return tuple(sorted(found, key=lambda one: one.start))


def equal(claim: Number, source: Number) -> bool:
    """Whether both say the same amount, whatever the form."""
    one, two = _amounts(claim, source)
    same = one == two or abs(one - two) <= 1e-6 * max(abs(one), abs(two))
    return same and _fits(claim, source)


def rounds(claim: Number, source: Number) -> bool:
    """Whether `claim` is what one gets by rounding, or converting, what `source` says."""
    if not _fits(claim, source):
        return False
    one, two = _amounts(claim, source)
    far = abs(one - two) / max(abs(one), abs(two), 1e-12)
    if claim.unit != source.unit and {claim.unit, source.unit} <= _WORTH.keys():
        return far <= (_ROUGH if claim.rounded else _NEAR / 2)
    if claim.rounded:
        return far <= _ROUGH
    coarse = claim.step > source.step and (claim.step != 1.0 or claim.unit == "%")
    return coarse and far <= _NEAR and abs(one - two) <= claim.step / 2


def _amounts(claim: Number, source: Number) -> tuple[float, float]:
    one, two = _WORTH.get(claim.unit), _WORTH.get(source.unit)
    if one and two and one[0] == two[0]:
        return claim.value * one[1], source.value * two[1]
    return claim.value, source.value


def _fits(claim: Number, source: Number) -> bool:
    """Whether the units allow a comparison; one that is not told may be any but an ordinal's."""
    if claim.unit == source.unit:
        return True
    if "th" in (claim.unit, source.unit):
        return False
    one, two = _WORTH.get(claim.unit), _WORTH.get(source.unit)
    if one and two:
        return one[0] == two[0]
    return not claim.unit or not source.unit


def _figures(text: str) -> Iterator[Number]:
    for match in _FIGURE.finditer(text):
        figure = re.sub(r"[’\u00a0\u202f]", "", match["figure"])
        if re.fullmatch(r"\d+,\d{1,2}", figure):
            figure = figure.replace(",", ".")
        figure, letter, sign = figure.replace(",", ""), match["letter"], match["sign"] or ""
        if letter and not (sign or letter in "kK"):
            continue  # "5m" may be metres, "4B" a flat
        scale = _SCALES[(match["scale"] or letter or "").lower()] if match["scale"] or letter else 1
        unit = "th" if match["nth"] else _unit(match) or _CURRENCIES.get(sign.lower(), "")
        step = 10.0 ** -len(figure.partition(".")[2]) * scale
        yield _number(match, text, float(figure) * scale, unit, step)


def _number(match: re.Match[str], text: str, value: float, unit: str, step: float = 1.0) -> Number:
    start, end = match.span()
    rounded = bool(_ROUNDED.search(text[max(0, start - _LOOK) : start]))
    return Number(match.group(), start, end, value, unit, step, rounded)


def _unit(match: re.Match[str]) -> str:
    if match["percent"]:
        return "%"
    if match["money"]:
        return _CURRENCIES[match["money"].lower()]
    return _UNIT_OF[match["unit"].lower()] if match["unit"] else ""


def _spelled(text: str) -> Iterator[Number]:
    for match in _SPELLED.finditer(text):
        parts = re.split(r"[\s-]+", match["words"].lower())
        if parts != ["one"] or match["percent"]:
            value, scale = _spelled_value(parts)
            yield _number(match, text, value, _unit(match), scale)


def _spelled_value(parts: list[str]) -> tuple[float, float]:
    """What number words come to, and the last magnitude among them."""
    total = group = 0.0
    scale = 1.0
    for word in parts:
        if word in _SMALL:
            group += _SMALL[word]
        elif word == "half":
            group += 0.5
        elif word in _SCALES:
            scale = _SCALES[word]
            group = (group or 1.0) * scale
            if scale > _SCALES["hundred"]:
                total, group = total + group, 0.0
    return total + group, scale


def _ordinals(text: str) -> Iterator[Number]:
    for match in _ORDINAL.finditer(text):
        value = _ORDINALS[match["nth"].lower()] + _SMALL.get((match["tens"] or "").lower(), 0)
        yield Number(match.group(), match.start(), match.end(), float(value), "th")


def _fractions(text: str) -> Iterator[Number]:
    for match in _FRACTION.finditer(text):
        top = _SMALL.get((match["top"] or "").lower(), 1)
        share = 100.0 * top / _PARTS[match["part"].lower()]
        yield Number(match.group(), match.start(), match.end(), share, "%", 5.0, rounded=True)


# ── dates ───────────────────────────────────────────────────────────────────────────────────


def dates(text: str) -> tuple[Date, ...]:
    """The dates of `text` in order; none overlaps another."""
    if not _DIGIT.search(text) and _DATE_WORDS.isdisjoint(_LETTERS.findall(text.lower())):
        return ()
    found: list[Date] = []

    def note(match: re.Match[str]) -> str:
        read = list(_dates_of(match))
        found.extend(read)
        return _READ * len(match.group()) if read else match.group()

    for form in _DATE_FORMS:
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


def _dates_of(match: re.Match[str]) -> Iterator[Date]:
    """The values of a match: two for a span of years or a date that can be read in two ways."""
    part = {name: value for name, value in match.groupdict().items() if value}
    text, start, end, year = match.group(), match.start(), match.end(), int(part.get("year", 0))
    if "decade" in part or "short" in part:
        first = int(part.get("decade") or f"19{part['short']}")
        yield Date(text, start, end, first, first + 9)
    elif "nth" in part or "century" in part:
        number = int(part.get("nth") or _ORDINALS.get(part["century"].lower(), 21))
        yield Date(text, start, end, 100 * (number - 1), 100 * number)
    elif "one" in part:
        one, two = int(part["one"]), int(part["two"])
        for day, month in dict.fromkeys([(one, two), (two, one)]):
            if 0 < month <= _MOST_MONTHS and 0 < day <= _MOST_DAYS:
                yield Date(text, start, end, year, year, month, day)
    elif "till" in part:
        till = part["till"]
        last = int(till) if len(till) > 2 else year - year % 100 + int(till)
        yield Date(text, start, end, year, year)
        if last > year:
            yield Date(text, start, end, last, last)
    else:
        yield from _plain_date(match, part)


def _plain_date(match: re.Match[str], part: dict[str, str]) -> Iterator[Date]:
    """A year, a month or a day, whatever of them is told."""
    year, day, named = int(part.get("year", 0)), int(part.get("day", 0)), part.get("month", "")
    if not (year or day) and named[:1].islower():
        return  # "and may", "to march"
    month = int(named) if named.isdigit() else _MONTH_OF.get(named.lower(), 0)
    if month <= _MOST_MONTHS and day <= _MOST_DAYS:
        yield Date(match.group(), match.start(), match.end(), year, year, month, day)
