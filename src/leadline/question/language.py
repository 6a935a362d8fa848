"""Which language a text is written in, guessed from its script and its commonest small words."""

from __future__ import annotations

import re

_SAMPLE = 4000
_LETTERS = re.compile(r"[^\W\d_]+")
_SMALL_WORDS = {
    "en": "the of and is what how are which who does in to was why when where do can with for",
    "de": "der die das und ist wie was welche wer warum nicht ein eine den dem im wann wo mit für",
    "fr": "le la les des est que quel quelle qui comment pourquoi une dans du et sont où quand",
    "es": "el la los las es qué cómo cuál quién por una del y son en dónde cuándo para cuáles que",
    "it": "il la gli è che come quale chi perché una del della di sono dove quando per cosa nel",
    "pt": "o os as é que como qual quem uma do da são em onde quando para não quais dos por",
    "nl": "de het een is wat hoe welke wie waarom niet van en zijn waar wanneer met voor dat op",
}
_BY_WORDS = {code: frozenset(line.split()) for code, line in _SMALL_WORDS.items()}
_SCRIPTS = {  # the letters that tell a language
    code: re.compile(f"[{letters}]")
    for code, letters in {
        "ja": "\u3040-\u30ff",
        "ko": "\uac00-\ud7af",
        "zh": "\u3400-\u4dbf\u4e00-\u9fff",
        "ru": "\u0400-\u04ff",
        "el": "\u0370-\u03ff",
        "ar": "\u0600-\u06ff",
        "he": "\u0590-\u05ff",
        "hi": "\u0900-\u097f",
        "th": "\u0e00-\u0e7f",
    }.items()
}
_SHARE = 0.2  # of the letters, that must be of the script
_KANA = 0.02  # they are few among the characters of a Japanese title
_COUNTRIES = "zh cn | ja jp | ko kr | ru ru | el gr | ar xa | he il | hi in | th th"  # xa: Arabia
_COUNTRY = dict(pair.split() for pair in _COUNTRIES.split("|"))
_NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian",
    "pt": "Portuguese", "nl": "Dutch", "ja": "Japanese", "ko": "Korean", "zh": "Chinese",
    "ru": "Russian", "el": "Greek", "ar": "Arabic", "he": "Hebrew", "hi": "Hindi", "th": "Thai",
}  # fmt: skip


def language(text: str) -> str:
    """The two-letter code of the language of `text`; `en` when nothing tells."""
    if script := by_script(text):
        return script
    found = _LETTERS.findall(text[:_SAMPLE].lower())
    scores = {code: sum(word in small for word in found) for code, small in _BY_WORDS.items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > scores["en"] else "en"


def by_script(text: str) -> str:
    """The language that the script alone tells, also of a few keywords; "" where it tells none."""
    sample = text[:_SAMPLE]
    total = sum(map(len, _LETTERS.findall(sample))) or 1
    for code, letters in _SCRIPTS.items() if not sample.isascii() else ():
        if len(letters.findall(sample)) / total > (_KANA if code == "ja" else _SHARE):
            return code
    return ""


def region(text: str) -> str:
    """Country and language, `cn-zh`, whose pages a search in the script of `text` is after."""
    code = by_script(text)
    return f"{_COUNTRY[code]}-{code}" if code else "us-en"


def named(code: str) -> str:
    """The language's English name, as a prompt says it; an unknown code as it is."""
    return _NAMES.get(code, code)
