"""Numbers and dates in a text as values that can be compared.

"$2.5 billion" is "2,500 million dollars", "twelve" is 12, and "about 3 million" may round what a
source says exactly. "5 March 1999", "March 5th, 1999" and "1999-03-05" are one date; a date holds
another when it is at least as exact and agrees in all that the other says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen""".split()  # noqa: SIM905
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_SMALL = {word: float(number) for number, word in enumerate(_ONES)} | {
    word: 10.0 * number for number, word in enumerate(_TENS, 2)
}
_NTHS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()  # noqa: SIM905
_ORDINALS = {word: number for number, word in enumerate(_NTHS, 1)}
_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6,
    "billion": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12, "tn": 1e12, "dozen": 12.0,
}  # fmt: skip
_UNITS = """mm millimetre millimeter | cm centimetre centimeter | metre meter
    | km kilometre kilometer | ft foot feet | mile mi | g gram | kg kilogram | lb pound | tonne
    | second | minute | hour | day | week | month | year"""
_UNIT_OF = {name: names.split()[0] for names in _UNITS.split("|") for name in names.split()}
_CURRENCIES = {
    "$": "$", "us$": "$", "usd": "$", "dollar": "$", "dollars": "$", "€": "€", "eur": "€",
    "euro": "€", "euros": "€", "£": "£", "gbp": "£", "¥": "¥", "yen": "¥", "₹": "₹", "rupees": "₹",
}  # fmt: skip


