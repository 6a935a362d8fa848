"""The doors of the tools: what a client is given has been scanned for orders to whatever reads it,
and flagged, held back in part or refused as the settings of the door say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.errors import SourceLost
from leadline.guard.gate import in_thread
from leadline.guard.policy import find_injections, screen_hit, screen_page, screen_recall
from leadline.guard.removed_spans import masked
from leadline.settings import Settings, doors
from leadline.text.lines import Window
from leadline.types import Batch, Doors, Hit, Injection, Note, Page, Recall
from leadline.values import replace

ROUND = 2_000  # characters round the lines shown that are scanned too: an order may begin there


@dataclass(frozen=True)
class Listed:
    """Hits that may be shown, each with a warning or "", and what is said of those that may not."""

    hits: tuple[tuple[Hit, str], ...]
    held_back: tuple[str, ...] = ()


@dataclass(frozen=True)
class Passed:
    """What of the lines of a document is shown, of the same length, and what was found there."""

    text: str
    found: tuple[Injection, ...] = ()


async def hits_passed(hits: Sequence[Hit], settings: Settings) -> Listed:
    """The hits of documents that may be shown, and what is to be said of them."""
    at = doors(settings)
    if at is None:
        return Listed(tuple((hit, "") for hit in hits))
    looked = await in_thread(lambda: [screen_hit(hit, "documents", at) for hit in hits])
    shown = [(hit, _warning(noted)) for passed, noted in looked for hit in passed]
    return Listed(tuple(shown), _held_back([one for _, noted in looked for one in noted]))


def batch_passed(batch: Batch) -> Listed:
    """The same of a batch that came through the door of the web already."""
    flagged: dict[str, list[Injection]] = {}
    for one in batch.injections:
        flagged.setdefault(one.source, []).append(one)
    shown = [(hit, _warning(flagged.get(hit.url, ()))) for hit in batch.hits]
    return Listed(tuple(shown), _held_back(batch.injections))


async def lines_passed(page: Page, shown: Window, settings: Settings) -> Passed:
    """The page with what gives orders near the lines shown blanked out, where the door says so.

    Raises `SourceLost` where the door refuses the lines.
    """
    at = doors(settings)
    if at is None or at.documents == "off":
        return Passed(page.text)
    low, high = max(0, shown.start - ROUND), shown.end + ROUND
    near = await in_thread(lambda: find_injections(page.text[low:high], "documents", page.url, at))
    moved = (replace(one, start=one.start + low, end=one.end + low) for one in near)
    found = tuple(one for one in moved if one.start < shown.end and one.end > shown.start)
    if any(one.done == "refused" for one in found):
        raise SourceLost(
            f"these lines of {page.url} read like instructions and are not shown ({said(found)}); "
            "whoever runs the server decides that with scan_documents"
        )
    barred = [(one.start, one.end) for one in found if one.done == "stripped"]
    return Passed(masked(page.text, barred), found)


async def page_passed(page: Page, settings: Settings) -> Page:
    """A document with what may not be quoted from it noted. Raises `SourceLost` when refused."""
    at = doors(settings)
    passed = await in_thread(lambda: screen_page(page, at)) if at else page
    if any(one.done == "refused" for one in passed.injections):
        raise SourceLost(f"{page.url} reads like instructions ({said(passed.injections)})")
    return passed


async def notes_passed(notes: Sequence[Note], settings: Settings) -> tuple[tuple[Note, ...], int]:
    """The notes without the findings that the door of memory refuses, and how many those were."""
    at = doors(settings)
    if at is None or at.memory == "off":
        return tuple(notes), 0
    return await in_thread(lambda: _without_orders(notes, at))


def _without_orders(notes: Sequence[Note], at: Doors) -> tuple[tuple[Note, ...], int]:
    kept, gone = [], 0
    for note in notes:
        facts = tuple(
            fact
            for fact in note.observation.findings
            if screen_recall(Recall(facts=(fact.text, fact.quote, fact.title)), at).facts
            == (fact.text, fact.quote, fact.title)
        )
        gone += len(note.observation.findings) - len(facts)
        if facts:
            kept.append(replace(note, observation=replace(note.observation, findings=facts)))
    return tuple(kept), gone


def said(found: Sequence[Injection]) -> str:
    """Why, in words for the client."""
    return ", ".join(dict.fromkeys(one.reason for one in found))


def _warning(found: Sequence[Injection]) -> str:
    return said([one for one in found if one.done == "flagged"])


def _held_back(found: Sequence[Injection]) -> tuple[str, ...]:
    return tuple(
        f"{one.source}: {one.done}, since it reads like instructions ({one.reason})"
        for one in found
        if one.done != "flagged"
    )
