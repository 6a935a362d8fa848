"""Which language a text is written in, guessed from its script and its commonest small words."""

from __future__ import annotations

import re
from collections import Counter

_SMALL_WORDS = {
    "en": "the of and is what how are which who does in to was why when where do can with for",
    "de": "der die das und ist wie was welche wer warum nicht ein eine den dem im wann wo mit für",
    "fr": "le la les des est que quel quelle qui comment pourquoi une dans du et sont où quand",
    "es": "el la los las es qué cómo cuál quién por una del y son en dónde cuándo para cuáles que",
    "it": "il la gli è che come quale chi perché una del della di sono dove quando per cosa nel",
    "pt": "o os as é que como qual quem uma do da são em onde quando para não quais dos por",
    "nl": "de het een is wat hoe welke wie waarom niet van en zijn waar wanneer met voor dat op",
}
_SETS = {code: frozenset(line.split()) for code, line in _SMALL_WORDS.items()}
_MORE_WORDS = {  # these also stand in names and in English now and then: several are needed
    "de": "ich du sie es wir man dass zu zum zur auf aus bei von nach nur hier auch oder wenn sind",
    "fr": "de au aux ce cette ces pour sans sur par plus ou mais pas ne tu vous nous il elle tout",
    "es": "de al un lo le se con sin más pero este esta estos todo todos su sus y te tu",
    "it": "di un lo le si con senza non più ma questo questa tutti suo sua e ti tu al",
    "pt": "de um na no se com sem mais mas este esta todos seu sua e ou ao te",
    "nl": "te aan om bij naar ook maar als dit die deze er worden je jij van",
}
_WIDER = {code: _SETS[code] | frozenset(line.split()) for code, line in _MORE_WORDS.items()}
_SCRIPTS = {  # the first and the last character of each run
    "ja": ("\u3040\u30ff",),
    "ko": ("\uac00\ud7af",),
    "zh": ("\u3400\u4dbf", "\u4e00\u9fff"),
    "ru": ("\u0400\u04ff",),
    "el": ("\u0370\u03ff",),
    "ar": ("\u0600\u06ff",),
    "he": ("\u0590\u05ff",),
    "hi": ("\u0900\u097f",),
    "th": ("\u0e00\u0e7f",),
}
_COUNTRIES = "zh=cn ja=jp ko=kr ru=ru el=gr ar=xa he=il hi=in th=th"  # xa: all of Arabia
_COUNTRY = dict(pair.split("=") for pair in _COUNTRIES.split())
_OTHER_SCRIPTS = ("\u0370\u06ff", "\u0900\u097f", "\u0e00\u0e7f", "\u3040\u9fff", "\uac00\ud7af")
_BEYOND_LATIN = re.compile("[^\x00-\u036f]")
_FOREIGN = frozenset().union(*_WIDER.values()) - _SETS["en"]
_MARKED = re.compile("[\u00df-\u024f]")  # a letter that only other Latin alphabets have
_COMMON = _SETS["en"] | {"a", "an", "it", "by", "on", "from", "as", "at", "that", "this", "or"}
_LETTERS = re.compile(r"[^\W\d_]+")
_SAMPLE = 4000
SURE = 3  # different small words of a language


def language(text: str) -> str:
    """The two-letter code of the language of `text`; `en` when nothing tells."""
    sample = text[:_SAMPLE]
    if script := by_script(sample):
        return script
    letters = _LETTERS.findall(sample.lower())
    scores = {code: sum(word in small for word in letters) for code, small in _SETS.items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > scores["en"] else "en"


def by_script(text: str) -> str:
    """The language that the script alone tells, also of a few keywords; "" where it tells none."""
    beyond = Counter(_BEYOND_LATIN.findall(text[:_SAMPLE]))
    if not beyond:
        return ""
    total = sum(map(len, _LETTERS.findall(text[:_SAMPLE].lower()))) or 1
    for code, runs in _SCRIPTS.items():
        share = 0.02 if code == "ja" else 0.2  # kana are few among the characters of a title
        if _within(beyond, runs) / total > share:
            return code
    return ""


def region(text: str) -> str:
    """Country and language, `cn-zh`, whose pages a search in the script of `text` is after."""
    spoken = by_script(text)
    return f"{_COUNTRY[spoken]}-{spoken}" if spoken else "us-en"


def _within(chars: Counter[str], runs: tuple[str, ...]) -> int:
    return sum(n for char, n in chars.items() if any(run[0] <= char <= run[1] for run in runs))


def has_foreign(text: str) -> bool:
    """Whether any part of a text can be foreign: most have none, and this costs little."""
    if not text.isascii():
        if len(_MARKED.findall(text)) >= SURE:
            return True
        if _within(Counter(_BEYOND_LATIN.findall(text)), _OTHER_SCRIPTS):
            return True
    return len(_FOREIGN & set(text.lower().split())) >= SURE


def is_english(text: str) -> bool:
    """Whether most of a text is, whatever stands in between."""
    letters = _LETTERS.findall(text[:_SAMPLE].lower())
    return 12 * sum(word in _SETS["en"] for word in letters) >= len(letters) > 0


def is_foreign(text: str) -> bool:
    """Whether a short text is surely not English: in another script for the most part, or with
    several small words of another language and hardly any of English, or with letters that English
    has not and none of its small words."""
    letters = _LETTERS.findall(text[:_SAMPLE].lower())
    total = sum(map(len, letters)) or 1
    beyond = Counter(_BEYOND_LATIN.findall(text))
    if sum(_within(beyond, runs) for runs in _SCRIPTS.values()) / total > 0.4:
        return True
    words = set(letters)
    marked = sum(_MARKED.search(word) is not None for word in letters)
    if marked >= SURE and len(letters) >= 2 * SURE and not words & _COMMON:
        return True
    most = max(len(words & small) for small in _WIDER.values())
    return most >= SURE and most >= 2 * len(words & _SETS["en"]) and 8 * most >= len(letters)


_NAMES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "ja": "Japanese",
    "ko": "Korean",
    "zh": "Chinese",
    "ru": "Russian",
    "el": "Greek",
    "ar": "Arabic",
    "he": "Hebrew",
    "hi": "Hindi",
    "th": "Thai",
}


def named(code: str) -> str:
    """The language's English name, as a prompt says it; an unknown code as it is."""
    return _NAMES.get(code, code)
