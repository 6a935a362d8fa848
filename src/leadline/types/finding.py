"""What is found: hits, pages, sources and passages, what is remembered of earlier runs, and orders
to the reader that stood in any of them."""

from __future__ import annotations

from typing import Literal

from leadline.types.asking import Query
from leadline.types.kinds import SkipKind, SourceKind, TaskType, content_id
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


class Hit(Value):
    """One search result. For a document, `start` and `end` locate `text` in the page `page`."""

    url: str
    title: str
    text: str
    provider: str = ""
    kind: SourceKind = "web"
    score: float = 0.0
    ref: str = ""  # `doc#chunk` for a document
    section: str = ""  # the headings it stands under, the outermost first
    page: str = ""  # content hash of the page the offsets point into; "" when only a snippet
    start: int = 0
    end: int = 0
    published: str = ""


class Asked(Value):
    """One request to a search provider: how long it took, and what was wrong where it failed."""

    provider: str
    seconds: float
    error: str = ""


class Batch(Value):
    """The hits of one query, in the provider's order. `error` is set when the search failed.

    `notes` tell what went wrong on the way and what was done about it: retries, fallbacks. `asked`
    are the requests it took, in their order: none where the answer was kept, several where one
    failed.
    """

    query: Query
    hits: tuple[Hit, ...] = ()
    provider: str = ""
    cached: bool = False
    error: str = ""
    notes: tuple[Loss, ...] = ()
    injections: tuple[Injection, ...] = ()
    asked: tuple[Asked, ...] = ()


class Page(Value):
    """The text of a source as it was read, kept under `hash` to check citations against."""

    url: str
    title: str
    text: str
    kind: SourceKind = "web"
    author: str = ""
    date: str = ""
    fetched_at: str = ""
    notes: tuple[str, ...] = ()  # what went wrong on the way, and what was done about it
    injections: tuple[Injection, ...] = ()

    @property
    def hash(self) -> str:
        return content_id(self.text)

    @property
    def barred(self) -> tuple[tuple[int, int], ...]:
        """Spans of the text that are shown to nobody and cannot be quoted."""
        gone = (one for one in self.injections if one.done != "flagged")
        return tuple((one.start, one.end) for one in gone)


class Source(Value):
    """A numbered entry of the run's list of sources."""

    id: int
    url: str
    title: str
    kind: SourceKind = "web"
    author: str = ""
    published: str = ""
    accessed: str = ""


class Passage(Value):
    """A span of a page. `text` is exactly what stands at `start:end` of the page `page`."""

    source: int
    text: str
    page: str = ""
    start: int = 0
    end: int = 0
    section: str = ""
    score: float = 0.0

    @property
    def id(self) -> str:
        return content_id(self.page, str(self.start), self.text)


class Skip(Value):
    """Results that were found and left out, or a source that was not read, and why.

    `filter` by the user's lists and dates, `quota` by how many of one site there are, `copy` of
    what was held, `said` already, `full` when as many pages as are wanted were chosen, `tried` when
    too many of them could not be read; `memory` when a search was not made.
    """

    kind: SkipKind
    what: str
    why: str
    count: int = 1


class Variant(Value):
    """Two sources that say the same but for their numbers; both are kept."""

    source: int
    like: int
    numbers: tuple[str, ...] = ()  # those that only the first has
    others: tuple[str, ...] = ()  # and only the second


class Loss(Value):
    """One source or search that could not be had; the run goes on without it."""

    stage: str
    what: str
    why: str


Standing = Literal["current", "superseded", "disputed"]


class Finding(Value):
    """A claim that was checked, and where: `quote` stands at `start:end` of the snapshot `page`.

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
