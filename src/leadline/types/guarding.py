"""Orders to the reader that were found in text from outside, and what was done about them."""

from __future__ import annotations

from typing import Literal

from leadline.values import Value

Door = Literal["results", "pages", "documents", "images", "memory"]
ScanPolicy = Literal["off", "flag", "strip", "refuse"]
Done = Literal["flagged", "stripped", "refused"]


class Doors(Value):
    """What is done at each door with an attack; what is only suspect is flagged at all of them."""

    results: ScanPolicy = "refuse"
    pages: ScanPolicy = "strip"
    documents: ScanPolicy = "flag"  # they are the user's own
    images: ScanPolicy = "strip"
    memory: ScanPolicy = "refuse"


class Injection(Value):
    """A text from outside that speaks to the machine. Its words are not repeated here: whatever
    reads this would read them. `start:end` says where they stand, in the snapshot of a page."""

    door: Door
    source: str
    score: float  # from 0 to 1; suspect from 0.5
    reason: str
    done: Done
    start: int = 0
    end: int = 0


class Seen(Value):
    """What stands in an image, where something in it was found to give orders."""

    text: str
    injections: tuple[Injection, ...] = ()
