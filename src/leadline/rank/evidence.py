"""Evidence of the kind asked for: does a sentence hold a date, a measure, a name that is new?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from leadline.question.analyse import Expects, Part
from leadline.question.entities import entities
from leadline.rank.word_coverage import coverage
from leadline.text.words import words

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_TIME = re.compile(
    rf"\b(?:1\d{{3}}|20\d{{2}})s?\b|\b{_MONTH}\b\.? \d|\b\d{{1,2}} {_MONTH}\b|\bcentury\b|"
    r"\b\d+ (?:bc|bce|ad|ce)\b|\b\d+ (?:years|months|weeks|days|hours) (?:ago|after|later)\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\d+\s*[年月]",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
    r"hundred|thousand|million|billion|half|dozen|once|twice|percent)\b|[一二三四五六七八九十百千万亿]",
    re.IGNORECASE,
)
_METRES = (
    r"(?:centi|milli|kilo)?met(?:re|er)s?|\d+ ?(?:km|cm|mm|m|ft)|feet|foot|miles?|inch(?:es)?|"
    r"yards?|leagues?|fathoms?"
)
_HOURS = r"seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)"
_MEASURES = {  # what is measured, and the words that a sentence which tells it has
    "far": rf"{_METRES}|distance",
    "tall": rf"{_METRES}|tall|height",
    "high": rf"{_METRES}|high|height|altitude",
    "deep": rf"{_METRES}|deep|depth",
    "wide": rf"{_METRES}|wide|width|across",
    "long": rf"{_METRES}|long|length|{_HOURS}",
    "old": r"years?|months?|aged?|born|built|centur(?:y|ies)",
    "fast": r"per (?:hour|second|minute)|km/h|mph|knots?|speed",
}
_HOW = re.compile(rf"\bhow ({'|'.join(_MEASURES)})\b", re.IGNORECASE)
_PLAIN_TO_SEE = {Expects.TIME: _TIME, Expects.NUMBER: _NUMBER}  # a place may be a well
NAMED = frozenset({Expects.PERSON, Expects.PLACE})


@lru_cache(maxsize=8192)  # parts and scores ask about the same sentences
def has_evidence(kind: Expects, sentence: str, question: str) -> bool:
    """Whether `sentence` has something of the `kind` that `question` does not already say."""
    if kind in _PLAIN_TO_SEE:
        known = question.lower()
        matches = _PLAIN_TO_SEE[kind].finditer(sentence)
        return any(match.group().lower() not in known for match in matches)
    if kind in NAMED:
        known_words = set(words(question))
        return any(not known_words.issuperset(words(name)) for name in entities(sentence))
    return False


def answers_part(
    part: Part,
    sentences: Iterable[tuple[str, Collection[str]]],
    around: Collection[str],
    rare: Mapping[str, float],
) -> float:
    """How far one of the `sentences` answers a part that refers back ("… and how far did it
    sail?"), 0-1: it has the part's own words and a thing of the kind asked for, where the text with
    the words `around` speaks of what the part refers to."""
    own = max(
        (coverage(part.own, has, rare) for text, has in sentences if _fits(part, text)), default=0.0
    )
    return min(own, coverage(part.about, around, rare))


def _fits(part: Part, text: str) -> bool:
    if part.expects not in _PLAIN_TO_SEE:
        return True
    return has_evidence(part.expects, text, part.label) and _measures(text, part.label)


def _measures(sentence: str, question: str) -> bool:
    """Whether `sentence` has a measure such as `question` asks for: metres tell no age."""
    asked = _HOW.search(question)
    if asked is None:
        return True
    signs = _MEASURES[asked[1].lower()]
    return re.search(rf"\b(?:{signs})\b", sentence, re.IGNORECASE) is not None
