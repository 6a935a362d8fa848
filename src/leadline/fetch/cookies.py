"""Cookies between the pages of one site: some lead in a circle to whoever does not bring them back.

They go to the very host that set them and over the same scheme, whatever they ask for, and are
forgotten with the run.
"""

from __future__ import annotations

from leadline.fetch.guard import Target

MOST = 50  # of one site
_MOST_CHARS = 4096


class Cookies:
    """What sites have given us."""

    def __init__(self) -> None:
        self._of: dict[str, dict[str, str]] = {}

    def take(self, target: Target, told: str) -> None:
        """Note what an answer set: a `Set-Cookie` a line."""
        for line in told.splitlines():
            pair, *about = (part.strip() for part in line.split(";"))
            name, _, value = pair.partition("=")
            if not name or len(pair) > _MOST_CHARS:
                continue
            jar = self._of.setdefault(target.origin, {})
            if any(part.lower().replace(" ", "") == "max-age=0" for part in about):
                jar.pop(name, None)
            elif name in jar or len(jar) < MOST:
                jar[name] = value

    def sent(self, target: Target) -> dict[str, str]:
        """The header that goes with a request."""
        jar = self._of.get(target.origin)
        return (
            {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())} if jar else {}
        )
