"""What a site asks of us in its robots.txt, as RFC 9309 reads it: the group of our name, else of
`*`; the longest rule wins. Protego reads the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from protego import Protego

AGENT = "leadline"
MAX_BYTES = 512 * 1024  # RFC 9309 wants 500 KiB at least
MAX_DELAY_S = 10.0
_AGENT_LINE = re.compile(r"^[ \t]*user[- ]?agent[ \t]*[: \t][ \t]*(.*)$", re.IGNORECASE)
_PRODUCT = re.compile(r"[A-Za-z_-]*")


@dataclass(frozen=True)
class Robots:
    """The rules of a site; with none everything is allowed."""

    rules: Protego = field(default_factory=Protego)

    def allows(self, url: str) -> bool:
        """Whether the site lets us read this page."""
        return self.rules.can_fetch(url, AGENT)

    @property
    def delay_s(self) -> float:
        """The pause between two requests that the site asks for."""
        return min(MAX_DELAY_S, self.rules.crawl_delay(AGENT) or 0.0)


def read_robots(text: str) -> Robots:
    """The rules of a robots.txt that are meant for us."""
    lines = (_ours_or_others(line) for line in text.lstrip("\ufeff").splitlines())
    return Robots(Protego.parse("\n".join(lines)))


def _ours_or_others(line: str) -> str:
    """A line that names an agent, with nobody's name in it but ours.

    Of `Leadline/1.0` only the product counts, and `leadlinebot` is another. All others share one
    name: a file that names thousands, each with all the rules, would take minutes to read.
    """
    named = _AGENT_LINE.match(line)
    if named is None:
        return line
    if named[1].startswith("*"):
        return "User-agent: *"
    product = _PRODUCT.match(named[1])
    is_ours = product is not None and product[0].lower() == AGENT
    return f"User-agent: {AGENT if is_ours else 'another'}"


def whole_lines(data: bytes) -> bytes:
    """The start of a robots.txt, without the line that it may have been cut in."""
    if len(data) < MAX_BYTES:
        return data
    start = data[:MAX_BYTES]
    return start[: 1 + max(start.rfind(b"\n"), start.rfind(b"\r"))]
