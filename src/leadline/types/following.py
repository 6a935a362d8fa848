"""What an earlier run brings to a question that follows it."""

from __future__ import annotations

from leadline.types.finding import Passage, Source
from leadline.types.guarding import Injection
from leadline.types.writing import Opinion
from leadline.values import Value


class Earlier(Value):
    """A finished run as a later question sees it.

    `question` is the new one with what it refers to; `passages` are what the old pages say of it,
    and `missing` are its parts that none of them answers. `grounds` are what the old report was
    checked against, and `opinions` what a model said of its claims: both for its update alone.
    """

    run_id: str
    task: str
    answer: str
    question: str
    sources: tuple[Source, ...]
    passages: tuple[Passage, ...] = ()
    missing: tuple[str, ...] = ()
    found: bool = True
    update: bool = False
    facts: tuple[str, ...] = ()
    grounds: tuple[Passage, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    injections: tuple[Injection, ...] = ()
