"""Evidence of the kind asked for: does a sentence hold a date, a number, a name, a reason?"""

from __future__ import annotations

import re
from functools import lru_cache

from leadline.question.analyse import Expects
from leadline.question.entities import entities
from leadline.text.words import content_words, words

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_TIME = re.compile(
    rf"\b(?:1\d{{3}}|20\d{{2}})s?\b|\b{_MONTH}\b\.? \d|\b\d{{1,2}} {_MONTH}\b|\bcentury\b|"
    r"\b\d+ (?:bc|bce|ad|ce)\b|\b\d+ (?:years|months|weeks|days|hours) (?:ago|after|later)\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\d+\s*年|\d+\s*月",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
    r"hundred|thousand|million|billion|half|dozen|once|twice|percent)\b|[一二三四五六七八九十百千万亿]+[个名人元年]",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|in order to|so that|as a result|caused?|causes|reason|"
    r"purpose|named (?:after|for)|derives?|in response to|intended to|so as to|therefore|"
    r"to prevent|to avoid|to protect|to make|to allow|led to)\b|因为|由于|因此|为了|导致|原因",
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"\b(?:by \w+ing|you can|use|using|call(?:ing)?|pass(?:ing)?|set(?:ting)?|create|first|then|"
    r"steps?|need to|must|through|via|allows? you)\b|通过|使用|可以|首先|方法|步骤",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|near|from|within|of|to|on) (?:the )?(?:[A-Z][\w’'-]+)|"
    r"\b(?:located|situated|based|city|town|country|state|village|county|region|province)\b|位于|在",
)


_SUBJECT = re.compile(
    r"(?:in [^,]{1,60},\s+)?(?:(?:an?|the)\s+)?(.{1,70}?)(?:\s*\(([^()]{0,120})\)|,[^,]{1,60},)?\s+"
    r"(?:is|are|was|were|means|refers|represents|provides|returns|allows|indicates|defines|creates|"
    r"consists|describes)\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:unlike|whereas|while|but|instead|than|both|however|rather|differs?|different|differences?|"
    r"in contrast|on the other hand|similar|same)\b|而|不同|区别|相比|相同",
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
_MEASURED = {
    asked: re.compile(rf"\b(?:{signs})\b", re.IGNORECASE) for asked, signs in _MEASURES.items()
}
_HOW = re.compile(rf"\bhow ({'|'.join(_MEASURES)})\b", re.IGNORECASE)
_NEW = {Expects.TIME: _TIME, Expects.NUMBER: _NUMBER}
_SIGNS = {Expects.REASON: _REASON, Expects.METHOD: _METHOD, Expects.CONTRAST: _CONTRAST}


@lru_cache(maxsize=8192)  # parts, scores and rehearsals ask about the same sentences
def evidence(kind: Expects, sentence: str, question: str) -> float:
    """1 when `sentence` has something of the `kind` that `question` does not already say."""
    if kind in _NEW:
        return _new(_NEW[kind], sentence, question)
    if kind in _SIGNS:
        return float(bool(_SIGNS[kind].search(sentence)))
    if kind is Expects.DEFINITION:
        return _is_about(sentence, question)
    if kind is Expects.PERSON or (kind is Expects.PLACE and _PLACE.search(sentence)):
        return _names_more(sentence, question)
    return 0.0


def measures(sentence: str, question: str) -> bool:
    """Whether `sentence` has a measure such as `question` asks for: metres tell no age."""
    asked = _HOW.search(question)
    return asked is None or _MEASURED[asked[1].lower()].search(sentence) is not None


def _is_about(sentence: str, question: str) -> float:
    """How much of the sentence's subject, or of its short form, is what the question asks about."""
    match = _SUBJECT.match(sentence)
    if match is None:
        return 0.0
    asked = set(content_words(question))
    subjects = [set(content_words(match[1])), set(content_words(match[2] or ""))]
    return max((len(one & asked) / len(one) for one in subjects if one), default=0.0)


def _new(form: re.Pattern[str], sentence: str, question: str) -> float:
    said = question.lower()
    return float(any(match.group().lower() not in said for match in form.finditer(sentence)))


def _names_more(sentence: str, question: str) -> float:
    """1 when the sentence names something that the question does not."""
    said = set(words(question))
    return float(any(not said.issuperset(words(name)) for name in entities(sentence)))
