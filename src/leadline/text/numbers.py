"""Numbers in a text as values that can be compared: "$2.5 billion" is "2,500 million dollars".

Reads figures with separators, magnitudes, percentages, currencies and units of measure, spelled
numbers, fractions and ordinals. "About 3 million" may round what a source says exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from leadline.frozen import frozen
from leadline.text.words import words

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for number, word in enumerate(words(_ONES))} | {
    word: 10 * number for number, word in enumerate(words(_TENS), 2)
}
_NTHS = """second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
_ORDINALS = {word: number for number, word in enumerate(words(_NTHS), 2)}
_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "lakh": 1e5, "million": 1e6, "mn": 1e6, "m": 1e6,
    "crore": 1e7, "billion": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12, "tn": 1e12, "dozen": 12.0,
}  # fmt: skip
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}
_UNITS: dict[str, tuple[str, float]] = {
    name: (kind, factor)
    for kind, factor, names in (
        ("length", 1e-3, "mm millimetre millimeter millimetres millimeters"),
        ("length", 1e-2, "cm centimetre centimeter centimetres centimeters"),
        ("length", 1.0, "metre meter metres meters"),
        ("length", 1e3, "km kilometre kilometer kilometres kilometers"),
        ("length", 0.3048, "ft foot feet"),
        ("length", 1609.344, "mi mile miles"),
        ("mass", 1e-3, "g gram grams"),
        ("mass", 1e-6, "mg milligram milligrams"),
        ("mass", 1.0, "kg kilogram kilograms"),
        ("mass", 0.45359237, "lb lbs pounds"),
        ("mass", 1e3, "tonne tonnes"),
        ("area", 1e4, "ha hectare hectares"),
        ("area", 4046.8564, "acre acres"),
        ("time", 1.0, "second seconds"),
        ("time", 60.0, "minute minutes"),
        ("time", 3600.0, "hour hours"),
        ("time", 86400.0, "day days"),
        ("time", 604800.0, "week weeks"),
        ("time", 2629746.0, "month months"),
        ("time", 31556952.0, "year years"),
    )
    for name in names.split()
}
_FIRST = {worth: name for name, worth in reversed(_UNITS.items())}
_SAME = {name: _FIRST[worth] for name, worth in _UNITS.items()}  # one name for those that mean it
_CURRENCIES = {
    "$": "$", "us$": "$", "usd": "$", "dollar": "$", "dollars": "$", "€": "€", "eur": "€",
    "euro": "€", "euros": "€", "£": "£", "gbp": "£", "¥": "¥", "yen": "¥", "₹": "₹", "rupees": "₹",
}  # fmt: skip
_SMALL_WORD = "|".join(sorted(_SMALL, key=len, reverse=True))
_SCALE_WORD = "hundred|thousand|million|billion|trillion|lakh|crore|dozen"
_LAST = (
    r"(?:[\s-]?(?P<percent>%|per\s?cent\b|percent\b|pct\b)|[\s-]?(?P<unit>"
    + "|".join(sorted(_UNITS, key=len, reverse=True))
    + r")\b|\s(?P<money>"
    + "|".join(word for word in _CURRENCIES if word.isalpha())
    + r")\b)?"
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
    rf"(?:[\s-]+(?:and[\s-]+)?(?:{_SMALL_WORD}|{_SCALE_WORD}|a half))*))\b" + _LAST,
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"\b(?:(?P<tens>{_SMALL_WORD})-)?(?P<nth>{'|'.join(_ORDINALS)})\b(?!-?(?:hand|s\b))",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    rf"\b(?:(?P<top>an?|{_SMALL_WORD})[\s-])?(?P<part>half|halves|thirds?|quarters?)\b"
    r"(?=\s+(?:of|the|its|their|all)\b)",
    re.IGNORECASE,
)
_ROUNDED = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|over|under|circa|c\.|~|≈|"
    r"more than|less than|fewer than|at least|up to|close to|an estimated|estimated at)\s*"
    r"(?:the\s+)?(?:US)?[$€£¥₹]?\s?$",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[a-z]+")
_TELLTALE = frozenset((*_SMALL, *_ORDINALS, *_PARTS, *words(_SCALE_WORD)))
_LOOK = 24
_NEAR, _ROUGH = 0.05, 0.12  # how far a rounded number may be from its source; "about" gives more


@frozen
class Number:
    """A number as written and as a value; `unit` is "%", a currency, "th" or a unit of measure."""

    text: str
    start: int
    end: int
    value: float
    unit: str = ""
    step: float = 1.0  # what one more in the last place written is worth
    rounded: bool = False
    spelled: bool = False


