"""What a question asks: its content words, the names in it, its parts, and the kind of answer.

Pure and rule based; it reads at most the first few thousand characters of a task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from leadline.question.entities import entities
from leadline.question.language import language
from leadline.text.cjk import RANGE, has_cjk
from leadline.text.images import in_short
from leadline.text.words import STOPWORDS, content_words, stem, words

_LONGEST = 4000
_MAX_PARTS = 6


class Expects(StrEnum):
    """The kind of thing that would answer."""

    PERSON = "person"
    TIME = "time"
    PLACE = "place"
    NUMBER = "number"
    REASON = "reason"
    METHOD = "method"
    DEFINITION = "definition"
    CONTRAST = "contrast"
    YES_NO = "yes_no"
    THING = "thing"


@dataclass(frozen=True)
class Part:
    """Something evidence must support: a sub-question, or one of the things compared."""

    label: str
    words: tuple[str, ...]
    names: tuple[str, ...] = ()
    expects: Expects = Expects.THING
    inner: bool = False  # what the question describes and must be found first
    own: tuple[str, ...] = ()  # of a part that refers back: the words of its own, and of
    about: tuple[str, ...] = ()  # what it refers to


@dataclass(frozen=True)
class Question:
    """A task, taken apart. `keywords` keep form and order; `words` are folded for matching."""

    text: str
    language: str
    keywords: tuple[str, ...]
    words: tuple[str, ...]
    names: tuple[str, ...]
    expects: Expects
    parts: tuple[Part, ...]
    compared: tuple[str, ...] = ()
    wanted: int = 0
    hops: bool = False  # something is described, not named: it must be found first

    @property
    def told_in_place(self) -> bool:
        """How and why are told by the pages about it, not by those that they name."""
        return self.expects in (Expects.METHOD, Expects.REASON) and not self.hops


@lru_cache(maxsize=64)  # plan, reflection, writer and scores take the same task apart
def analyse(task: str) -> Question:
    """`task` taken apart."""
    text = " ".join(in_short(task)[:_LONGEST].split())
    clauses = _clauses(text)
    compared = _compared(text)
    return Question(
        text=text,
        language=language(text),
        keywords=keywords(text),
        words=_telling(text),
        names=entities(text),
        expects=_overall(text, clauses, compared),
        parts=_parts(text, clauses, compared),
        compared=compared,
        wanted=wanted_items(text),
        hops=bool(_described(text)),
    )


def _overall(text: str, clauses: tuple[str, ...], compared: tuple[str, ...]) -> Expects:
    if (compared and any(word in _COMPARING for word in words(text))) or "区别" in text:
        return Expects.CONTRAST
    return expects(clauses[0]) if clauses else Expects.THING


# ── words ───────────────────────────────────────────────────────────────────────────────────

_TOKEN = re.compile(r"[^\s,;:!?\"“”„«»()\[\]{}<>「」『』《》。，、；：？！（）]+")
_EDGE = "'’‘.…-–—/*_`~|"
_CJK_FILLER = re.compile(
    "请问|請問|请|帮我|给我|为我|能否|可以|收集整理|整理|列举|给出|提供|调研|目前|当前|什么是|是什么|"
    "什么时候|有什么|有哪些|什么|如何|怎么样|怎么|怎样|为什么|为何|哪些|哪个|哪种|哪里|哪位|哪年|"
    "有多长|有多大|有多高|有多少|多少|多长|多大|是否|吗|呢|谁|以及|并且|关于|对于|进行|一份|等等|"
    "会有|[0-9０-９一二两三四五六七八九十]+[个個种種条條项項]|"
    "の|は|を|が|とは|ですか|ください|[的了是在和与及或被由有]"
)


def keywords(text: str) -> tuple[str, ...]:
    """The words of `text` that carry its meaning, in their own form and order, each once."""
    named = {word for name in (*entities(text), *_compared(text)) for word in name.lower().split()}
    found: dict[str, str] = {}
    for token in _TOKEN.findall(text):
        for piece in _pieces(token):
            low = piece.lower()
            small = low in _NOTES or (low in STOPWORDS and (low not in named or low in _GLUE))
            if low and not small:
                found.setdefault(low, piece)
    return tuple(found.values())


def _pieces(token: str) -> list[str]:
    if has_cjk(token):
        bare = _CJK_FILLER.sub(" ", token).split()
        return [part.strip(_EDGE) for piece in bare for part in _runs().findall(piece)]
    return [token.strip(_EDGE).removesuffix("'s").removesuffix("’s")]


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(rf"[{RANGE}]+|[^{RANGE}]+")


_NOTES = frozenset({"e.g", "i.e", "etc"})
_GLUE = frozenset("of the a an and or in on at to for by with is are".split())  # noqa: SIM905


# ── the kind of answer ──────────────────────────────────────────────────────────────────────


def _kinds(*rows: tuple[Expects, str]) -> tuple[tuple[Expects, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in rows)


_BY_WORD = _kinds(
    (
        Expects.NUMBER,
        r"\bhow (?:many|much|old|long|tall|far|big|large|high|deep|often|fast)\b|多少|几个",
    ),
    (Expects.TIME, r"\bwhen\b|什么时候|何时|哪一?年"),
    (Expects.PLACE, r"\bwhere\b|哪里|在哪|何处"),
    (Expects.PERSON, r"\bwho(?:se|m)?\b|谁|哪位"),
    (Expects.REASON, r"\bwhy\b|为什么|为何|原因"),
    (Expects.METHOD, r"\bhow\b|如何|怎么|怎样|方法"),
)
_BY_NOUN = _kinds(
    (
        Expects.NUMBER,
        r"\b(?:number|percentage|population|average|amount|price|cost|length|height|size|age)\b",
    ),
    (Expects.TIME, r"\b(?:year|date|day|month|century|decade|time)\b"),
    (
        Expects.PLACE,
        r"\b(?:country|city|state|place|county|town|region|continent|province|nation|district)\b",
    ),
    (
        Expects.PERSON,
        r"\b(?:person|actor|actress|director|author|singer|player|artist|president|king|queen|"
        r"composer|writer|musician)\b",
    ),
    (Expects.REASON, r"\b(?:causes?|reasons?|purpose)\b"),
    (Expects.METHOD, r"\b(?:method|steps|process|procedure)\b"),
)
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|has|have|had|should|will|would|may)\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\b(?:what|which)\b", re.IGNORECASE)
_NEAR = 28  # "what is the date of birth …", "which country": the noun stands right after
_DEFINES = re.compile(
    r"^(?:so )?(?:what (?:is|are|was|were|does|do)|what's|whats|define|who (?:is|was|were|are))\b"
    r"|^什么是|是什么",
    re.IGNORECASE,
)
_FEW = 3  # words: "what is a closure", not "what is the highest mountain in Canada called"


def expects(clause: str) -> Expects:
    """The kind of answer that `clause` asks for; the question word that stands first decides."""
    if _DEFINES.search(clause) and len(keywords(clause)) <= _FEW and not _compared(clause):
        return Expects.DEFINITION
    if _YES_NO.match(clause) or clause.rstrip("？? ").endswith("吗"):
        return Expects.YES_NO
    at, kind = _first(_BY_WORD, clause)
    which = _WHICH.search(clause)
    if which and which.start() < at:
        return _first(_BY_NOUN, clause[which.end() : which.end() + _NEAR])[1]
    return kind


def _first(kinds: tuple[tuple[Expects, re.Pattern[str]], ...], clause: str) -> tuple[int, Expects]:
    places = [(match.start(), kind) for kind, form in kinds if (match := form.search(clause))]
    return min(places, key=lambda place: place[0], default=(len(clause), Expects.THING))


# ── parts ───────────────────────────────────────────────────────────────────────────────────

_QUESTION_WORD = r"(?:who|what|when|where|why|how|which|whose|whom)\b"
_SENTENCE = re.compile(r"[?？！。；;\n]+|(?<=[^\W\d_]{3})[.!](?=\s|$)")
_JOINT = re.compile(
    rf",?\s+(?:and|as well as|but)\s+(?:also\s+)?(?={_QUESTION_WORD})"
    r"|,\s+(?=(?:what|why|how|when)\s+\w+\s+\w+)|，(?=.{6,})"
    r"|,\s+and\s+(?=(?:in|on|at|to|from|by)\s+(?:which|what|whose)\b"
    r"|(?:is|are|can|may|do|does|did|should|will|must)\s+\w+\s+\w+)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"\b{_QUESTION_WORD}|^(?:is|are|was|were|do|does|did|can|list|compare|explain|describe|find|give|"
    r"name|summari[sz]e|research|analy[sz]e)\b|什么|如何|怎|哪|谁|为何|吗|多少",
    re.IGNORECASE,
)


def _clauses(text: str) -> tuple[str, ...]:
    """The clauses of `text` that ask something; all of them when none looks like asking."""
    whole = [piece.strip(" ,.:") for piece in _SENTENCE.split(text)]
    whole = [piece for piece in whole if piece]
    asking = [piece for piece in whole if _ASKS.search(piece)]
    split = [part for piece in asking or whole for part in _split(piece)]
    return tuple(part for part in split if part)[:_MAX_PARTS]


def _split(piece: str) -> list[str]:
    """`piece` cut at its joints; an opening that asks nothing ("In 2011, what …") stays."""
    parts: list[str] = []
    start = 0
    for joint in _JOINT.finditer(piece):
        before = piece[start : joint.start()].strip(" ,.:，")
        if _ASKS.search(before) or "，" in joint.group():
            parts.append(before)
            start = joint.end()
    return [*parts, piece[start:].strip(" ,.:，")]


_COMPARED = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i:\b(?:difference|distinction|comparison|distinguish|relation|relationship)s?)\s+"
        r"between\s+(?P<a>[^,?]{1,80}?)\s+and\s+(?P<b>[^,?]{1,80})",
        r"\b[Cc]ompare\s+(?P<a>[^,?]{1,80}?)\s+(?:and|with|to|against)\s+(?P<b>[^,?]{1,80})",
        r"(?:^|\s)(?P<a>[^,?\s]+(?:\s[^,?\s]+)?)\s+(?:[vV][sS]\.?|versus)\s+(?P<b>[^,?]{1,60})",
        r",(?!\s*(?:and|but|how|wh(?:at|en|ere|ich|om?|ose|y))\b)"  # another question; not a title
        r"\s*(?P<a>[^,?]{1,80}?)\s*,?\s+or\s+(?P<b>[^,?]{1,80})\s*[?？]?\s*$",
        r"^(?i:are|were|do|did|is|was|have)\s+(?:both\s+)?(?:[a-z]+,?\s+){0,2}(?:the\s+)?(?P<a>[A-Z][^,?]{1,60}?)\s+and\s+"
        r"(?P<b>(?:[A-Z(\"“][^\s,?]*\s*)+)",
        r"(?P<a>[^\s，。、；：？]{1,20}?)(?:和|与|跟)(?P<b>[^\s，。、；：？]{1,20}?)(?:的|之间的?|有什么|有何)?"
        r"(?:区别|差异|不同)",
    )
)


_COMPARING = frozenset(
    "compare comparison difference differences distinction distinguish vs versus 区别".split()  # noqa: SIM905
)


def _compared(text: str) -> tuple[str, ...]:
    for pattern in _COMPARED:
        if match := pattern.search(text):
            pair = (match["a"].strip(" ,.?"), match["b"].strip(" ,.?"))
            if all(words(side) for side in pair):
                return pair
    return ()


_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|he|she|his|her)\b|它|他|她|其", re.IGNORECASE)
_DESCRIBED = re.compile(
    r"\b(?:the|an?|whose|film|song|book)\s+(?:(?!instead|because|kind|number|lot)[\w'’-]+\s+){0,4}?"
    r"(?:of|by|in which|where|that|which|who|whose|for|from)\s+\S",
    re.IGNORECASE,
)

_NEXT = re.compile(r",\s(?:and\s)?(?:what|how|why)\s(?:is|are|was|were|do|does|did|can)\b", re.I)


def _described(text: str) -> str:
    """The phrase of `text` that describes something by another thing that is named, or nothing."""
    known = entities(text)
    if not known:
        return ""
    starts = list(_DESCRIBED.finditer(text))
    last = max((text.rfind(name) + len(name) for name in known), default=0)
    inner = [match.start() for match in starts if match.start() < last - 3]
    if not inner:
        return ""
    phrase = text[inner[-1] : last].strip(" ,.?")
    return "" if _NEXT.search(phrase) else phrase  # the name is of another question


_HOW = re.compile(
    r"\bhow (?:often|many|much|long|old|far|tall|big|large|high|deep|fast)\b", re.IGNORECASE
)


def _telling(text: str) -> tuple[str, ...]:
    """The folded keywords of `text`, names that are small words too, no counts, no "compare"."""
    found = [word for piece in keywords(_HOW.sub("", text)) for word in words(piece)]
    count = _counted(text) | (_COMPARING if _compared(text) else frozenset())
    return tuple(dict.fromkeys(stem(word) for word in found if word not in count))


def _distinct(text: str) -> tuple[str, ...]:
    """The folded content words of `text`, each once; all its words when every one is small."""
    said = content_words(_HOW.sub("", text))
    return tuple(dict.fromkeys(said or map(stem, words(text))))


def _short(label: str) -> str:
    return " ".join(keywords(label)) or label


def as_asked(label: str, task: str) -> str:
    """The label of a part in the words of `task`: without what was put behind it to stand alone."""
    bare = label.rpartition(" (")[0] if label.endswith(")") else ""
    return bare if bare and bare in task and label not in task else label


def _parts(text: str, clauses: tuple[str, ...], compared: tuple[str, ...]) -> tuple[Part, ...]:
    whole = entities(text)
    if compared:
        return tuple(Part(side, _distinct(side), entities(side) or (side,)) for side in compared)
    parts: list[Part] = []
    for clause in clauses:
        own, names = _distinct(clause), entities(clause) or whole[:1]
        if parts and (len(own) < 2 or _PRONOUN.search(clause)):
            parts.append(_back(clause, names, parts[0]))
        elif own:
            parts.append(Part(clause, own, names, expects(clause)))
    inner = _described(text)
    if len(parts) == 1 and inner and len(inner) < 0.8 * len(text):
        own = _distinct(inner)
        parts.insert(0, Part(inner, own, entities(inner), inner=True))
    return tuple({part.label.lower(): part for part in parts}.values())


def _back(clause: str, names: tuple[str, ...], first: Part) -> Part:
    """A part that refers to what the first is about: "… and why", "… how is it used"."""
    about = _distinct(" ".join(first.names)) or first.words
    said = content_words(_HOW.sub("", clause)), content_words(clause)  # "how deep is it": deep
    own = next((new for one in said if (new := tuple(w for w in one if w not in about))), ())
    every = (*(_distinct(clause) if said[1] else ()), *first.words)
    label = f"{clause} ({_short(first.label)})"
    return Part(label, tuple(dict.fromkeys(every)), names, expects(clause), own=own, about=about)


# ── counts ──────────────────────────────────────────────────────────────────────────────────

_SAID = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMBERS = {word: value for value, word in enumerate(_SAID.split(), 2)} | {"twenty": 20}
_COUNT = re.compile(
    rf"(?:^|\b(?:top|best|list|name|give|find|the|are|me|these|least|of|first|main|suggest|"
    rf"identify|describe|explain|write)\s+)"
    rf"(?P<n>[1-9]\d?|{'|'.join(_NUMBERS)})\s+(?:[\w-]+\s+){{0,2}}?(?P<thing>[a-z-]{{2,}}(?<![su])s)\b",
    re.IGNORECASE,
)
_TOP = re.compile(r"\btop\s+(?P<n>[1-9]\d?)\b", re.IGNORECASE)
_CJK_COUNT = re.compile("(?P<n>[1-9]\\d?|[二两三四五六七八九十])[个個种種条條项項点點大]")
_CJK_NUMBERS = dict(zip("二两三四五六七八九十", (2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
_UNITS = frozenset(
    "years days hours minutes seconds weeks months times percent dollars miles meters".split()  # noqa: SIM905
)


def wanted_items(text: str) -> int:
    """How many items `text` asks for ("list five ways …"), or 0."""
    match = _count(text)
    if match is None:
        return 0
    said = match["n"].lower()
    return int(said) if said.isdigit() else _NUMBERS.get(said) or _CJK_NUMBERS[said]


def _count(text: str) -> re.Match[str] | None:
    for pattern in (_COUNT, _TOP, _CJK_COUNT):
        for match in pattern.finditer(text):
            if match.groupdict().get("thing", "").lower() not in _UNITS:
                return match
    return None


_COUNTED = ("top", "list", "facts", "ways", "things", "examples", "items", "points", "tips", "事实")


def _counted(text: str) -> frozenset[str]:
    """The words that only say how many are wanted: evidence does not repeat them."""
    match = _count(text)
    return frozenset({match["n"].lower(), *_COUNTED}) if match else frozenset()
