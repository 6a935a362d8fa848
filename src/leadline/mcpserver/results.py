"""What the tools return, as a client's program reads it; the text beside it is for a reader."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class Quoted(_Value):
    """Words of a source, and where they stand in its text."""

    text: str
    start: int = Field(description="Offset of its first character in the text of the source.")
    end: int
    source: int = Field(default=0, description="Number of the source; 0 where there is but one.")
    page: str = Field(default="", description="Hash of the text that the offsets point into.")


class ClaimSaid(_Value):
    """A sentence of the report and its proof."""

    text: str
    sources: tuple[int, ...]
    verdict: str
    score: float
    quote: Quoted | None = None


class SourceUsed(_Value):
    """A source that the report cites as [id]."""

    id: int
    title: str
    location: str = Field(description="Address of a web page, or the name of a document.")
    type: str
    published: str = ""


class Researched(_Value):
    """A report in which every sentence is checked."""

    run_id: str
    question: str
    answer: str = Field(description="Markdown; [n] cites the source with that id.")
    found: bool = Field(description="False: the sources do not hold the answer.")
    sources: tuple[SourceUsed, ...]
    claims: tuple[ClaimSaid, ...]
    gaps: tuple[str, ...] = Field(description="What no source answered.")
    confidence: float
    stop_reason: str
    degraded: bool = Field(description="Search was limited; the answer rests on part of it.")
    dropped: int = Field(description="Sentences left out because nothing bears them out.")
    searches: int
    seconds: float
    cost: float
    report_uri: str = Field(description="The whole report as a resource.")
    resumed: bool = Field(
        default=False, description="It went on from where an earlier run was left."
    )


class HitShown(_Value):
    """One search result."""

    title: str
    location: str
    text: str
    score: float = 0.0
    ref: str = Field(default="", description="doc#chunk, which read_doc opens.")
    section: str = ""
    published: str = ""
    warning: str = Field(default="", description="Why its text reads like instructions.")


class Searched(_Value):
    """The results of one search, best first."""

    query: str
    provider: str
    hits: tuple[HitShown, ...]
    cached: bool = False
    notes: tuple[str, ...] = Field(default=(), description="What went wrong on the way.")


class LinesRead(_Value):
    """Lines of a document around a chunk."""

    document: str
    first: int
    last: int
    count: int = Field(description="Lines of the whole document.")
    text: str
    warning: str = Field(default="", description="Why its text reads like instructions.")


class FactRemembered(_Value):
    """A claim that an earlier run proved; a lead, to be checked again before it is cited."""

    text: str
    quote: str
    location: str
    title: str
    found: str = Field(description="When its source was read.")
    standing: Literal["current", "superseded", "disputed"]


class NoteRemembered(_Value):
    """What an earlier run left behind."""

    id: str
    question: str
    score: float
    run_id: str
    created: str
    facts: tuple[FactRemembered, ...]


class Recalled(_Value):
    """What is remembered of a question, nearest first."""

    question: str
    on: bool = Field(description="False: memory is switched off here.")
    notes: tuple[NoteRemembered, ...]
    held_back: int = Field(default=0, description="Facts not shown: they read like instructions.")


class Verified(_Value):
    """What a text says of a claim. Computed; no model was asked."""

    claim: str
    verdict: str = Field(description="quoted, sourced, contradicted or not_found.")
    score: float = Field(description="0 to 1: how surely the text says all of it.")
    why: str = Field(description="What speaks against it.")
    source: str = Field(description='What it was checked against; "text" where that was given.')
    quote: Quoted | None = Field(default=None, description="The words that come closest.")
