"""Names in a text: capitalised spans, quoted words, code, and words with a shape of their own."""

from __future__ import annotations

import re
from functools import lru_cache

from leadline.text.cjk import without_cjk
from leadline.text.words import STOPWORDS

_QUOTED = re.compile(
    r"`([^`\n]{1,80})`|\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|«([^»\n]{2,80})»|「([^」\n]{1,80})」"
    r"|《([^》\n]{1,80})》|『([^』\n]{1,80})』|(?<!\w)'([^'\n]{2,60})'(?!\w)"
)
_TOKEN = re.compile(r"[^\W_](?:[.&'’+#/-]|\w)*(?:\(\))?")
_SHAPED = re.compile(r"[a-z][A-Z]|[A-Z]{2}|\(\)$|\w[_.][a-z]|[a-z]\d|^[A-Z]\d|[+#]$")
_INNER = frozenset("of the de la le van von der da di du del al el bin ibn y".split())  # noqa: SIM905
_OPENERS = frozenset(  # verbs and conjunctions that stand before a name at the start of a task
    """compare summarize summarise research analyze analyse discuss evaluate examine explore
    identify investigate outline study suggest report including according besides although while
    since""".split()  # noqa: SIM905
)


@lru_cache(maxsize=4096)  # links, disputes and parts look at the same sentences
def entities(text: str) -> tuple[str, ...]:
    """The names in `text` in order, each once; what stands in quotation marks counts as one."""
    found: list[tuple[int, str]] = []
    masked = list(text)
    for match in _QUOTED.finditer(text):
        found.append((match.start(), next(group for group in match.groups() if group).strip()))
        masked[match.start() : match.end()] = "\n" * (match.end() - match.start())
    rest = "".join(masked)
    found.extend(_capitalised(rest))
    seen: dict[str, str] = {}
    for _, name in sorted(found):
        seen.setdefault(name.lower(), name)
    return tuple(seen.values())


def _capitalised(text: str) -> list[tuple[int, str]]:
    spans: list[tuple[int, str]] = []
    span: list[re.Match[str]] = []
    for token in (*_TOKEN.finditer(without_cjk(text)), None):
        if token and span and _joins(text, span[-1], token) and _belongs(token):
            span.append(token)
            continue
        if span and (kept := _trimmed(text, span)):
            spans.append(kept)
        span = [token] if token and _starts(token) else []
    return spans


def _starts(token: re.Match[str]) -> bool:
    word = token.group()
    return word[0].isupper() or bool(_SHAPED.search(word))


def _belongs(token: re.Match[str]) -> bool:
    word = token.group()
    return _starts(token) or word in _INNER or (word.isdigit() and len(word) < 5)


def _joins(text: str, before: re.Match[str], after: re.Match[str]) -> bool:
    gap = text[before.end() : after.start()]
    return gap == " " and before.group()[-1] not in ".'’"


def _trimmed(text: str, span: list[re.Match[str]]) -> tuple[int, str] | None:
    """The span without small words at its edges; nothing when only a small word is left."""
    while span and span[-1].group() in _INNER:
        span = span[:-1]
    while span and _opens_sentence(text, span[0]) and _small(span[0].group()):
        span = span[1:]
    while span and span[0].group() in _INNER:
        span = span[1:]
    if not span or all(_small(token.group()) or token.group().isdigit() for token in span):
        return None
    if len(span) == 1 and _opens_sentence(text, span[0]) and _looks_plain(span[0].group()):
        return None
    name = text[span[0].start() : span[-1].end()].strip(".'’/-")
    return span[0].start(), name.removesuffix("'s").removesuffix("’s")


def _small(word: str) -> bool:
    return word.lower() in STOPWORDS or word.lower() in _OPENERS


def _looks_plain(word: str) -> bool:
    """A capital that only opens the sentence: no possessive, no shape of its own."""
    return not _SHAPED.search(word) and not word.endswith(("'s", "’s"))


def _opens_sentence(text: str, token: re.Match[str]) -> bool:
    before = text[: token.start()].rstrip(" \n\t\"“'(*_#>-")
    return not before or before[-1] in ".!?:;…。！？"