def numbers(text: str) -> tuple[Number, ...]:
    """The numbers of `text` in order. A lone "one" is a pronoun more often than a number."""
    found: list[Number] = []
    for read in _readers(text):
        fresh = tuple(read(text))
        found += fresh
        text = _masked(text, fresh)
    return tuple(sorted(found, key=lambda one: one.start))


def _masked(text: str, read: Sequence[Number]) -> str:
    """`text` with what has been read struck out, so that it is not read again."""
    parts, last = [], 0
    for one in read:
        parts += [text[last : one.start], "\0" * (one.end - one.start)]
        last = one.end
    return "".join([*parts, text[last:]])


def _readers(text: str) -> tuple[Callable[[str], Iterator[Number]], ...]:
    """What can find something: most sentences of a page have no number at all."""
    figures = (_figures,) if _DIGIT.search(text) else ()
    if _TELLTALE.isdisjoint(_LETTERS.findall(text.lower())):
        return figures
    return (*figures, _fractions, _ordinals, _spelled)


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
    if claim.unit != source.unit and {claim.unit, source.unit} <= _UNITS.keys():
        return far <= (_ROUGH if claim.rounded else _NEAR / 2)
    if claim.rounded:
        return far <= _ROUGH
    coarse = claim.step > source.step and (claim.step != 1.0 or claim.unit == "%")
    return coarse and far <= _NEAR and abs(one - two) <= claim.step / 2


def _amounts(claim: Number, source: Number) -> tuple[float, float]:
    one, two = _UNITS.get(claim.unit), _UNITS.get(source.unit)
    if one and two and one[0] == two[0]:
        return claim.value * one[1], source.value * two[1]
    return claim.value, source.value


def _fits(claim: Number, source: Number) -> bool:
    """Whether the units allow a comparison; one that is not told may be any but an ordinal's."""
    if claim.unit == source.unit:
        return True
    if "th" in (claim.unit, source.unit):
        return False
    one, two = _UNITS.get(claim.unit), _UNITS.get(source.unit)
    if one and two:
        return one[0] == two[0]
    return not claim.unit or not source.unit


def _figures(text: str) -> Iterator[Number]:
    for match in _FIGURE.finditer(text):
        figure = re.sub(r"[’\u00a0\u202f]", "", match["figure"])
        if re.fullmatch(r"\d+,\d{1,2}", figure):
            figure = figure.replace(",", ".")
        figure = figure.replace(",", "")
        scale = _SCALES[match["scale"].lower()] if match["scale"] else 1.0
        letter = match["letter"]
        if letter:
            if not (match["sign"] or letter in "kK"):
                continue  # "5m" may be metres, "4B" a flat
            scale = _SCALES[letter.lower()]
        places = len(figure.partition(".")[2])
        unit = (
            "th" if match["nth"] else _unit(match) or _CURRENCIES.get((match["sign"] or "").lower())
        )
        yield Number(
            match.group(), match.start(), match.end(), float(figure) * scale, unit or "",
            10.0**-places * scale, _is_rounded(text, match.start()),
        )  # fmt: skip


def _unit(match: re.Match[str]) -> str:
    if match["percent"]:
        return "%"
    if match["money"]:
        return _CURRENCIES[match["money"].lower()]
    return _SAME[match["unit"].lower()] if match["unit"] else ""


def _spelled(text: str) -> Iterator[Number]:
    for match in _SPELLED.finditer(text):
        said = re.split(r"[\s-]+", match["words"].lower())
        if said == ["one"] and not match["percent"]:
            continue
        value, scale = _value(said)
        yield Number(
            match.group(), match.start(), match.end(), value, _unit(match), scale,
            _is_rounded(text, match.start()), spelled=True,
        )  # fmt: skip


def _value(said: list[str]) -> tuple[float, float]:
    """What number words come to, and the last magnitude among them."""
    total = group = 0.0
    scale = 1.0
    for word in said:
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
        yield Number(match.group(), match.start(), match.end(), float(value), "th", spelled=True)


def _fractions(text: str) -> Iterator[Number]:
    for match in _FRACTION.finditer(text):
        top = _SMALL.get((match["top"] or "").lower(), 1)
        share = 100.0 * top / _PARTS[match["part"].lower()]
        yield Number(match.group(), match.start(), match.end(), share, "%", 5.0, True, spelled=True)


def _is_rounded(text: str, start: int) -> bool:
    return bool(_ROUNDED.search(text[max(0, start - _LOOK) : start]))
