"""What is found: hits, batches, pages, sources and passages."""

from __future__ import annotations

from leadline.types.asking import Query
from leadline.types.guarding import Injection
from leadline.types.kinds import SkipKind, SourceKind, content_id
from leadline.values import Value


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
