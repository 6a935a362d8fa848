"""Article pages as many kinds of sites write them, made from `layouts.txt` and `words.txt`.

In a layout ⟦s 2⟧ stands for two sentences, ⟦p 2 5⟧ for a paragraph, ⟦h⟧ for a heading, ⟦t⟧ for a
headline, ⟦w⟧ for a few words; ⟦+…⟧ is what a reader should find and ⟦?…⟧ what it may, as captions.
Each belongs to one of four sets: `first` was written before the reader's code was seen and the
reader mended by it, `dev` after reading real pages; `second` and `third`, of another hand again,
were each measured once before any mending (`third`, strict gold, other prose: ours .968,
trafilatura .929) and the reader then mended by them, so that none is unseen any more.
"""

from __future__ import annotations

import html
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_HERE = Path(__file__).parent
_MARK = re.compile(r"⟦([^⟦⟧]*)⟧")
_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|\w+")
_UNSPACED = ("zh", "ja")
_LIST_MARK = re.compile(r"^\s*(?:#+|>|[-*+]|\d+\.)\s+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Layout:
    group: str
    name: str
    language: str
    page: str


@dataclass(slots=True)
class Made:
    """A page, the text to find in it and the text that may be found."""

    title: str
    page: str = ""
    gold: list[str] = field(default_factory=list)
    may: list[str] = field(default_factory=list)

    def f1(self, found: str, run: int = 1) -> float:
        """Over words, or over runs of so many, as a multiset."""
        got = _runs(_LIST_MARK.sub("", found), run)
        wanted = _runs("\n".join(self.gold), run)
        allowed: Counter[tuple[str, ...]] = Counter()
        for one in (self.title, *self.may):
            allowed += _runs(one, run)
        shared = (got & wanted).total()
        counted = got.total() - ((got - wanted) & allowed).total()
        return 2 * shared / (counted + wanted.total()) if shared else 0.0


def layouts(group: str) -> list[Layout]:
    """The layouts of a set, in order."""
    text = (_HERE / "layouts.txt").read_text("utf-8")
    found = []
    for part in text.split("=== ")[1:]:
        head, _, page = part.partition("\n")
        of, name, language = head.split()
        if of == group:
            found.append(Layout(of, name, language, page.strip()))
    return found


def made(layout: Layout, seed: int) -> Made:
    """A page in this layout; the same for the same seed."""
    prose = _Prose(layout.language, random.Random(f"{layout.name} {seed}"))
    one = Made(prose.sentence().rstrip(".。"))

    def plain(match: re.Match[str]) -> str:
        said = match.group(1)
        if said[0] in "+?":
            return match.group()
        return html.escape(one.title if said == "title" else prose.said(said), quote=False)

    def told(match: re.Match[str]) -> str:
        kind, text = match.group(1)[0], match.group(1)[1:]
        (one.gold if kind == "+" else one.may).append(html.unescape(text))
        return text

    one.page = _MARK.sub(told, _MARK.sub(plain, layout.page))
    return one


def _runs(text: str, run: int) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return Counter(tuple(words[at : at + run]) for at in range(max(1, len(words) - run + 1)))


def _parts() -> dict[str, list[str]]:
    parts: dict[str, list[str]] = defaultdict(list)
    name = ""
    for line in (_HERE / "words.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            name = line[2:]
        elif line:
            parts[name].append(line)
    return parts


class _Prose:
    def __init__(self, language: str, chance: random.Random) -> None:
        self._parts, self._chance, self._language = _parts(), chance, language
        self._left: Iterator[str] = iter(())

    def said(self, mark: str) -> str:
        kind, *numbers = mark.split()
        pick = self._chance.choice
        if kind == "s":
            return self._several(int(numbers[0]) if numbers else 1)
        if kind == "p":
            return self._several(self._chance.randint(int(numbers[0]), int(numbers[1])))
        if kind == "t":
            return self.sentence().rstrip(".。")
        return pick(self._parts[{"h": "head", "w": "what", "name": "name"}[kind]])

    def _several(self, count: int) -> str:
        gap = "" if self._language in _UNSPACED else " "
        return gap.join(self.sentence() for _ in range(count))

    def sentence(self) -> str:
        if self._language != "en":
            return self._foreign()
        pick, parts = self._chance.choice, self._parts
        lead = pick(parts["lead"]) + " " if self._chance.random() < 0.6 else ""
        tail = pick(parts["tail"]) if self._chance.random() < 0.8 else ""
        gap = "" if tail[:1] in ("", ",", ";") else " "
        said = f"{lead}{pick(parts['who'])} {pick(parts['did'])} {pick(parts['what'])}{gap}{tail}."
        return said[0].upper() + said[1:]

    def _foreign(self) -> str:
        for one in self._left:
            return one
        self._left = iter(self._chance.sample(lines := self._parts[self._language], len(lines)))
        return next(self._left)
