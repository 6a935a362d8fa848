"""What a question asks: its content words, the names in it, its parts, and the kind of answer.

Pure and rule based; it reads at most the first few thousand characters of a task. The rules are
English ones; of a question in another language all words count and the kind of answer is open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

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


@lru_cache(maxsize=64)  # plan, reflection, writer and scores take the same task apart
def analyse(task: str) -> Question:
    """`task` taken apart."""
    text = " ".join(in_short(task)[:_LONGEST].split())
    clauses = _clauses(text)
    compared = _compared(text)
    contrast = compared and not _COMPARING.isdisjoint(words(text))
    return Question(
        text=text,
        language=language(text),
        keywords=keywords(text),
        words=_matched(text),
        names=entities(text),
        expects=Expects.CONTRAST if contrast else expects(clauses[0] if clauses else ""),
        parts=_parts(text, clauses, compared),
        compared=compared,
        wanted=wanted_items(text),
        hops=bool(_described(text)),
    )


# ── words ───────────────────────────────────────────────────────────────────────────────────

_TOKEN = re.compile(r"[^\s,;:!?\"“”„«»()\[\]{}<>「」『』《》。，、；：？！（）]+")
_EDGE = "'’‘.…-–—/*_`~|"
# Words of Chinese and Japanese questions that no page repeats: they have no spaces to cut at.
_CJK_FILLER = re.compile(
    "请问|请|帮我|什么时候|什么|如何|怎么样?|怎样|为什么|为何|有?哪些|哪[个种里位年]|有?多少|是否|吗|呢|"
    "谁|以及|关于|[了和与及或]|とは|ですか|ください|[的是在のはをが]"
)
_SMALL_IN_NAMES = frozenset("of the a an and or in on at to for by with is are".split())  # noqa: SIM905
_COMPARING = frozenset(
    "compare comparison difference differences distinction distinguish vs versus".split()  # noqa: SIM905
)
_HOW = re.compile(
    r"\bhow (?:often|many|much|long|old|far|tall|big|large|high|deep|fast)\b", re.IGNORECASE
)


def keywords(text: str) -> tuple[str, ...]:
    """The words of `text` that carry its meaning, in their own form and order, each once."""
    named = {word for name in (*entities(text), *_compared(text)) for word in name.lower().split()}
    small = STOPWORDS - (named - _SMALL_IN_NAMES)
    found: dict[str, str] = {}
    for token in _TOKEN.findall(text):
        for piece in _pieces(token):
            if piece and piece.lower() not in small:
                found.setdefault(piece.lower(), piece)
    return tuple(found.values())


def _pieces(token: str) -> list[str]:
    if has_cjk(token):
        runs = re.findall(rf"[{RANGE}]+|[^\s{RANGE}]+", _CJK_FILLER.sub(" ", token))
        return [run.strip(_EDGE) for run in runs]
    return [token.strip(_EDGE).removesuffix("'s").removesuffix("’s")]


def _matched(text: str) -> tuple[str, ...]:
    """The folded keywords of `text`, names that are small words too, no counts, no "compare"."""
    found = [word for piece in keywords(_HOW.sub("", text)) for word in words(piece)]
    count = _counted(text) | (_COMPARING if _compared(text) else frozenset())
    return tuple(dict.fromkeys(stem(word) for word in found if word not in count))


def _distinct(text: str) -> tuple[str, ...]:
    """The folded content words of `text`, each once; all its words when every one is small."""
    return tuple(dict.fromkeys(content_words(_HOW.sub("", text)) or map(stem, words(text))))


# ── the kind of answer ──────────────────────────────────────────────────────────────────────

_BY_WORD = {
    Expects.NUMBER: r"how (?:many|much|old|long|tall|far|big|large|high|deep|often|fast)",
    Expects.TIME: "when",
    Expects.PLACE: "where",
    Expects.PERSON: "who(?:se|m)?",
    Expects.REASON: "why",
    Expects.METHOD: "how",
}
_BY_NOUN = {  # "which country", "what is the date of birth of …"
    Expects.NUMBER: "number|population|average|amount|price|cost|length|height|size|age",
    Expects.TIME: "year|date|day|month|century|decade|time",
    Expects.PLACE: "country|city|state|place|county|town|region|continent|province|nation|district",
    Expects.PERSON: "person|actor|actress|director|author|singer|player|artist|president|king|"
    "queen|composer|writer|musician",
    Expects.REASON: "causes?|reasons?|purpose",
    Expects.METHOD: "method|steps|process|procedure",
}
_YES_NO = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|has|have|had|should|will|would|may)\b", re.I
)
_WHICH = re.compile(r"\b(?:what|which)\b", re.IGNORECASE)
_NEAR = 28  # characters from "which" within which its noun stands
_DEFINES = re.compile(
    r"(?:so )?(?:what (?:is|are|was|were|does|do)|what's|whats|define|who (?:is|was|were|are))\b",
    re.IGNORECASE,
)
_FEW = 3  # words: "what is a closure", not "what is the highest mountain in Canada called"


def expects(clause: str) -> Expects:
    """The kind of answer that `clause` asks for; the question word that stands first decides."""
    if _DEFINES.match(clause) and len(keywords(clause)) <= _FEW:
        return Expects.DEFINITION
    if _YES_NO.match(clause):
        return Expects.YES_NO
    at, kind = _first(_BY_WORD, clause)
    which = _WHICH.search(clause)
    if which and which.start() < at:
        return _first(_BY_NOUN, clause[which.end() : which.end() + _NEAR])[1]
    return kind


def _first(kinds: dict[Expects, str], clause: str) -> tuple[int, Expects]:
    found = (
        (match.start(), kind)
        for kind, form in kinds.items()
        if (match := re.search(rf"\b(?:{form})\b", clause, re.IGNORECASE))
    )
    return min(found, key=lambda place: place[0], default=(len(clause), Expects.THING))


# ── parts ───────────────────────────────────────────────────────────────────────────────────

QUESTION_WORD = r"(?:who|what|when|where|why|how|which|whose|whom)\b"
_SENTENCE = re.compile(r"[?？！。；;]+|(?<=[^\W\d_]{3})[.!](?=\s|$)")
_JOINT = re.compile(
    rf",?\s+(?:and|as well as|but)\s+(?:also\s+)?(?={QUESTION_WORD})"
    r"|,\s+(?=(?:what|why|how|when)\s+\w+\s+\w+)"
    r"|,\s+and\s+(?=(?:in|on|at|to|from|by)\s+(?:which|what|whose)\b"
    r"|(?:is|are|can|may|do|does|did|should|will|must)\s+\w+\s+\w+)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"\b{QUESTION_WORD}|^(?:is|are|was|were|do|does|did|can|list|compare|explain|describe|find|give|"
    r"name|summari[sz]e|research|analy[sz]e)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|he|she|his|her)\b", re.IGNORECASE)


def _clauses(text: str) -> tuple[str, ...]:
    """The clauses of `text` that ask something; all of them when none looks like asking."""
    whole = [bare for piece in _SENTENCE.split(text) if (bare := piece.strip(" ,.:"))]
    asking = [piece for piece in whole if _ASKS.search(piece)]
    split = [part for piece in asking or whole for part in _split(piece)]
    return tuple(filter(None, split))[:_MAX_PARTS]


def _split(piece: str) -> list[str]:
    """`piece` cut at its joints; an opening that asks nothing ("In 2011, what …") stays."""
    parts: list[str] = []
    start = 0
    for joint in _JOINT.finditer(piece):
        before = piece[start : joint.start()].strip(" ,.:")
        if _ASKS.search(before):
            parts.append(before)
            start = joint.end()
    return [*parts, piece[start:].strip(" ,.:")]


def _parts(text: str, clauses: tuple[str, ...], compared: tuple[str, ...]) -> tuple[Part, ...]:
    if compared:
        return tuple(Part(side, _distinct(side), entities(side) or (side,)) for side in compared)
    parts: list[Part] = []
    for clause in clauses:
        own, names = _distinct(clause), entities(clause) or entities(text)[:1]
        if parts and (len(own) < 2 or _PRONOUN.search(clause)):
            parts.append(_back(clause, names, parts[0]))
        elif own:
            parts.append(Part(clause, own, names, expects(clause)))
    inner = _described(text)
    if len(parts) == 1 and inner and len(inner) < 0.8 * len(text):
        parts.insert(0, Part(inner, _distinct(inner), entities(inner), inner=True))
    return tuple({part.label.lower(): part for part in parts}.values())


def _back(clause: str, names: tuple[str, ...], first: Part) -> Part:
    """A part that refers to what the first is about: "… and why", "… how is it used"."""
    about = _distinct(" ".join(first.names)) or first.words
    said = content_words(_HOW.sub("", clause)), content_words(clause)  # "how deep is it": deep
    own = next((new for one in said if (new := tuple(w for w in one if w not in about))), ())
    every = (*(_distinct(clause) if said[1] else ()), *first.words)
    label = f"{clause} ({' '.join(keywords(first.label)) or first.label})"
    return Part(label, tuple(dict.fromkeys(every)), names, expects(clause), own=own, about=about)


def as_asked(label: str, task: str) -> str:
    """The label of a part in the words of `task`: without what was put behind it to stand alone."""
    bare = label.rpartition(" (")[0] if label.endswith(")") else ""
    return bare if bare and bare in task and label not in task else label


# ── what is compared, and what is described ─────────────────────────────────────────────────

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
        r"(?P<a>[^\s，。、；：？]{1,20}?)[和与跟](?P<b>[^\s，。、；：？]{1,20}?)(?:的|之间的?|有[什何]么?)?"
        r"(?:区别|差异|不同)",
    )
)
_DESCRIBED = re.compile(
    r"\b(?:the|an?|whose|film|song|book)\s+(?:[\w'’-]+\s+){0,4}?"
    r"(?:of|by|in which|where|that|which|who|whose|for|from)\s+\S",
    re.IGNORECASE,
)
_NEXT = re.compile(r",\s(?:and\s)?(?:what|how|why)\s(?:is|are|was|were|do|does|did|can)\b", re.I)


def _compared(text: str) -> tuple[str, ...]:
    for pattern in _COMPARED:
        if match := pattern.search(text):
            pair = (match["a"].strip(" ,.?"), match["b"].strip(" ,.?"))
            if all(words(side) for side in pair):
                return pair
    return ()


def _described(text: str) -> str:
    """The phrase of `text` that describes something by another thing that is named, or nothing.

    Who asks how something is done names what it is done with.
    """
    if expects(text) is Expects.METHOD:
        return ""
    last = max((text.rfind(name) + len(name) for name in entities(text)), default=0)
    inner = [match.start() for match in _DESCRIBED.finditer(text) if match.start() < last - 3]
    phrase = text[inner[-1] : last].strip(" ,.?") if inner else ""
    return "" if _NEXT.search(phrase) else phrase  # the name is of another question


# ── counts ──────────────────────────────────────────────────────────────────────────────────

_NUMBERS = "two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_COUNT = re.compile(
    rf"(?:^|\b(?:top|best|list|name|give|find|the|are|me|these|least|of|first|main|suggest|"
    rf"identify|describe|explain|write)\s+)(?P<n>[1-9]\d?|{'|'.join(_NUMBERS)})\s+"
    r"(?:[\w-]+\s+){0,2}?(?!years|days|hours|minutes|seconds|weeks|months|times|percent|dollars|miles)"
    r"(?P<thing>[a-z-]{2,}(?<![su])s)\b|(?P<cjk>[1-9]\d?)[个種种条條项項点點]",
    re.IGNORECASE,
)
_COUNTED = ("top", "list", "facts", "ways", "things", "examples", "items", "points", "tips")


def wanted_items(text: str) -> int:
    """How many items `text` asks for ("list five ways …"), or 0."""
    count = _count(text)
    return int(count) if count.isdigit() else _NUMBERS.index(count) + 2 if count else 0


def _count(text: str) -> str:
    match = _COUNT.search(text)
    return (match["n"] or match["cjk"]).lower() if match else ""


def _counted(text: str) -> frozenset[str]:
    """The words that only say how many are wanted: evidence does not repeat them."""
    count = _count(text)
    return frozenset((count, *_COUNTED)) if count else frozenset()
