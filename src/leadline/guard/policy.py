"""What of a text from outside may pass: scanned, and flagged, stripped or refused as its door says.

A page stays as it was fetched, so that quotes can be checked against it: what is stripped from it
is only noted, and no passage is cut from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from leadline.guard.removed_spans import clean
from leadline.guard.scan import Scan, scan
from leadline.types import Batch, Done, Door, Doors, Hit, Injection, Page, Recall, ScanPolicy, Seen
from leadline.values import replace

SHORT = 4_000  # texts up to this length are remembered: searches bring the same ones again
UNSAID = "the message reads like an instruction to the reader and is not shown"
NOT_QUOTED = "what it quotes reads like an instruction to a model"


def scanned(text: str) -> Scan:
    """`text` scanned. Raises `OSError` or `ValueError` without the weights."""
    return _scanned_short(text) if len(text) <= SHORT else scan(text)


_scanned_short = lru_cache(maxsize=1_024)(scan)


def flagged_spans(text: str, own: bool = False) -> tuple[tuple[int, int], ...]:
    """The spans of `text` that no claim may quote; in the user's `own` documents attacks alone, for
    manuals give orders on every page."""
    result = scanned(text)
    return tuple((spot.start, spot.end) for spot in (result.attacks if own else result.spots))


def is_flagged(text: str, start: int = 0, end: int | None = None, own: bool = False) -> bool:
    """Whether something in `text[start:end]` may not be quoted."""
    last = len(text) if end is None else end
    return any(a < last and b > start for a, b in flagged_spans(text, own))


# ── each kind of text ───────────────────────────────────────────────────────────────────────


def screen_batch(batch: Batch, doors: Doors) -> Batch:
    """The batch with only what may pass, and a note on everything that was found."""
    hits: list[Hit] = []
    notes: list[Injection] = []
    for hit in batch.hits:
        passed, noted = screen_hit(hit, "documents" if hit.kind == "document" else "results", doors)
        hits += passed
        notes += noted
    hostile = doors.results != "off" and scanned(batch.error).verdict == "attack"
    error = UNSAID if hostile else batch.error
    return replace(batch, hits=tuple(hits), injections=tuple(notes), error=error)


def screen_hit(hit: Hit, door: Door, doors: Doors) -> tuple[list[Hit], list[Injection]]:
    """What of a hit may pass: all, the stretches round what was stripped, or nothing."""
    policy: ScanPolicy = getattr(doors, door)
    if policy == "off":
        return [hit], []
    body, title = scanned(hit.text), scanned(hit.title)
    worst = max(body, title, key=lambda result: result.score)
    if worst.verdict != "attack" or policy != "strip":
        notes = _notes(worst, door, hit.url, policy, hit.start)
        return [] if any(note.done == "refused" for note in notes) else [hit], notes
    notes = _notes(body, door, hit.url, policy, hit.start)
    if title.verdict == "attack":
        notes += _notes_beside(title, door, hit.url, policy)
        hit = replace(hit, title="")
    return list(_without_attacks(hit, body)), notes


def _without_attacks(hit: Hit, result: Scan) -> Iterator[Hit]:
    """A hit that can be quoted becomes several at their places; a snippet stays one."""
    barred = [(spot.start, spot.end) for spot in result.attacks]
    parts = list(clean(hit.text, 0, len(hit.text), barred))
    if hit.page:
        for start, end in parts:
            yield replace(
                hit, text=hit.text[start:end], start=hit.start + start, end=hit.start + end
            )
    elif parts:
        yield replace(hit, text=" […] ".join(hit.text[start:end] for start, end in parts))


def screen_page(page: Page, doors: Doors) -> Page:
    """The page with what was found noted; its text stays, its title and author may go."""
    door: Door = "documents" if page.kind == "document" else "pages"
    policy: ScanPolicy = getattr(doors, door)
    if policy == "off":
        return page
    about = scanned(f"{page.title}\n{page.author}")
    beside = _notes_beside(about, door, page.url, policy)
    notes = (*find_injections(page.text, door, page.url, doors), *beside)
    if any(note.done != "flagged" for note in beside):
        page = replace(page, title="", author="")
    return replace(page, injections=notes) if notes else page


def find_injections(text: str, door: Door, source: str, doors: Doors) -> tuple[Injection, ...]:
    """What is found in a text that is neither a hit nor a whole page, and what is done about it."""
    policy: ScanPolicy = getattr(doors, door)
    notes = _notes(scanned(text), door, source, policy) if policy != "off" else []
    return tuple(
        replace(note, start=0, end=len(text)) if note.done == "refused" else note for note in notes
    )


def screen_image(text: str, path: str, doors: Doors) -> str | Seen:
    """What was read from an image: as it is, or what may be shown of it and what was found."""
    notes = find_injections(text, "images", path, doors)
    if not notes:
        return text
    barred = [(note.start, note.end) for note in notes if note.done != "flagged"]
    shown = " ".join(text[start:end] for start, end in clean(text, 0, len(text), barred))
    return Seen(shown, notes)


def screen_recall(recall: Recall, doors: Doors) -> Recall:
    """What memory gives a run, without what it should never have kept."""
    hits: list[Hit] = []
    facts: list[str] = []
    notes: list[Injection] = []
    for hit in recall.hits:
        passed, noted = screen_hit(hit, "memory", doors)
        hits += passed
        notes += noted
    for fact in recall.facts:
        noted_fact = find_injections(fact, "memory", "a remembered finding", doors)
        notes += noted_fact
        if all(note.done == "flagged" for note in noted_fact):
            facts.append(fact)
    if not notes:
        return recall
    leads = recall.leads
    if any(note.done != "flagged" for note in notes):
        # What was thrown out may have been the answer: none counts as a whole one any more.
        leads = tuple(replace(lead, answers=False) for lead in leads)
    return replace(
        recall, hits=tuple(hits), facts=tuple(facts), leads=leads, injections=tuple(notes)
    )


# ── notes ───────────────────────────────────────────────────────────────────────────────────


def _notes(
    result: Scan, door: Door, source: str, policy: ScanPolicy, offset: int = 0
) -> list[Injection]:
    """What is done about what was found: each attack is stripped, or one note is on the whole."""
    done: Done = "stripped"
    spots = result.attacks
    if result.verdict != "attack" or policy in ("flag", "refuse"):
        done = "refused" if result.verdict == "attack" and policy == "refuse" else "flagged"
        spots = tuple(sorted(result.spots, key=lambda spot: -spot.score)[:1])
    return [
        Injection(
            door, source, spot.score, spot.reason, done, spot.start + offset, spot.end + offset
        )
        for spot in spots
    ]


def _notes_beside(result: Scan, door: Door, source: str, policy: ScanPolicy) -> list[Injection]:
    """The same for what stands beside a text: it has no place in it."""
    notes = _notes(result, door, source, policy)[:1]
    return [replace(note, start=0, end=0) for note in notes]
