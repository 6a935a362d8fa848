"""What is left in the state of results that were summarised, and where their text is."""

from __future__ import annotations

from leadline.values import Value


class Gist(Value):
    """A result in short. `handle` finds its whole text in the journal of the run."""

    handle: str
    text: str


class Compaction(Value):
    """What one compaction did: tokens of the results before and after, and the new gists."""

    before: int
    after: int
    gists: tuple[Gist, ...] = ()
