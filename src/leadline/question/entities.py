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
    quoted = list(_QUOTED.finditer(text))
    found = [(match.start(), next(filter(None, match.groups())).strip()) for match in quoted]
    found += _capitalised(_QUOTED.sub(lambda match: "\n" * len(match[0]), text))
    seen: dict[str, str] = {}
    for _, name in sorted(found):
        seen.setdefault(name.lower(), name)
    return tuple(seen.values())


def _capitalised(text: str) -> list[tuple[int, str]]:
    spans: list[list[re.Match[str]]] = []
    end = -1  # of the span that the next word may join
    for token in _TOKEN.finditer(without_cjk(text)):
        word = token.group()
        starts = word[0].isupper() or bool(_SHAPED.search(word))
        joins = text[end : token.start()] == " " and text[end - 1] not in ".'’"
        if end > 0 and joins and (starts or word in _INNER or (word.isdigit() and len(word) < 5)):
            spans[-1].append(token)
        elif starts:
            spans.append([token])
        else:
            end = -1
            continue
        end = token.end()
    return [name for span in spans if (name := _trimmed(text, span))]


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
    first = span[0].group()
    shaped = _SHAPED.search(first) or first.endswith(("'s", "’s"))
    if len(span) == 1 and not shaped and _opens_sentence(text, span[0]):
        return None  # a capital that only opens the sentence
    name = text[span[0].start() : span[-1].end()].strip(".'’/-")
    return span[0].start(), name.removesuffix("'s").removesuffix("’s")


def _small(word: str) -> bool:
    return word.lower() in STOPWORDS or word.lower() in _OPENERS


def _opens_sentence(text: str, token: re.Match[str]) -> bool:
    before = text[: token.start()].rstrip(" \n\t\"“'(*_#>-")
    return not before or before[-1] in ".!?:;…。！？"
