"""A stand-in for sight: what an image shows is looked up by its bytes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from leadline.errors import LeadlineError, SourceLost


class FakeSight:
    """Satisfies `ports.Sight`. `asked` keeps each task it was called for; an error is raised."""

    def __init__(self, shows: Mapping[bytes, str | LeadlineError] | str) -> None:
        self._shows = shows
        self.asked: list[str] = []

    async def see(self, image: bytes, task: str, today: datetime) -> str:
        self.asked.append(task)
        said = self._shows if isinstance(self._shows, str) else self._shows.get(image)
        if said is None:
            raise SourceLost("there is nothing to see")
        if isinstance(said, LeadlineError):
            raise said
        return said