def _either(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_SMALL_WORD = _either(_SMALL)
_SCALE_WORD = _either(word for word in _SCALES if len(word) > len("mn"))
_NUMBER = re.compile(
    r"(?:(?<![\w.,])(?<![A-Za-z]-)(?:(?P<sign>US\$|[$€£¥₹])\s?)?"
    r"(?P<figure>\d{1,3}(?:[,’\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d+)?|\.\d+)"
    rf"(?:(?P<nth>st|nd|rd|th)\b|[\s-]?(?P<scale>{_SCALE_WORD}|mn|bn|tn)\b|(?P<letter>[kKmMbB])\b)?"
    rf"|\b(?:(?P<tens>{_SMALL_WORD})-)?(?P<ordinal>{_either(_NTHS[1:])})\b(?!-?(?:hand|s\b))"
    rf"|\b(?P<words>(?:(?:{_SMALL_WORD}|half an?|an?(?=[\s-](?:{_SCALE_WORD})))"
    rf"(?:[\s-]+(?:(?:{_SCALE_WORD})(?:[\s-]+and[\s-]+(?:{_SMALL_WORD}))?|{_SMALL_WORD}"
    r"|and[\s-]+a half))*))\b)"
    rf"(?:[\s-]?(?P<percent>%|per\s?cent\b|percent\b|pct\b)|[\s-]?(?P<unit>{_either(_UNIT_OF)})s?\b"
    rf"|\s(?P<money>{_either(word for word in _CURRENCIES if word.isalpha())})\b)?",
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
_NUMBER_WORDS = frozenset((*_SMALL, *_ORDINALS, *_SCALES))
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
    told = set() if overlapping else {at for date in when for at in range(date.start, date.end)}
    counted = [one for one in numbers(text) if told.isdisjoint(range(one.start, one.end))]
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
    if not _DIGIT.search(text) and _NUMBER_WORDS.isdisjoint(_LETTERS.findall(text.lower())):
        return ()
    read = (_number(match, text) for match in _NUMBER.finditer(text))
    return tuple(number for number in read if number)


def equal(claim: Number, source: Number) -> bool:
    """Whether both say the same amount, whatever the form."""
    far = abs(claim.value - source.value)
    return _fits(claim, source) and far <= 1e-6 * max(abs(claim.value), abs(source.value))


def rounds(claim: Number, source: Number) -> bool:
    """Whether `claim` is what one gets by rounding what `source` says."""
    if not _fits(claim, source):
        return False
    apart = abs(claim.value - source.value)
    far = apart / max(abs(claim.value), abs(source.value), 1e-12)
    if claim.rounded:
        return far <= _ROUGH
    coarse = claim.step > source.step and (claim.step != 1.0 or claim.unit == "%")
    return coarse and far <= _NEAR and apart <= claim.step / 2


def _fits(claim: Number, source: Number) -> bool:
    """Whether the units allow a comparison; one that is not told may be any but an ordinal's."""
    if claim.unit == source.unit:
        return True
    return "th" not in (claim.unit, source.unit) and not (claim.unit and source.unit)


def _number(match: re.Match[str], text: str) -> Number | None:
    part = {name: value.lower() for name, value in match.groupdict().items() if value}
    unit, step = _unit(part), 1.0
    if "ordinal" in part:
        value = _ORDINALS[part["ordinal"]] + _SMALL.get(part.get("tens", ""), 0.0)
    elif "words" in part:
        words = re.split(r"[\s-]+", part["words"])
        if words == ["one"] and unit != "%":
            return None
        value, step = _spelled(words)
    else:
        if part.get("letter", "k") != "k" and "sign" not in part:
            return None  # "5m" may be metres, "4B" a flat
        scale = _SCALES.get(part.get("scale") or part.get("letter") or "", 1.0)
        figure = re.sub(r"[’\u00a0\u202f]", "", part["figure"])
        decimal = re.fullmatch(r"\d+,\d{1,2}", figure)
        figure = figure.replace(",", "." if decimal else "")
        value, step = float(figure) * scale, 10.0 ** -len(figure.partition(".")[2]) * scale
    start, end = match.span()
    rounded = bool(_ROUNDED.search(text[max(0, start - _LOOK) : start]))
    return Number(match.group(), start, end, value, unit, step, rounded)


def _unit(part: Mapping[str, str]) -> str:
    if "nth" in part or "ordinal" in part:
        return "th"
    if "percent" in part:
        return "%"
    if "unit" in part:
        return _UNIT_OF[part["unit"]]
    return _CURRENCIES.get(part.get("money") or part.get("sign") or "", "")


def _spelled(words: Sequence[str]) -> tuple[float, float]:
    """What number words come to, and the last magnitude among them."""
    total = group = 0.0
    scale = 1.0
    for word in words:
        group += 0.5 if word == "half" else _SMALL.get(word, 0.0)
        if word in _SCALES:
            scale = _SCALES[word]
            group = (group or 1.0) * scale
            if scale > _SCALES["hundred"]:
                total, group = total + group, 0.0
    return total + group, scale


# ── dates ───────────────────────────────────────────────────────────────────────────────────


def dates(text: str) -> tuple[Date, ...]:
    """The dates of `text` in order; none overlaps another."""
    if not _DIGIT.search(text) and _MONTH_OF.keys().isdisjoint(_LETTERS.findall(text.lower())):
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
    year, day, named = int(part.get("year", 0)), int(part.get("day", 0)), part.get("month", "")
    if "decade" in part:
        first = int(part["decade"])
        read = [(first, first + 9, 0, 0)]
    elif "one" in part:
        one, two = int(part["one"]), int(part["two"])
        read = [
            (year, year, *pair) for pair in dict.fromkeys([(two, one), (one, two)]) if all(pair)
        ]
    elif "till" in part:
        last = int(str(year)[: 4 - len(part["till"])] + part["till"])
        read = [(year, year, 0, 0)] + [(last, last, 0, 0)] * (last > year)
    elif year or day or not named[:1].islower():  # else "and may", "to march"
        month = int(named) if named.isdigit() else _MONTH_OF.get(named.lower(), 0)
        read = [(year, year, month, day)]
    else:
        read = []
    for low, high, month, day in read:
        if month <= _MOST_MONTHS and day <= _MOST_DAYS:
            yield Date(match.group(), match.start(), match.end(), low, high, month, day)
