"""Which language a text is written in, guessed from its script and its commonest small words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_SAMPLE = 4000
_LETTERS = re.compile(r"[^\W\d_]+")
_SMALL_WORDS = {
    "English": "the of and is what how are which who does in to was why when where do can with for",
    "German": "der die das und ist wie was welche wer warum nicht ein eine den dem im wann wo mit",
    "French": "le la les des est que quel quelle qui comment pourquoi une dans du et sont où quand",
    "Spanish": "el la los las es qué cómo cuál quién por una del y son en dónde cuándo para que",
    "Italian": "il la gli è che come quale chi perché una del della di sono dove quando per nel",
    "Portuguese": "o os as é que como qual quem uma do da são em onde quando para não quais dos",
    "Dutch": "de het een is wat hoe welke wie waarom niet van en zijn waar wanneer met voor dat",
}
_CODES = dict(zip(_SMALL_WORDS, ("en", "de", "fr", "es", "it", "pt", "nl"), strict=True))
_BY_WORDS: Mapping[str, frozenset[str]] = {
    _CODES[name]: frozenset(line.split()) for name, line in _SMALL_WORDS.items()
}


class _Script(NamedTuple):
    """A language that its script tells; `share` of the letters must be of it."""

    code: str
    name: str
    country: str
    letters: re.Pattern[str]
    share: float = 0.2


_SCRIPTS = tuple(
    _Script(code, name, country, re.compile(f"[{letters}]"), share)
    for code, name, country, letters, share in (
        ("ja", "Japanese", "jp", "\u3040-\u30ff", 0.02),  # kana are few among the others
        ("ko", "Korean", "kr", "\uac00-\ud7af", 0.2),
        ("zh", "Chinese", "cn", "\u3400-\u4dbf\u4e00-\u9fff", 0.2),
        ("ru", "Russian", "ru", "\u0400-\u04ff", 0.2),
        ("el", "Greek", "gr", "\u0370-\u03ff", 0.2),
        ("ar", "Arabic", "xa", "\u0600-\u06ff", 0.2),  # xa: all of Arabia
        ("he", "Hebrew", "il", "\u0590-\u05ff", 0.2),
        ("hi", "Hindi", "in", "\u0900-\u097f", 0.2),
        ("th", "Thai", "th", "\u0e00-\u0e7f", 0.2),
    )
)
_NAMES = {code: name for name, code in _CODES.items()} | {one.code: one.name for one in _SCRIPTS}


def language(text: str) -> str:
    """The two-letter code of the language of `text`; `en` when nothing tells."""
    if script := _script(text):
        return script.code
    found = _LETTERS.findall(text[:_SAMPLE].lower())
    scores = {code: sum(word in small for word in found) for code, small in _BY_WORDS.items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > scores["en"] else "en"


def by_script(text: str) -> str:
    """The language that the script alone tells, also of a few keywords; "" where it tells none."""
    script = _script(text)
    return script.code if script else ""


def region(text: str) -> str:
    """Country and language, `cn-zh`, whose pages a search in the script of `text` is after."""
    script = _script(text)
    return f"{script.country}-{script.code}" if script else "us-en"


def _script(text: str) -> _Script | None:
    sample = text[:_SAMPLE]
    if sample.isascii():
        return None
    total = sum(map(len, _LETTERS.findall(sample))) or 1
    fits = (one for one in _SCRIPTS if len(one.letters.findall(sample)) / total > one.share)
    return next(fits, None)


def named(code: str) -> str:
    """The language's English name, as a prompt says it; an unknown code as it is."""
    return _NAMES.get(code, code)
