"""What a fetch brings, and the seam that wrappers go round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from leadline.types import Hit, Page


@dataclass(frozen=True)
class Fetched:
    """A page with what the snapshot keeps beside it."""

    page: Page
    final_url: str
    content_type: str


class Brings(Protocol):
    """Fetches a page and says where it was found."""

    async def bring(self, hit: Hit) -> Fetched: ...
