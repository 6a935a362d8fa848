"""What a fetch brings, and the seam that wrappers go round."""

from __future__ import annotations

from typing import Protocol

from leadline.frozen import frozen
from leadline.types import Hit, Page


@frozen
class Fetched:
    """A page with what the snapshot keeps beside it."""

    page: Page
    final_url: str
    content_type: str


class Brings(Protocol):
    """Fetches a page and says where it was found."""

    async def bring(self, hit: Hit) -> Fetched: ...
