"""robots.txt as RFC 9309 reads it: the group of our name, else of `*`; the longest rule wins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_BYTES = 512 * 1024  # RFC 9309 wants 500 KiB at least
MAX_DELAY_S = 10.0
_UNRESERVED = re.compile(r"%([0-9a-fA-F]{2})")


@dataclass(frozen=True)
class Rule:
    """One `Allow` or `Disallow` line."""

    path: str
    allow: bool

    def matches(self, path: str) -> bool:
        """Whether the rule speaks of `path`: `*` is anything, `$` at the end is the end."""
        ended = self.path.endswith("$")
        pieces = (self.path[:-1] if ended else self.path).split("*")
        return _in_order(pieces, path, ended)


@dataclass(frozen=True)
class Robots:
    """What a site asks of us."""

    rules: tuple[Rule, ...] = ()
    delay_s: float = 0.0

    def allows(self, url: str) -> bool:
        """Whether the site lets us read this page; with no rule that speaks of it, yes."""
        parts = urlsplit(url)
        path = _same(parts.path or "/") + (f"?{_same(parts.query)}" if parts.query else "")
        if path == "/robots.txt":
            return True
        found = [rule for rule in self.rules if rule.matches(path)]
        best = max(found, key=lambda rule: (len(rule.path), rule.allow), default=None)
        return best is None or best.allow


def whole_lines(data: bytes) -> bytes:
    """The start of a robots.txt, without the line that it may have been cut in."""
    if len(data) < MAX_BYTES:
        return data
    return data[: 1 + max(data.rfind(b"\n"), data.rfind(b"\r"))]


def read_robots(text: str, agent: str) -> Robots:
    """The rules of a robots.txt that are meant for `agent`."""
    ours: list[Rule] = []
    anyones: list[Rule] = []
    delays: dict[str, float] = {}
    wanted = frozenset({agent.lower(), "*"})
    names: set[str] = set()  # for whom the lines are; only we and anyone matter
    in_rules = True
    found_us = False
    for key, value in _lines(text):
        if key == "user-agent":
            name = _product(value)
            names = (set() if in_rules else names) | (wanted & {name})
            in_rules = False
            found_us = found_us or name == agent.lower()
            continue
        in_rules = True
        if key == "crawl-delay":
            delays |= dict.fromkeys(names, _seconds(value))
        elif key in ("allow", "disallow") and value:
            rule = Rule(_same(value), key == "allow")
            if agent.lower() in names:
                ours.append(rule)
            if "*" in names:
                anyones.append(rule)
    delay = delays.get(agent.lower(), 0.0 if found_us else delays.get("*", 0.0))
    return Robots(tuple(ours if found_us else anyones), delay)


def _lines(text: str) -> list[tuple[str, str]]:
    found = []
    for line in text.lstrip("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            found.append((key.strip().lower(), value.strip()))
    return [(key, value) for key, value in found if key in _KEYS]


_KEYS = frozenset({"user-agent", "allow", "disallow", "crawl-delay"})


def _product(value: str) -> str:
    """`Leadline/1.0` is `leadline`."""
    return "*" if value.startswith("*") else re.split(r"[^A-Za-z_-]", value, maxsplit=1)[0].lower()


def _seconds(value: str) -> float:
    try:
        return min(MAX_DELAY_S, max(0.0, float(value)))
    except ValueError:
        return 0.0


def _same(path: str) -> str:
    """One spelling of escapes, so that `/%7Ejoe` and `/~joe` meet."""

    def plain(match: re.Match[str]) -> str:
        char = chr(int(match.group(1), 16))
        return char if char.isascii() and (char.isalnum() or char in "-._~") else match[0].upper()

    quoted = "".join(
        char
        if ord(char) < 128
        else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
        for char in path
    )
    return _UNRESERVED.sub(plain, quoted)


def _in_order(pieces: list[str], path: str, ended: bool) -> bool:
    """Whether the pieces follow one another in `path`, the first at its start; in linear time."""
    first, *rest = pieces
    if not path.startswith(first):
        return False
    at = len(first)
    if not rest:
        return at == len(path) or not ended
    for piece in rest[:-1]:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    last = rest[-1]
    if ended:
        return path.endswith(last) and len(path) - len(last) >= at
    return path.find(last, at) >= 0
