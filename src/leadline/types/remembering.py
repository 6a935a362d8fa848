"""What is remembered across runs: findings with their proof, and what a run is told of them."""

from __future__ import annotations

from typing import Literal

from leadline.types.finding import Hit
from leadline.types.guarding import Injection
from leadline.types.kinds import SourceKind, TaskType
from leadline.values import Value

Standing = Literal["current", "superseded", "disputed"]


class Finding(Value):
    """A claim that was proven, and where: `quote` stands at `start:end` of the snapshot `page`.

    `found` is when its source was read, `confirmed` when a later run found it again. `rivals` are
    the findings that supersede it or that it disagrees with, by their id.
    """

    text: str
    quote: str
    url: str
    title: str = ""
    kind: SourceKind = "web"
    page: str = ""
    start: int = 0
    end: int = 0
    found: str = ""
    published: str = ""
    confirmed: str = ""
    standing: Standing = "current"
    rivals: tuple[str, ...] = ()
    id: str = ""


class Observation(Value):
    """What a finished run leaves behind. `id` is made from the task and the run that came first."""

    task: str
    findings: tuple[Finding, ...]
    type: TaskType = TaskType.RESEARCH
    quality: float = 0.0
    run_id: str = ""
    project: str = ""
    created: str = ""
    updated: str = ""
    id: str = ""

    @property
    def current(self) -> tuple[Finding, ...]:
        """The findings that nothing supersedes."""
        return tuple(one for one in self.findings if one.standing != "superseded")


class Note(Value):
    """An observation as it was remembered: how near it is in meaning, and in words."""

    observation: Observation
    score: float
    similarity: float
    keyword: float


class Quarantined(Value):
    """What was refused entry, why and when; only a person lets it in."""

    id: str
    observation: Observation
    why: str
    at: str


class Kept(Value):
    """What became of an observation at the door; counts are of findings."""

    id: str = ""
    stored: int = 0
    confirmed: int = 0  # said already
    superseded: int = 0  # older ones that these replace
    disputed: int = 0
    quarantined: int = 0
    trouble: str = ""  # why nothing could be kept


class Lead(Value):
    """A remembered observation as a run sees it."""

    observation: str
    task: str
    found: str
    score: float
    used: int  # findings that may be cited again, through their snapshots
    quality: float = 0.0
    answers: bool = False  # it was the same question, and all of it is still at hand


class Recall(Value):
    """What memory gives a run: facts for the planner, and passages from snapshots to cite."""

    leads: tuple[Lead, ...] = ()
    facts: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    trouble: str = ""
    injections: tuple[Injection, ...] = ()
